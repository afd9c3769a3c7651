import { asColour, inkOn } from '../shared/ink.ts';
import type { Chat, ChatModule, Options, Shell } from '../shared/shell.ts';
import type { Setup } from '../shared/wire.ts';
import css from './launcher.css';
import { loadModule } from './load.ts';

type Hear = (detail: unknown) => void;
export interface Bot extends Omit<Chat, 'moved'> {
  toggle(): void;
  hide(): void;
  show(): void;
  on(event: string, hear: Hear): () => void;
}

const icons = {
  chat: 'M4 5h16v11H9l-5 4z',
  question: 'M8 9a4 4 0 1 1 4 4v2m0 4v.01',
  spark: 'M12 3l2 7 7 2-7 2-2 7-2-7-7-2 7-2z',
  open: 'M6 9l6 6 6-6',
};
const svg = (tag: string) => document.createElementNS('http://www.w3.org/2000/svg', tag);

/** Whatever a page or an edge says it is, it becomes a length and nothing else. */
const px = (length: number) => `${+length || 0}px`; // oxlint-disable-line no-unnecessary-type-conversion
const never = new Promise<never>(() => {});

/** One bot on the page: a button, and behind it a chat that is loaded by whoever opens it. */
export function embed(script: HTMLScriptElement, forget: () => void): Bot {
  const { botId = '', publicKey = '', locale, consent, isolation } = script.dataset;
  const base = new URL('.', script.src).href;
  const isFramed = isolation === 'iframe';
  const kept = `cb:${botId}:`;
  const host = document.createElement('parley-chat');
  const root = host.attachShadow({ mode: 'open' });
  const hearers = new Set<[string, Hear]>();
  const early: ((chat: Chat) => void)[] = [];
  let chat: Promise<Chat> | undefined;
  let setup: Setup | undefined;
  let [isHidden, isGone] = [false, false];

  const emit = (event: string, detail?: unknown) => {
    // Each by itself: what a listener throws is the page's own, and nothing of ours stops for it.
    for (const [name, hear] of hearers) if (name === event) queueMicrotask(() => hear(detail));
  };
  const button = document.createElement('button');
  const badge = document.createElement('b');
  // Built once and never replaced: a button whose insides change while it is pressed is not clicked.
  const shape = svg('svg');
  const line = svg('path');
  const isOpen = () => button.ariaExpanded === 'true';

  /** By properties set as important: whatever the page's own rules say of every element, they do not reach this one. */
  const draw = () => {
    if (!setup) return;
    const { appearance: look } = setup;
    const accent = asColour(look.accent);
    const style: Record<string, string> = {
      all: 'initial',
      display: isHidden ? 'none' : 'block',
      position: 'fixed',
      'z-index': 'var(--cb-z,99999999)',
      bottom: `calc(${px(look.offsetY)} + env(safe-area-inset-bottom))`,
      [look.side === 'left' ? 'left' : 'right']: px(look.offsetX),
      '--a': accent,
      '--i': inkOn(accent),
      '--r': px(look.radius),
    };
    host.style.cssText = '';
    for (const name in style) host.style.setProperty(name, style[name]!, 'important');
    line.setAttribute('d', icons[isOpen() ? 'open' : look.icon] ?? icons.chat);
  };
  /** Frameworks replace the body, or empty it; the chat goes on in the next one. */
  const attach = () => {
    if (isGone) return;
    const { body, documentElement } = document;
    if (!host.isConnected && body) {
      body.append(host);
      tell('moved')();
    }
    for (const node of [documentElement, body]) if (node) watcher.observe(node, { childList: true });
  };
  const watcher = new MutationObserver(attach);

  const find = (): Promise<Setup> =>
    fetch(`${base}config/${botId}?key=${publicKey}`)
      .then(async (response) => {
        const body = await response.json();
        if (response.ok) return body;
        if (response.status > 499 || response.status === 429) throw body;
        // Nothing that waiting would mend: said to whoever looks why there is no button.
        console.warn(`Chatbot: ${body.error.message}`);
        emit('error', body.error);
        return never;
      })
      .catch(() => new Promise((wait) => setTimeout(wait, 2e4)).then(() => (isGone ? never : find()))); // without a crowd at the door
  const ready = find().then((found) => {
    Object.assign(found.appearance, script.dataset); // data-side, data-accent, data-offset-x …: this page's own
    setup = found;
    button.className = 'l';
    button.part = 'launcher';
    button.ariaExpanded = 'false';
    button.ariaLabel = found.title || 'Chat';
    button.onclick = toggle;
    // Whoever comes near is likely to open it: on a slow line that is half of the wait.
    button.onpointerenter = button.onfocus = load;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    shape.setAttribute('viewBox', '0 0 24 24');
    shape.append(line);
    button.append(shape, badge);
    root.append(button);
    draw();
    attach();
    emit('ready');
  });

  function load() {
    if (chat || isGone) return;
    chat = ready
      .then(() => loadModule<ChatModule>(base, isFramed ? BUILD.framed : BUILD.chat, script.nonce))
      .then(({ mount }) => mount(shell()));
    chat
      .catch((error: unknown) => {
        chat = undefined; // the next click tries again
        emit('error', error);
      })
      .finally(() => (button.ariaBusy = 'false'));
    pass();
  }
  const shell = (): Shell => ({
    botId,
    publicKey,
    base,
    root,
    locale,
    isConsentNeeded: consent === 'required',
    setup: setup!,
    pageUrl: () => location.origin + location.pathname,
    emit,
    unread(count) {
      badge.textContent = (count || '') as string;
      emit('unread', count);
    },
    name(label, isNowOpen) {
      button.ariaLabel = label;
      button.ariaExpanded = String(isNowOpen);
      draw();
    },
    focusButton: () => button.focus(),
  });

  /** In the order of the calls. What needs no chat yet waits until there is one; what cannot wait is done before. */
  const pass = () => void chat?.then((it) => early.splice(0).forEach((work) => work(it))).catch(() => {});
  const tell =
    <A>(name: keyof Chat, before?: (argument: A) => unknown) =>
    (argument?: A) => {
      before?.(argument!);
      early.push((it) => (it[name] as (argument?: A) => void)(argument));
      pass();
    };
  const loadNow = () => {
    button.ariaBusy = 'true';
    load();
  };
  const stored = () => {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(kept));
    } catch {
      return []; // a page without storage: nobody was here before, and nothing is left
    }
  };
  const open = tell<never>('open', loadNow);
  const close = tell<never>('close');
  const toggle = () => (isOpen() ? close() : open());
  const show = (isShown: boolean) => {
    isHidden = !isShown;
    draw();
  };
  /** At once: the page may be gone the next moment. */
  const clear = () => {
    for (const key of stored()) {
      localStorage.removeItem(key);
      sessionStorage.removeItem(kept);
      if (isFramed) load(); // what it keeps, only the frame can forget
    }
  };
  // Somebody who has a conversation here hears of an answer without opening it.
  if (stored()[0]) void ready.then(() => setTimeout(load, 500));

  return {
    open,
    close,
    toggle,
    hide: () => show(false),
    show: () => show(true),
    destroy() {
      isGone = true;
      watcher.disconnect();
      void chat?.then((it) => it.destroy());
      host.remove();
      script.remove(); // or it would be found again
      forget();
    },
    send: tell('send', loadNow),
    on(event, hear) {
      const entry: [string, Hear] = [event, hear];
      hearers.add(entry);
      if (setup && event === 'ready') hear(0);
      return () => hearers.delete(entry);
    },
    identify: tell('identify'),
    reset: tell('reset', clear),
    set: tell<Options>('set', (options) => {
      void ready.then(() => {
        Object.assign(setup!.appearance, options);
        draw();
      });
    }),
    consent: tell<boolean>('consent', (isGiven) => isGiven || chat || clear()), // the chat knows how, if it is there
  };
}
