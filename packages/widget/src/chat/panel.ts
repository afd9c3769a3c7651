import { h, icon, styled } from '../shared/dom.ts';
import type { LogEvent, Message, Setup } from '../shared/wire.ts';
import { createAnnouncer } from './announcer.ts';
import css from './chat.css';
import type { ChatClient } from './client.ts';
import { dress } from './theme.ts';
import { createMessages } from './messages.ts';
import { createPieces } from './pieces.ts';
import { createSheets } from './sheets.ts';
import type { Key } from './english.ts';
import { isFailure } from './talk.ts';

const icons = {
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  send: 'M4 12h15M13 6l6 6-6 6',
  stop: 'M7 7h10v10H7z',
};
const maxCharacters = 4_000;
const phone = matchMedia('(max-width: 480px), (max-height: 480px)');

interface Parts {
  root: ShadowRoot;
  client: () => ChatClient;
  setup: () => Setup;
  locale: () => string;
  t: (key: Key, values?: Record<string, string | number>) => string;
  onClose(): void;
  onErased(): void;
}

/** The chat as it is seen and heard. It shows what the engine knows, and knows nothing by itself but what is half written. */
export function createPanel({ root, client: engine, setup, locale, t, onClose, onErased }: Parts) {
  const announcer = createAnnouncer();
  const title = h('h2', { id: 'title', tabindex: -1 });
  const notice = h('p', { class: 'notice', role: 'status' });
  const log = h('div', { class: 'log', role: 'log', 'aria-live': 'off', tabindex: 0, part: 'log' });
  const newest = h('button', { type: 'button', class: 'newest chip', hidden: true, click: () => toEnd() });
  const field = h('textarea', { rows: 1, maxlength: maxCharacters, enterkeyhint: 'send', part: 'field', dir: 'auto' });
  const sendButton = h('button', { type: 'submit', class: 'main round' }, icon(icons.send));
  const stopButton = h(
    'button',
    { type: 'button', class: 'main round', hidden: true, click: () => attempt(engine().stop) },
    icon(icons.stop),
  );
  const form = h(
    'form',
    { part: 'composer', submit: (event: SubmitEvent) => (event.preventDefault(), submit()) },
    field,
    sendButton,
    stopButton,
  );
  const disclosure = h('p', { class: 'fine' });
  const talkView = h('div', { class: 'talk' }, log, newest, form, disclosure);
  const menuButton = h(
    'button',
    {
      type: 'button',
      class: 'round',
      'aria-expanded': 'false',
      'aria-controls': 'menu',
      click: () => sheets.toggleMenu(),
    },
    icon(icons.more),
  );
  const closeButton = h('button', { type: 'button', class: 'round', click: () => onClose() }, icon(icons.close));
  const header = h('header', { part: 'header' }, title, menuButton, closeButton);
  const dialog = h(
    'dialog',
    { class: 'panel', part: 'panel', 'aria-labelledby': 'title' },
    header,
    notice,
    talkView,
    announcer.node,
  );

  function attempt(work: () => Promise<unknown>) {
    work().catch((error: Error) => say(`${t('trouble')} ${said(error.message)}`));
  }
  /** The service speaks English; to others our own words say enough. */
  const said = (message: string) => (locale() === 'en' ? message : '');
  const say = (text: string) => {
    if (notice.textContent !== text) notice.textContent = text; // what is said again is read out again
  };
  const sheets = createSheets({ client: engine, setup, locale, t, attempt, menuButton, talkView, onErased });
  dialog.insertBefore(sheets.menu, talkView);
  dialog.insertBefore(sheets.sheet, talkView);
  const messages = createMessages({ client: engine, setup, t, attempt, said });
  const { show, forget: clear } = createPieces(log);

  const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 48;
  /** Whoever scrolled up reads; to everybody else the newest is shown. */
  let isSticking = true;
  const toEnd = () => {
    isSticking = true;
    log.scrollTop = log.scrollHeight;
    if (root.activeElement === newest) log.focus();
    newest.hidden = true;
  };
  const onScroll = () => {
    isSticking = isAtEnd();
    if (isSticking) newest.hidden = true;
  };
  log.addEventListener('scroll', onScroll, { passive: true });
  // A keyboard, another width, or a page that put us into another body.
  const resizing = new ResizeObserver(() => isSticking && toEnd());
  resizing.observe(log);

  function submit() {
    const text = field.value.trim();
    if (!text) return;
    field.value = '';
    grow();
    engine().send(text);
    toEnd();
  }
  /** As tall as what is in it, up to a few lines. */
  const grow = () => {
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight + 2, 140)}px`;
  };
  field.addEventListener('input', grow);
  field.addEventListener('focus', () => engine().wake());
  field.addEventListener('keydown', (event) => {
    // While a word is being composed, as in Japanese, Enter chooses it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  const goBack = (event: Event) => {
    event.preventDefault();
    if (!sheets.back()) onClose();
  };
  dialog.addEventListener('keydown', (event) => {
    event.stopPropagation(); // shortcuts of the page are not meant while somebody writes here
    if (event.key === 'Escape' && !event.isComposing) goBack(event);
  });
  // A way back that the system has, such as a gesture. Browsers let it be refused once; then it is closed already.
  dialog.addEventListener('cancel', goBack);
  dialog.addEventListener('close', () => dialog.open || onClose());

  /** A keyboard on the screen takes its place from below; what is left is ours. */
  const fit = () => {
    const view = window.visualViewport;
    const isFull = view && phone.matches;
    dialog.style.height = isFull ? `${view.height}px` : '';
    dialog.style.top = isFull ? `${view.offsetTop}px` : '';
  };
  const life = new AbortController();
  const { signal } = life;
  window.visualViewport?.addEventListener('resize', fit, { signal });
  window.visualViewport?.addEventListener('scroll', fit, { signal });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redress = () => dress(dialog, setup().appearance);
  scheme.addEventListener('change', redress, { signal });

  let typingTimer: number | undefined;
  function render() {
    const focused = root.activeElement;
    const { words, turns, state } = engine().talk();
    if (words) clearTimeout(typingTimer);
    const trouble = engine().trouble();
    show(messages.pieces());
    const isAnswering = Boolean(words) || (turns.size > 0 && state === 'bot');
    stopButton.hidden = !isAnswering || field.value.trim() !== '';
    sendButton.hidden = !stopButton.hidden;
    if (trouble || notice.dataset['trouble']) say(trouble ? t(trouble) : '');
    notice.dataset['trouble'] = trouble ?? '';
    if (isSticking) toEnd();
    refocus(focused);
  }
  /** What had the focus may be gone: then it goes to where one goes on. */
  function refocus(focused: Element | null) {
    if (focused && !root.activeElement?.checkVisibility()) (talkView.hidden ? sheets.sheet : field).focus();
  }
  field.addEventListener('input', render);

  /** All that is said in the visitor's language, and in the tenant's words. */
  function relabel() {
    dialog.lang = locale();
    dialog.dir = ['ar', 'he', 'fa', 'ur'].includes(locale()) ? 'rtl' : 'ltr';
    title.textContent = setup().title || t('bot');
    log.ariaLabel = t('log');
    field.placeholder = field.ariaLabel = t('placeholder');
    for (const [node, key] of [
      [sendButton, 'send'],
      [stopButton, 'stop'],
      [menuButton, 'menu'],
      [closeButton, 'close'],
    ] as const) {
      node.ariaLabel = node.title = t(key);
    }
    newest.textContent = t('latest');
    disclosure.textContent = setup().disclosure;
    disclosure.hidden = !setup().disclosure;
    redress();
    clear();
    sheets.relabel();
    render();
  }

  /** What somebody hears who does not see: an answer once, when it is whole; that one is coming only if it takes a while. */
  function announce({ type, data }: LogEvent) {
    render(); // what is announced is what is shown
    const message = data['message'] as Message | undefined;
    if (type !== 'turn.started') clearTimeout(typingTimer);
    if (message && message.role !== 'visitor') {
      const shown = log.querySelector<HTMLElement>(`[data-id="${CSS.escape(message.id)}"] .text`);
      announcer.say(`${messages.nameOf(message)}: ${shown?.innerText ?? message.text}`);
      newest.hidden = isSticking;
    } else if (type === 'conversation.updated') {
      const { state, agent } = engine().talk();
      announcer.say(
        state === 'bot'
          ? ''
          : t(state === 'human' ? 'joined' : state === 'closed' ? 'ended' : 'waiting', { name: agent || t('person') }),
      );
    } else if (isFailure({ type, data })) announcer.say(t('noAnswer'));
    else if (type === 'confirmation.required') announcer.say(String(data['title']));
    else if (message)
      typingTimer = setTimeout(() => announcer.say(t('typing', { name: setup().title || t('bot') })), 2_500);
  }

  styled(root, css);
  root.append(dialog);
  return {
    render,
    relabel,
    announce,
    /** On a phone it is all there is, and the page behind it cannot be reached; elsewhere both are used side by side. */
    open(isAsked: boolean) {
      if (phone.matches) dialog.showModal();
      else dialog.show();
      fit();
      render();
      toEnd();
      // On a touch screen a field in focus brings up the keyboard, over half of what is to be read.
      if (isAsked) (matchMedia('(hover: none)').matches ? title : field).focus({ preventScroll: true });
      else (root.activeElement as HTMLElement | null)?.blur(); // nobody asked for it on this page
    },
    /** Into another body: there a list begins at its top, and what filled a phone no longer does. */
    moved() {
      if (dialog.open && phone.matches) {
        dialog.close();
        dialog.showModal();
      }
      if (isSticking) toEnd();
    },
    close() {
      while (sheets.back());
      dialog.close();
    },
    showFailure: (message: string) => announcer.say(`${t('failed')} ${said(message)}`),
    clear() {
      field.value = '';
      say('');
      announcer.say('');
      sheets.back();
      render();
    },
    remove() {
      clearTimeout(typingTimer);
      life.abort();
      resizing.disconnect();
      dialog.remove();
    },
  };
}
