import { asColour, inkOn } from '../shared/ink.ts';
import type { Chat, ChatModule, Options, ProactiveModule, Shell } from '../shared/shell.ts';
import type { Setup } from '../shared/wire.ts';
import css from './launcher.css';
import { loadModule } from './load.ts';

type Listener = (detail: unknown) => void;
export interface Bot extends Omit<Chat, 'moved'> {
  toggle(): void;
  hide(): void;
  show(): void;
  on(event: string, listener: Listener): () => void;
}

const icons = {
  chat: 'M4 5h16v11H9l-5 4z',
  question: 'M8 9a4 4 0 1 1 4 4v2m0 4v.01',
  spark: 'M12 3l2 7 7 2-7 2-2 7-2-7-7-2 7-2z',
  open: 'M6 9l6 6 6-6',
};
const svg = (tag: string) => document.createElementNS('http://www.w3.org/2000/svg', tag);

/** Converts any input to a length, so that no other CSS can be injected. */
const px = (length: number) => `${+length || 0}px`; // oxlint-disable-line no-unnecessary-type-conversion

/** One bot on the page: a button, and a chat that is loaded when opened. */
export function embed(script: HTMLScriptElement, onDestroy: () => void): Bot {
  const { botId = '', publicKey = '', locale, consent, isolation } = script.dataset;
  let isConsentNeeded = consent === 'required';
  const base = new URL('.', script.src).href;
  const isFramed = isolation === 'iframe';
  const kind = isFramed ? 'framed' : 'chat';
  const prefix = `cb:${botId}`;
  const host = document.createElement('parley-chat');
  const root = host.attachShadow({ mode: 'open' });
  const listeners = new Set<[string, Listener]>();
  const queue: ((chat: Chat) => void)[] = [];
  let chat: Promise<Chat> | undefined;
  let setup: Setup | undefined;
  let isHidden: boolean | undefined;
  let isDestroyed: boolean | undefined;

  const emit = (event: string, detail?: unknown) => {
    // In separate microtasks, so that a throwing listener does not affect us.
    for (const [name, listener] of listeners) if (name === event) queueMicrotask(() => listener(detail));
  };
  const button = document.createElement('button');
  const badge = document.createElement('b');
  // Never replaced: replacing a button's children while it is pressed cancels the click.
  const shape = svg('svg');
  const line = svg('path');
  const isOpen = () => button.ariaExpanded === 'true';

  /** Inline and important, so that no rule of the page applies. */
  const render = () => {
    if (!setup) return;
    const { appearance } = setup;
    const accent = asColour(appearance.accent);
    host.style.cssText =
      `all:initial;display:${isHidden ? 'none' : 'block'};position:fixed;z-index:var(--cb-z,99999999);bottom:calc(${px(appearance.offsetY)} + env(safe-area-inset-bottom));${appearance.side === 'left' ? 'left' : 'right'}:${px(appearance.offsetX)};--a:${accent};--i:${inkOn(accent)};--r:${px(appearance.radius)};`.replaceAll(
        ';',
        '!important;',
      );
    line.setAttribute('d', icons[isOpen() ? 'open' : appearance.icon] ?? icons.chat);
  };
  /** Frameworks may replace or empty the body; moves the chat to the new one. */
  const attach = () => {
    if (isDestroyed) return;
    const { body, documentElement } = document;
    if (!host.isConnected && body) {
      body.append(host);
      enqueue('moved')();
    }
    for (const node of [documentElement, body]) if (node) observer.observe(node, { childList: true });
  };
  const observer = new MutationObserver(attach);

  const importModule: Shell['load'] = (name, hashes) => loadModule(base, name, hashes, script.nonce);
  const loadSetup = (): Promise<Setup> =>
    fetch(`${base}config/${botId}?key=${publicKey}`)
      .then(async (response) => {
        const body = await response.json();
        if (response.ok) return body;
        if (response.status > 499 || response.status === 429) throw body;
        // A retry would not help: log why there is no button.
        console.warn(`Chatbot: ${body.error.message}`);
        emit('error', body.error);
        return new Promise<never>(() => {});
      })
      .catch(() => new Promise((retry) => setTimeout(() => isDestroyed || retry(loadSetup()), 2e4))); // a fixed delay keeps the load low
  const ready = loadSetup().then((loaded) => {
    Object.assign(loaded.appearance, script.dataset); // data-side, data-accent, data-offset-x …: overrides of this page
    setup = loaded;
    button.className = 'l';
    button.part = 'launcher';
    button.ariaExpanded = 'false';
    button.ariaLabel = loaded.title || 'Chat';
    button.onclick = toggle;
    // Preload on hover or focus: halves the wait on a slow connection.
    button.onpointerenter = button.onfocus = load;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    shape.setAttribute('viewBox', '0 0 24 24');
    shape.append(line);
    button.append(shape);
    root.append(button);
    render();
    attach();
    emit('ready');
    // Only for bots that have any.
    if (loaded.proactive)
      void importModule<ProactiveModule>('proactive', BUILD.proactive)
        .then(({ start }) => start(shell, bot))
        .catch(() => {});
  });

  function load() {
    if (chat || isDestroyed) return;
    chat = ready.then(() => importModule<ChatModule>(kind, BUILD[kind])).then(({ mount }) => mount(shell()));
    chat.catch((error: unknown) => {
      chat = undefined; // retried on the next click
      emit('error', error);
    });
    flush();
  }
  const shell = (): Shell => ({
    botId,
    publicKey,
    base,
    root,
    locale,
    isConsentNeeded,
    setup: setup!,
    load: importModule,
    emit,
    unread(count) {
      badge.textContent = (count || '') as string;
      button.append(badge); // styled by the chat
      emit('unread', count);
    },
    name(label, isNowOpen) {
      button.ariaLabel = label;
      button.ariaExpanded = isNowOpen as never; // becomes text
      render();
    },
  });

  /** Runs queued calls in order once the chat is loaded. `before` runs immediately. */
  const flush = () =>
    void chat
      ?.then((it) => queue.splice(0).forEach((work) => work(it)))
      .catch(() => {})
      .then(() => (button.ariaBusy = null)); // also if it was loaded before the click
  const enqueue =
    <A>(name: keyof Chat, before?: (argument: A) => unknown) =>
    (argument?: A) => {
      before?.(argument!);
      queue.push((it) => (it[name] as (argument?: A) => void)(argument));
      flush();
    };
  const loadNow = () => {
    button.ariaBusy = 'true';
    load();
  };
  const storedKeys = () => {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    } catch {
      return []; // storage is blocked, so there is no returning visitor
    }
  };
  const open = enqueue<never>('open', loadNow);
  const close = enqueue<never>('close');
  const toggle = () => (isOpen() ? close() : open());
  const show = (isShown: boolean) => {
    isHidden = !isShown;
    render();
  };
  /** Synchronous, because the page may be unloaded next. */
  const clear = () => {
    for (const key of storedKeys()) {
      localStorage.removeItem(key);
      sessionStorage.removeItem(`${prefix}:`);
      if (isFramed) load(); // only the frame can clear its own storage
    }
  };
  // A returning visitor gets unread counts without opening the chat.
  // The key without a colon only counts proactive messages.
  if (storedKeys().some((key) => key !== prefix)) void ready.then(() => setTimeout(load, 500));

  const bot: Bot = {
    open,
    close,
    toggle,
    hide: () => show(false),
    show: () => show(true),
    destroy() {
      isDestroyed = true;
      observer.disconnect();
      void chat?.then((it) => it.destroy());
      host.remove();
      script.remove(); // otherwise it would be embedded again
      onDestroy();
    },
    send: enqueue('send', loadNow),
    on(event, listener) {
      const entry: [string, Listener] = [event, listener];
      listeners.add(entry);
      if (setup && event === 'ready') listener(0);
      return () => listeners.delete(entry);
    },
    identify: enqueue('identify'),
    reset: enqueue('reset', clear),
    set: enqueue<Options>('set', (options) => {
      void ready.then(() => {
        Object.assign(setup!.appearance, options);
        render();
      });
    }),
    consent: enqueue<boolean>('consent', (isGiven) => {
      isConsentNeeded = !isGiven;
      return isGiven || chat || clear(); // a loaded chat clears its own storage
    }),
  };
  return bot;
}
