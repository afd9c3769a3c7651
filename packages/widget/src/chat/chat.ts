import type { Chat, GetToken, Options, Shell } from '../shared/shell.ts';
import type { LogEvent, Message } from '../shared/wire.ts';
import { createChatClient, type ChatClient } from './client.ts';
import { createStorage } from './storage.ts';
import { createPanel } from './panel.ts';
import { english, type Key } from './english.ts';
import { fill, localeOf, loadLabels } from './text.ts';

/** The chat behind the launcher. Makes no API request until the visitor writes, or has written before. */
export async function mount(shell: Shell): Promise<Chat> {
  const { root, botId, publicKey, base, emit } = shell;
  const chatStorage = createStorage(botId, !shell.isConsentNeeded);
  let { setup } = shell;
  let preferred = shell.locale;
  let locale = localeOf(setup, preferred);
  let labels = await loadLabels(locale, base);
  let getToken: GetToken | undefined;
  let lastRead = '';

  const t = (key: Key, values: Record<string, string | number> = {}) =>
    fill(setup.texts[key] ?? labels[key] ?? english[key], values);
  const openKey = `cb:${botId}:`;
  let [isOpen, isOpenStored] = [false, false];

  const start = (): ChatClient =>
    createChatClient({
      setup,
      publicKey,
      chatStorage,
      getToken,
      language: () => locale,
      pageUrl: shell.pageUrl,
      onChange: () => client && updateSoon(),
      onEvent: (event) => client && onEvent(event),
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

  /** Stores the last position that was visible to the visitor. */
  const markRead = () => {
    const { id, cursor } = client.talk();
    if (!id || !isOpen || document.hidden) return;
    const now = `${id} ${cursor}`;
    if (now === lastRead) return;
    lastRead = now;
    chatStorage.set('seen', lastRead);
  };
  function countUnread() {
    const { id, messages } = client.talk();
    const [readId, upTo] = (chatStorage.get('seen') ?? lastRead).split(' ');
    if (isOpen || !id) return 0;
    return messages.filter(({ role, seq }) => role !== 'visitor' && (readId !== id || seq > Number(upTo))).length;
  }
  const updateLabel = () => {
    const unread = countUnread();
    const label = isOpen ? t('close') : unread ? `${t('open')}. ${t('unread', { n: unread })}` : t('open');
    shell.name(label, isOpen);
  };
  let unread = 0;
  function update() {
    panel.render();
    markRead();
    if (isOpen) storeOpen(true);
    const now = countUnread();
    if (now === unread) return;
    unread = now;
    shell.unread(now);
    updateLabel();
  }
  /** Batches updates, so that rendering takes at most half of the page's time. */
  let [renderTimer, nextAt] = [0, 0];
  const renderNow = () => {
    const startedAt = Date.now();
    renderTimer = 0;
    update();
    nextAt = 2 * Date.now() - startedAt;
  };
  const updateSoon = () => {
    if (nextAt > Date.now()) renderTimer ||= setTimeout(renderNow, nextAt - Date.now());
    else if (!renderTimer) renderNow();
  };
  function onEvent(event: LogEvent) {
    const message = event.data['message'] as Message | undefined;
    if (message) emit('message', { role: message.role, text: message.text });
    if (event.type === 'conversation.updated') emit('handoff', { state: event.data['state'] });
    // Announce what is shown.
    queueMicrotask(() => panel.announce(event));
  }

  function open(isUserAction = true) {
    if (isOpen) return;
    isOpen = true;
    panel.open(isUserAction);
    client.wake();
    update();
    updateLabel();
    emit('open');
  }
  function close() {
    if (!isOpen) return;
    isOpen = false;
    panel.close();
    updateLabel();
    shell.focusButton();
    storeOpen(false);
    emit('close');
  }
  /** Restores the open state on the next page of the same tab, once there is a conversation. */
  function storeOpen(isOpen: boolean) {
    const shouldStore = isOpen && chatStorage.isPersistent() && client.canResume();
    if (shouldStore === isOpenStored) return;
    isOpenStored = shouldStore;
    try {
      if (shouldStore) sessionStorage.setItem(openKey, '1');
      else sessionStorage.removeItem(openKey);
    } catch {
      // Without storage, every page starts closed.
    }
  }
  /** Restarts the client from storage, or with cleared storage after a reset. */
  function restart(isReset: boolean, next?: GetToken) {
    client.end();
    if (isReset) {
      chatStorage.clear();
      lastRead = '';
      getToken = next;
      storeOpen(false);
    }
    client = start();
    if (isReset) panel.clear();
    update();
  }
  const relabel = () => {
    panel.relabel();
    updateLabel();
  };

  relabel();
  try {
    if (sessionStorage.getItem(openKey) && !matchMedia('(max-width: 480px)').matches) setTimeout(open, 0, false);
  } catch {
    // As above.
  }

  return {
    open: () => open(),
    close,
    send(text: unknown = '') {
      open();
      const message = String(text).trim().slice(0, 4_000);
      if (message) client.send(message);
    },
    identify(user) {
      // Another user's messages stay stored under their id, and are no longer shown.
      getToken = user?.getToken;
      lastRead = '';
      chatStorage.remove('seen');
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
      void loadLabels(requested, base).then((loaded) => {
        if (requested !== localeOf(setup, preferred)) return; // another was requested meanwhile
        [locale, labels] = [requested, loaded];
        relabel();
      });
    },
    consent(isGiven) {
      if (isGiven === chatStorage.isPersistent()) return;
      chatStorage.setConsent(isGiven);
      restart(false);
    },
    moved: () => panel.moved(),
    destroy() {
      clearTimeout(renderTimer);
      client.end();
      panel.remove();
    },
  };
}
