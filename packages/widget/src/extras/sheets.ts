import { h } from '../shared/dom.ts';
import type { ExtraKey } from './english.ts';
import type { ExtrasDeps } from './extras.ts';
import { createRequests } from './requests.ts';
import { ratingForm } from './rating.ts';

interface SheetDeps extends ExtrasDeps {
  showHistory(show: (heading: string, ...inside: (Node | string)[]) => void, hide: () => void): Promise<void>;
}

/** The menu and its sheets: previous conversations, rating, data export and erasure. */
export function createSheets(deps: SheetDeps) {
  const { client, setup, locale, t, attempt, menuButton, conversationView, showHistory, onErased } = deps;
  const requests = createRequests(client);
  const menu = h('div', { id: 'menu', class: 'menu', hidden: true });
  const sheet = h('section', { class: 'sheet', hidden: true, tabindex: -1, 'aria-labelledby': 'sheet' });
  const button = (key: ExtraKey | 'callPerson', click: () => void, kind = 'chip') =>
    h('button', { type: 'button', class: kind, click }, t(key));

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
      canResume() && item('previous', () => attempt(() => showHistory(show, hide))),
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
    sheet.replaceChildren(h('h3', { id: 'sheet' }, heading), ...inside);
    [sheet.hidden, conversationView.hidden] = [false, true];
    sheet.focus();
  }
  function hide() {
    [sheet.hidden, conversationView.hidden] = [true, false];
    sheet.replaceChildren();
    menuButton.focus();
  }

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
    const erase = () =>
      attempt(async () => {
        const id = await requests.erase();
        onErased();
        showReceipt(id);
      });
    show(
      t('erase'),
      h('p', {}, t('eraseSure')),
      h('div', { class: 'chips' }, button('eraseYes', erase, 'main bad'), button('back', hide)),
    );
  }
  const showReceipt = (id: string) => show(t('erase'), h('p', {}, t('erased', { id })), button('back', hide));

  return {
    menu,
    sheet,
    toggleMenu: () => showMenu(Boolean(menu.hidden)),
    relabel: () => {
      if (!menu.hidden) showMenu(true);
      else if (!sheet.hidden) hide();
    },
    /** Closes the top layer; false if there was none. */
    back(): boolean {
      if (!menu.hidden) {
        showMenu(false);
        menuButton.focus();
      } else if (!sheet.hidden) hide();
      else return false;
      return true;
    },
  };
}
