import { h } from '../shared/dom.ts';
import type { Setup } from '../shared/wire.ts';
import type { ChatClient } from './client.ts';
import type { Key } from './english.ts';

interface SheetDeps {
  client: () => ChatClient;
  setup: () => Setup;
  locale: () => string;
  t: (key: Key, values?: Record<string, string | number>) => string;
  attempt(work: () => Promise<unknown>): void;
  menuButton: HTMLElement;
  conversationView: HTMLElement;
  onErased(): void;
}

/** The menu and its sheets: rating, data export and erasure. */
export function createSheets({ client, setup, locale, t, attempt, menuButton, conversationView, onErased }: SheetDeps) {
  const menu = h('div', { id: 'menu', class: 'menu', hidden: true });
  const sheet = h('section', { class: 'sheet', hidden: true, tabindex: -1, 'aria-labelledby': 'sheet' });
  const button = (key: Key, click: () => void, kind = 'chip') =>
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
      canResume() && item('download', () => attempt(download)),
      canResume() && item('erase', showErasure),
      h('p', { class: 'fine' }, canResume() ? t('retention', { time }) : t('nothing')),
    ];
    menu.replaceChildren(...items.filter((node) => node !== false));
    menu.querySelector('button')?.focus();
  }
  const item = (key: Key, click: () => void) =>
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
    const url = URL.createObjectURL(await client().download());
    h('a', { href: url, download: 'chat.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  function showRating() {
    const comment = h('textarea', { rows: 3, maxlength: 1_000, 'aria-label': t('comment'), placeholder: t('comment') });
    const choices = [1, 2, 3, 4, 5].map((n) =>
      h(
        'label',
        { class: 'star' },
        h('input', { type: 'radio', name: 'rating', value: n, required: true, 'aria-label': t('rateOf', { n }) }),
        h('span', {}, String(n)),
      ),
    );
    const form = h(
      'form',
      {
        submit: (event: SubmitEvent) => {
          event.preventDefault();
          const rating = Number(new FormData(form).get('rating'));
          attempt(async () => {
            await client().rate(rating, comment.value.trim());
            show(t('thanks'), button('back', hide));
          });
        },
      },
      h('div', { class: 'stars', role: 'radiogroup', 'aria-labelledby': 'sheet' }, ...choices),
      comment,
      h('div', { class: 'chips' }, h('button', { class: 'main' }, t('send')), button('back', hide)),
    );
    show(t('rateHow'), form);
  }

  function showErasure() {
    const erase = () =>
      attempt(async () => {
        const id = await client().erase();
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
