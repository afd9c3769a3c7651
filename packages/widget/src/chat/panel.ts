import { h, icon, styled } from '../shared/dom.ts';
import type { Availability, ConfirmationState, LogEvent, Message, Setup } from '../shared/wire.ts';
import { createAnnouncer } from './announcer.ts';
import { avatar } from './avatar.ts';
import badgeCss from '../shared/badge.css';
import css from './chat.css';
import type { ChatClient } from './client.ts';
import { applyTheme } from './theme.ts';
import { createMessages, type SlotName } from './messages.ts';
import { createKeyedList } from './keyed-list.ts';
import type { Extras, ExtrasDeps } from '../extras/extras.ts';
import type { Key } from './english.ts';
import { isFailure } from './conversation.ts';

const icons = {
  close: 'M6 6l12 12M18 6 6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  send: 'M4 12h15M13 6l6 6-6 6',
  stop: 'M7 7h10v10H7z',
};
const maxCharacters = 4_000;
const phone = matchMedia('(max-width: 480px), (max-height: 480px)');

interface PanelDeps {
  root: ShadowRoot;
  client: () => ChatClient;
  setup: () => Setup;
  locale: () => string;
  t: (key: Key, values?: Record<string, string | number>) => string;
  /** The menu, its sheets and forms, which are loaded on demand. */
  loadExtras(deps: Omit<ExtrasDeps, 'base' | 'botId' | 'publicKey'>): Promise<Extras>;
  onClose(): void;
  onErased(): void;
}

/** The user interface of the chat. Shows the client's state, and holds no state but the draft. */
export function createPanel({ root, client, setup, locale, t, loadExtras, onClose, onErased }: PanelDeps) {
  const announcer = createAnnouncer();
  const title = h('h2', { id: 'title', tabindex: -1 });
  const status = h('p', { class: 'status' });
  const notice = h('p', { class: 'notice', role: 'status' });
  const log = h('div', { class: 'log', role: 'log', 'aria-live': 'off', tabindex: 0, part: 'log' });
  const newest = h('button', { type: 'button', class: 'newest chip', hidden: true, click: () => scrollToEnd() });
  const field = h('textarea', { rows: 1, maxlength: maxCharacters, enterkeyhint: 'send', part: 'field', dir: 'auto' });
  const sendButton = h('button', { type: 'submit', class: 'main round' }, icon(icons.send));
  const stopButton = h(
    'button',
    { type: 'button', class: 'main round', hidden: true, click: () => attempt(client().stop) },
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
  const conversationView = h('div', { class: 'talk' }, log, newest, form, disclosure);
  const menuButton = h(
    'button',
    {
      type: 'button',
      class: 'round',
      'aria-expanded': 'false',
      'aria-controls': 'menu',
      click: () => attempt(async () => (await extras()).toggleMenu()),
      pointerenter: () => void extras().catch(() => {}),
    },
    icon(icons.more),
  );
  const closeButton = h('button', { type: 'button', class: 'round', click: () => onClose() }, icon(icons.close));
  const header = h(
    'header',
    { part: 'header' },
    avatar(),
    h('div', { class: 'head' }, title, status),
    menuButton,
    closeButton,
  );
  const dialog = h(
    'dialog',
    { class: 'panel', part: 'panel', 'aria-labelledby': 'title' },
    header,
    notice,
    conversationView,
    announcer.node,
  );

  function attempt(work: () => Promise<unknown>) {
    work().catch((error: Error) => showNotice(`${t('trouble')} ${describeError(error.message)}`));
  }
  /** API messages are English; other languages show only our own label. */
  const describeError = (message = '') => (locale() === 'en' ? message : '');
  const showNotice = (text: string) => {
    if (notice.textContent !== text) notice.textContent = text; // setting the same text would announce it again
  };
  let sheets: Extras | undefined;
  let loading: Promise<Extras> | undefined;
  const extras = () =>
    (loading ??= loadExtras({
      root,
      client,
      setup,
      locale,
      t,
      attempt,
      menuButton,
      conversationView,
      onErased,
      items,
    }).then(
      (loaded) => (sheets = loaded),
      (error: unknown) => {
        loading = undefined; // tried again the next time
        throw error;
      },
    ));
  const slot = (name: SlotName, content?: ConfirmationState) => {
    const node = h('div', { class: 'card' });
    const fillSlot = (): Promise<unknown> =>
      extras().then(
        (loaded) => {
          node.textContent = '';
          loaded[name](node, content!);
          if (isPinned) scrollToEnd();
        },
        async () => {
          node.textContent = t('trouble');
          await client().wait(5_000); // or until the browser is online again
          if (node.isConnected) await fillSlot();
        },
      );
    attempt(fillSlot);
    return node;
  };
  const showStatus = () => {
    const { isOpen, replyMinutes, opensAt }: Partial<Availability> = setup().availability ?? {};
    if (isOpen ? replyMinutes : opensAt)
      extras().then(
        (loaded) => loaded.showStatus(status),
        () => {}, // only the reply time is missing
      );
  };
  const isAsking = () =>
    Boolean(setup().preChat) && client().isUnknown() && client().messages().length + client().outgoing().length === 0;
  const messages = createMessages({ client, setup, locale, t, slot, isAsking, attempt, describeError });
  const items = (list: Message[]) => messages.messageItems(list).map(({ make }) => make());
  const { show, clear } = createKeyedList(log);

  const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 48;
  /** Whether to scroll with new messages: false after the visitor scrolled up. */
  let isPinned = true;
  const scrollToEnd = () => {
    isPinned = true;
    log.scrollTop = log.scrollHeight;
    if (root.activeElement === newest) log.focus();
    newest.hidden = true;
  };
  const onScroll = () => {
    isPinned = isAtEnd();
    if (isPinned) newest.hidden = true;
  };
  log.addEventListener('scroll', onScroll);
  // On-screen keyboard, new width, or moved into another body.
  const resizeObserver = new ResizeObserver(() => isPinned && scrollToEnd());
  resizeObserver.observe(log);

  function submit() {
    const text = field.value.trim();
    if (!text) return;
    field.value = '';
    grow();
    client().send(text);
    scrollToEnd();
  }
  /** Grows with its content, up to a few lines. */
  const grow = () => {
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight + 2, 140)}px`;
  };
  field.addEventListener('input', grow);
  field.addEventListener('focus', () => client().wake());
  field.addEventListener('keydown', (event) => {
    // During IME composition, Enter selects a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  const goBack = (event: Event) => {
    event.preventDefault();
    if (!sheets?.back()) onClose();
  };
  dialog.addEventListener('keydown', (event) => {
    event.stopPropagation(); // the page's shortcuts must not fire while the visitor types
    if (event.key === 'Escape' && !event.isComposing) goBack(event);
  });
  // System back gesture. Browsers allow preventing it once; after that the dialog is already closed.
  dialog.addEventListener('cancel', goBack);
  dialog.addEventListener('close', () => dialog.open || onClose());

  /** Fits the dialog into the viewport above an on-screen keyboard. */
  const fitViewport = () => {
    const view = window.visualViewport;
    const isFull = view && phone.matches;
    dialog.style.height = isFull ? `${view.height}px` : '';
    dialog.style.top = isFull ? `${view.offsetTop}px` : '';
  };
  const lifetime = new AbortController();
  const { signal } = lifetime;
  window.visualViewport?.addEventListener('resize', fitViewport, { signal });
  window.visualViewport?.addEventListener('scroll', fitViewport, { signal });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const reapplyTheme = () => applyTheme(dialog, setup().appearance);
  scheme.addEventListener('change', reapplyTheme, { signal });

  let typingTimer: number | undefined;
  function render() {
    const focused = root.activeElement;
    const { partial, turns, state } = client().currentConversation();
    if (partial) clearTimeout(typingTimer);
    const trouble = client().problem();
    show(messages.listItems());
    const isAnswering = Boolean(partial) || (turns.size > 0 && state === 'bot');
    stopButton.hidden = !isAnswering || field.value.trim() !== '';
    sendButton.hidden = !stopButton.hidden;
    form.hidden = isAsking();
    if (trouble || notice.dataset['trouble']) showNotice(trouble ? t(trouble) : '');
    notice.dataset['trouble'] = trouble ?? '';
    if (isPinned) scrollToEnd();
    refocus(focused);
  }
  /** On a touch screen, focusing the field would open the keyboard over half of the messages. */
  const restingPlace = () => (form.hidden || matchMedia('(hover: none)').matches ? title : field);
  /** If the focused element was removed, moves focus to the sheet, or where the visitor continues. */
  function refocus(focused: Element | null) {
    if (focused && !root.activeElement?.getClientRects().length)
      (conversationView.hidden ? sheets!.sheet : form.contains(focused) ? field : restingPlace()).focus();
  }
  field.addEventListener('input', () => {
    client().writes();
    render();
  });

  /** Applies the labels of the locale and the tenant. */
  function relabel() {
    dialog.lang = locale();
    dialog.dir = locale() === 'ar' ? 'rtl' : 'ltr';
    title.textContent = messages.nameOf({});
    showStatus();
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
    reapplyTheme();
    clear();
    sheets?.relabel();
    render();
  }

  /** Screen reader announcements: a reply once, when complete; typing only if it takes a while. */
  function announce({ type, data }: LogEvent) {
    render(); // announce what is shown
    const message = data['message'] as Message | undefined;
    if (type !== 'turn.started') clearTimeout(typingTimer);
    if (message && message.role !== 'visitor') {
      const element = log.querySelector<HTMLElement>(`[data-id="${CSS.escape(message.id)}"] .text`);
      announcer.announce(`${messages.nameOf(message)}: ${element?.innerText ?? message.text}`);
      newest.hidden = isPinned;
    } else if (type === 'conversation.updated') announcer.announce(log.querySelector('.note')?.textContent ?? '');
    else if (isFailure({ type, data })) announcer.announce(t('noAnswer'));
    else if (type === 'conversation.rated') announcer.announce(t('thanks'));
    else if (type === 'confirmation.required') announcer.announce(String(data['title']));
    else if (message)
      typingTimer = setTimeout(() => announcer.announce(t('typing', { name: messages.nameOf({}) })), 2_500);
  }

  styled(root, css + badgeCss);
  root.append(dialog);
  return {
    render,
    relabel,
    announce,
    /** Modal on a phone, so the page behind is inert; non-modal elsewhere. */
    open(isUserAction: boolean) {
      if (phone.matches) dialog.showModal();
      else dialog.show();
      fitViewport();
      render();
      scrollToEnd();
      showStatus();
      if (isUserAction) restingPlace().focus({ preventScroll: true });
      else (root.activeElement as HTMLElement | null)?.blur(); // restored open, without a user action on this page
    },
    /** After moving to another body, the scroll position and the modal state are lost. */
    moved() {
      if (dialog.open && phone.matches) {
        dialog.close();
        dialog.showModal();
      }
      if (isPinned) scrollToEnd();
    },
    close() {
      while (sheets?.back());
      dialog.close();
    },
    /** Sends a message, or keeps it in the field until the visitor has filled in the form. */
    send(text: string) {
      field.value = text;
      if (!form.hidden) submit();
    },
    showFailure: (message: string) => announcer.announce(`${t('failed')} ${describeError(message)}`),
    clear() {
      field.value = '';
      showNotice('');
      announcer.announce('');
      while (sheets?.back());
      render();
    },
    remove() {
      clearTimeout(typingTimer);
      lifetime.abort();
      resizeObserver.disconnect();
      dialog.remove();
    },
  };
}
