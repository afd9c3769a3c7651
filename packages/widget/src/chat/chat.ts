import type { Chat, GetToken, Options, Shell } from '../shared/shell.ts';
import type { LogEvent, Message } from '../shared/wire.ts';
import { createChatClient, type ChatClient } from './client.ts';
import { createKeep } from './keep.ts';
import { createPanel } from './panel.ts';
import { english, type Key } from './english.ts';
import { fill, localeOf, wordsIn } from './text.ts';

/** The chat behind the button. Nothing is asked of the service until somebody writes, or has written before. */
export async function mount(shell: Shell): Promise<Chat> {
  const { root, botId, publicKey, base, emit } = shell;
  const keep = createKeep(botId, !shell.isConsentNeeded);
  let { setup } = shell;
  let preferred = shell.locale;
  let locale = localeOf(setup, preferred);
  let words = await wordsIn(locale, base);
  let getToken: GetToken | undefined;
  let seen = '';

  const t = (key: Key, values: Record<string, string | number> = {}) =>
    fill(setup.texts[key] ?? words[key] ?? english[key], values);
  const opened = `cb:${botId}:`;
  let [isOpen, isRemembered] = [false, false];

  const start = (): ChatClient =>
    createChatClient({
      setup,
      publicKey,
      keep,
      getToken,
      language: () => locale,
      pageUrl: shell.pageUrl,
      onChange: () => client && updateSoon(),
      onNews: (event) => client && news(event),
      onFailed: (message) => panel.showFailure(message),
      onReset: () => restart(true),
    });
  let client: ChatClient = start();
  const panel = createPanel({
    root,
    client: () => client,
    setup: () => setup,
    locale: () => locale,
    t,
    onClose: close,
    onErased: () => restart(true, getToken),
  });

  /** The place up to which everything was in front of the visitor. */
  const markSeen = () => {
    const { id, cursor } = client.talk();
    if (!id || !isOpen || document.hidden) return;
    const now = `${id} ${cursor}`;
    if (now === seen) return;
    seen = now;
    keep.set('seen', seen);
  };
  function countUnread() {
    const { id, messages } = client.talk();
    const [seenId, upTo] = (keep.get('seen') ?? seen).split(' ');
    if (isOpen || !id) return 0;
    return messages.filter(({ role, seq }) => role !== 'visitor' && (seenId !== id || seq > Number(upTo))).length;
  }
  const name = () => {
    const unread = countUnread();
    const label = isOpen ? t('close') : unread ? `${t('open')}. ${t('unread', { n: unread })}` : t('open');
    shell.name(label, isOpen);
  };
  let unread = 0;
  function update() {
    panel.render();
    markSeen();
    if (isOpen) remember(true);
    const now = countUnread();
    if (now === unread) return;
    unread = now;
    shell.unread(now);
    name();
  }
  /** What comes faster than it is drawn is drawn together: no more than half of the page's time goes into it. */
  let [drawing, nextAt] = [0, 0];
  const draw = () => {
    const began = Date.now();
    drawing = 0;
    update();
    nextAt = 2 * Date.now() - began;
  };
  const updateSoon = () => {
    if (nextAt > Date.now()) drawing ||= setTimeout(draw, nextAt - Date.now());
    else if (!drawing) draw();
  };
  function news(event: LogEvent) {
    const message = event.data['message'] as Message | undefined;
    if (message) emit('message', { role: message.role, text: message.text });
    if (event.type === 'conversation.updated') emit('handoff', { state: event.data['state'] });
    // What is announced is what is shown.
    queueMicrotask(() => panel.announce(event));
  }

  function open(isAsked = true) {
    if (isOpen) return;
    isOpen = true;
    panel.open(isAsked);
    client.wake();
    update();
    name();
    emit('open');
  }
  function close() {
    if (!isOpen) return;
    isOpen = false;
    panel.close();
    name();
    shell.focusButton();
    remember(false);
    emit('close');
  }
  /** So that it is open again on the next page of the same visit, once something was said. */
  function remember(isOpen: boolean) {
    const isToStay = isOpen && keep.isLasting() && client.isKnown();
    if (isToStay === isRemembered) return;
    isRemembered = isToStay;
    try {
      if (isToStay) sessionStorage.setItem(opened, '1');
      else sessionStorage.removeItem(opened);
    } catch {
      // Without storage every page begins closed.
    }
  }
  /** Begins anew, from what is stored; or with nothing left of what was. */
  function restart(isForgetting: boolean, next?: GetToken) {
    client.end();
    if (isForgetting) {
      keep.clear();
      seen = '';
      getToken = next;
      remember(false);
    }
    client = start();
    if (isForgetting) panel.clear();
    update();
  }
  const relabel = () => {
    panel.relabel();
    name();
  };

  relabel();
  try {
    if (sessionStorage.getItem(opened) && !matchMedia('(max-width: 480px)').matches) setTimeout(open, 0, false);
  } catch {
    // As above.
  }

  return {
    open: () => open(),
    close,
    send(text: unknown = '') {
      open();
      const said = String(text).trim().slice(0, 4_000);
      if (said) client.send(said);
    },
    identify(who) {
      // What somebody else wrote here stays theirs: it is kept under their name, and is no longer shown.
      getToken = who?.getToken;
      seen = '';
      keep.remove('seen');
      restart(false);
      panel.clear();
    },
    reset() {
      client.notifyReset();
      restart(true);
    },
    set(options: Options = {}) {
      setup = { ...setup, ...(options as object), texts: { ...setup.texts, ...options.texts } };
      setup.appearance = { ...setup.appearance, ...options };
      if (options.locale) preferred = options.locale;
      const requested = localeOf(setup, preferred);
      if (requested === locale) return relabel();
      void wordsIn(requested, base).then((found) => {
        if (requested !== localeOf(setup, preferred)) return; // another was requested meanwhile
        [locale, words] = [requested, found];
        relabel();
      });
    },
    consent(isGiven) {
      if (isGiven === keep.isLasting()) return;
      keep.agree(isGiven);
      restart(false);
    },
    moved: () => panel.moved(),
    destroy() {
      clearTimeout(drawing);
      client.end();
      panel.remove();
    },
  };
}
