import type { ExtrasModule } from '../extras/extras.ts';
import type { Chat, GetToken, Options, Shell } from '../shared/shell.ts';
import type { LogEvent, Message } from '../shared/wire.ts';
import { createChatClient, type ChatClient } from './client.ts';
import { createStorage } from './storage.ts';
import { createPanel } from './panel.ts';
import { english as chatEnglish, type Key } from './english.ts';
import { fill, localeOf, loadLabels } from './text.ts';

/** The chat behind the launcher. Makes no API request until the visitor writes, or has written before. */
export async function mount(shell: Shell): Promise<Chat> {
  const { root, botId, publicKey, base, emit } = shell;
  const chatStorage = createStorage(botId, !shell.isConsentNeeded);
  let { setup } = shell;
  let preferredLocale = shell.locale;
  let locale = localeOf(setup, preferredLocale);
  let labels = await loadLabels(locale, base);
  /** In the order of the locale files. */
  const english: Partial<Record<Key, string>> = { ...chatEnglish };
  let getToken: GetToken | undefined;
  let [isOpen, isOpenStored] = [false, false];
  /** The conversation and the position up to which it was read. */
  let lastRead = '';
  let unread = 0;
  let isTalking: boolean | undefined;
  let [renderTimer, nextRenderAt] = [0, 0];

  const t = (key: Key, values: Record<string, string | number> = {}) =>
    fill(setup.texts[key] ?? labels[Object.keys(english).indexOf(key)] ?? english[key] ?? '', values);
  /** In `sessionStorage` while the chat is open. */
  const openKey = `cb:${botId}:`;

  const startClient = (): ChatClient =>
    createChatClient({
      setup,
      publicKey,
      chatStorage,
      getToken,
      language: () => locale,
      // Without query and hash, which may contain secrets.
      pageUrl: () => shell.pageUrl?.() ?? location.origin + location.pathname,
      onChange: () => client && updateSoon(),
      onEvent: (event) => client && onEvent(event),
      onFailed: (message) => panel.showFailure(message),
      onReset: () => restart(true),
      onUserChange: () => panel.clear(),
    });
  let client: ChatClient = startClient();
  const panel = createPanel({
    root,
    client: () => client,
    setup: () => setup,
    locale: () => locale,
    t,
    async loadExtras(deps) {
      const module = await shell.load<ExtrasModule>('extras', BUILD.extras);
      Object.assign(english, module.english);
      return module.create({ ...shell, ...deps });
    },
    onClose: close,
    onErased: () => restart(true, getToken),
  });

  const markRead = () => {
    const { id, cursor, messages } = client.currentConversation();
    if (!id || !isOpen || document.hidden) return;
    const position = `${id} ${cursor}`;
    if (position === lastRead) return;
    lastRead = position;
    chatStorage.set('seen', lastRead);
    const last = messages.at(-1);
    if (last?.role === 'agent') client.markSeen(last.seq);
  };
  function countUnread() {
    const { id, messages } = client.currentConversation();
    const [readId, upTo] = (chatStorage.get('seen') ?? lastRead).split(' ');
    if (isOpen || !id) return 0;
    return messages.filter(({ role, seq }) => role !== 'visitor' && (readId !== id || seq > Number(upTo))).length;
  }
  const updateLabel = () => {
    const n = countUnread();
    const label = isOpen ? t('close') : n ? `${t('open')}. ${t('unread', { n })}` : t('open');
    shell.name(label, isOpen);
  };
  function update() {
    panel.render();
    markRead();
    if (isOpen) storeOpen(true);
    const { id, state } = client.currentConversation();
    const isNowTalking = Boolean(id) && state !== 'closed';
    if (isNowTalking !== isTalking && (client.isResumed() || !client.canResume())) {
      isTalking = isNowTalking;
      emit('conversation', { isOpen: isTalking });
    }
    const count = countUnread();
    if (count === unread) return;
    unread = count;
    shell.unread(count);
    updateLabel();
  }
  const updateNow = () => {
    const startedAt = Date.now();
    renderTimer = 0;
    update();
    nextRenderAt = 2 * Date.now() - startedAt;
  };
  /** Batches updates: after one that took n ms, waits n ms, so that rendering takes at most half of the page's time. */
  const updateSoon = () => {
    if (nextRenderAt > Date.now()) renderTimer ||= setTimeout(updateNow, nextRenderAt - Date.now());
    else if (!renderTimer) updateNow();
  };
  function onEvent(event: LogEvent) {
    const message = event.data['message'] as Message | undefined;
    if (message) emit('message', { role: message.role, text: message.text });
    if (event.type === 'conversation.updated') emit('handoff', { state: event.data['state'] });
    queueMicrotask(() => panel.announce(event)); // after the state has changed
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
    update(); // a reply that has just arrived may wait for its rendering, and would be counted as unread
    isOpen = false;
    panel.close();
    updateLabel();
    if (shell.focusButton) shell.focusButton();
    else root.querySelector('button')!.focus();
    storeOpen(false);
    emit('close');
  }
  /** Keeps the chat open on the next page of the same tab, once there is a conversation. */
  function storeOpen(isNowOpen: boolean) {
    const shouldStore = isNowOpen && chatStorage.isPersistent() && client.canResume();
    if (shouldStore === isOpenStored) return;
    isOpenStored = shouldStore;
    try {
      if (shouldStore) sessionStorage.setItem(openKey, '1');
      else sessionStorage.removeItem(openKey);
    } catch {
      // Without storage, every page starts closed.
    }
  }
  /** Starts a new client. A reset clears the storage, and signs the user out unless `nextGetToken` is given. */
  function restart(isReset: boolean, nextGetToken?: GetToken) {
    client.end();
    if (isReset) {
      chatStorage.clear();
      shell.onErased?.();
      lastRead = '';
      getToken = nextGetToken;
      storeOpen(false);
    }
    client = startClient();
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
    // Without storage, every page starts closed.
  }

  return {
    open: () => open(),
    close,
    send(text: unknown = '') {
      open();
      const message = String(text).trim().slice(0, 4_000);
      if (message) panel.send(message);
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
      if (options.locale) preferredLocale = options.locale;
      const requested = localeOf(setup, preferredLocale);
      if (requested === locale) return relabel();
      void loadLabels(requested, base).then((loaded) => {
        if (requested !== localeOf(setup, preferredLocale)) return; // another was requested meanwhile
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
