import { h } from '../shared/dom.ts';
import type { ExtraKey } from './english.ts';
import type { ExtrasDeps } from './extras.ts';
import { createHistory } from './history.ts';
import { createRequests, whileBusy } from './requests.ts';
import { ratingForm } from './rating.ts';

/** The menu and its sheets: previous conversations, rating, data export and erasure. */
export function createSheets(deps: ExtrasDeps) {
  const { client, setup, locale, t, attempt, menuButton, conversationView, onErased } = deps;
  const requests = createRequests(client);
  const menu = h('div', { id: 'menu', class: 'menu', hidden: true });
  const sheet = h('section', { class: 'sheet', hidden: true, tabindex: -1, 'aria-labelledby': 'sheet' });
  const button = (key: ExtraKey | 'callPerson', click: () => void, kind = 'chip') =>
    h('button', { type: 'button', class: kind, click }, t(key));

  /** What is being loaded for a sheet. */
  let pending: object | undefined;
  const setPending = (next?: object) => {
    pending = next;
    for (const node of [menuButton, sheet]) node.ariaBusy = next ? 'true' : null;
  };
  /** The result of a request is dropped if the visitor has done something else meanwhile, or is another one. */
  const drop = () => setPending();
  conversationView.addEventListener('input', drop);
  const load = (work: () => Promise<() => void>) =>
    attempt(async () => {
      const own = {};
      setPending(own);
      try {
        const showResult = await work();
        if (pending === own) showResult();
      } finally {
        if (pending === own) drop();
      }
    });

  function showMenu(isShown: boolean) {
    menu.hidden = !isShown;
    menuButton.ariaExpanded = String(isShown);
    if (!isShown) return;
    const { currentConversation, canResume } = client();
    const { id, state } = currentConversation();
    const time = new Intl.NumberFormat(locale(), { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(
      setup().retentionDays,
    );
    const items: (HTMLElement | false)[] = [
      Boolean(id) &&
        setup().isHandoffOffered &&
        state === 'bot' &&
        item('callPerson', () => attempt(client().askForPerson)),
      Boolean(id) && item('rate', showRating),
      canResume() && item('previous', () => load(loadHistory)),
      canResume() && item('download', () => attempt(download)),
      canResume() && item('erase', showErasure),
      h('p', { class: 'fine' }, canResume() ? t('retention', { time }) : t('nothing')),
    ];
    menu.replaceChildren(...items.filter((node) => node !== false));
    menu.querySelector('button')?.focus();
  }
  const item = (key: ExtraKey | 'callPerson', click: () => void) =>
    button(
      key,
      () => {
        showMenu(false);
        menuButton.focus();
        click();
      },
      'item',
    );

  function show(heading: string, ...inside: (Node | string)[]) {
    drop();
    sheet.replaceChildren(h('h3', { id: 'sheet' }, heading), ...inside);
    [sheet.hidden, conversationView.hidden] = [false, true];
    sheet.focus();
  }
  function hide() {
    drop();
    [sheet.hidden, conversationView.hidden] = [true, false];
    sheet.replaceChildren();
    menuButton.focus();
  }
  const loadHistory = createHistory(deps, { show, hide, load });

  async function download() {
    const url = URL.createObjectURL(await requests.download());
    h('a', { href: url, download: 'chat.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  function showRating() {
    show(
      t('rateHow'),
      ratingForm(deps, 'sheet', undefined, () => show(t('thanks'), button('back', hide))),
      button('back', hide),
    );
  }

  function showErasure() {
    const erase = async () => {
      const asked = client();
      const id = await requests.erase();
      if (client() !== asked) return; // the page has identified another user meanwhile
      asked.notifyReset();
      onErased();
      showReceipt(id);
    };
    const eraseButton = button('eraseYes', () => attempt(() => whileBusy(eraseButton, erase)), 'main bad');
    show(t('erase'), h('p', {}, t('eraseSure')), h('div', { class: 'chips' }, eraseButton, button('back', hide)));
  }
  const showReceipt = (id: string) => show(t('erase'), h('p', {}, t('erased', { id })), button('back', hide));

  return {
    menu,
    sheet,
    toggleMenu() {
      drop();
      showMenu(Boolean(menu.hidden));
    },
    relabel: () => {
      if (!menu.hidden) showMenu(true);
      else if (!sheet.hidden) hide();
    },
    /** Closes the top layer; false if there was none. */
    back(): boolean {
      drop();
      if (!menu.hidden) {
        showMenu(false);
        menuButton.focus();
      } else if (!sheet.hidden) hide();
      else return false;
      return true;
    },
  };
}
