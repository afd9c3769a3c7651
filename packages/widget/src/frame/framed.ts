import { h, styled } from '../shared/dom.ts';
import type { Chat, GetToken, Options, Shell } from '../shared/shell.ts';
import badgeCss from '../shared/badge.css';
import css from './framed.css';
import { createRefresh } from '../shared/availability.ts';
import type { Hello, FrameMessage, PageMessage } from './port.ts';

// Isolated mode: the same chat in an iframe on our own origin. Neither side can access the other.

const pageUrl = () => location.origin + location.pathname;
type Call = Exclude<FrameMessage, { token: unknown }>;

export async function mount(shell: Shell): Promise<Chat> {
  const { base, botId, publicKey, root, setup, emit } = shell;
  const secret = crypto.randomUUID();
  const frame = h('iframe', {
    src: `${base}frame/${botId}?key=${publicKey}&v=${BUILD.version}#${secret}`,
    title: setup.title || 'Chat',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads',
    referrerpolicy: 'no-referrer',
  });
  const dialog = h('dialog', { part: 'panel', 'aria-label': setup.title || 'Chat' }, frame);
  let port: MessagePort;
  let getToken: GetToken | undefined;
  /** Updated when the page calls `consent`. */
  let { isConsentNeeded } = shell;
  let options: Options = setup.appearance;

  const applyPosition = ({ side, offsetX, offsetY, radius } = setup.appearance) => {
    dialog.classList.toggle('left', side === 'left');
    const values = { x: offsetX, y: offsetY, radius };
    for (const [name, value] of Object.entries(values)) dialog.style.setProperty(`--${name}`, `${value}px`);
  };
  const show = (isOpen: boolean) => {
    if (isOpen === dialog.open) return;
    if (!isOpen) return dialog.close();
    if (matchMedia('(max-width: 480px), (max-height: 480px)').matches) dialog.showModal();
    else dialog.show();
    frame.focus();
  };
  const post = (call: Call) => port.postMessage(call);
  const sendToken = async (id: number) => {
    const provided = await Promise.resolve(getToken?.()).catch(() => null);
    port.postMessage({
      token: typeof provided === 'object' ? (provided?.sessionToken ?? null) : (provided ?? null),
      id,
    });
  };
  /** Removes what proactive messages have stored on this page. */
  const clearRecord = () => {
    try {
      localStorage.removeItem(`cb:${botId}`);
    } catch {
      // Without storage, there is nothing to remove.
    }
  };
  /** A page may be open for hours. Only requests from another origin, such as this page, get the configuration. */
  const refresh = createRefresh(shell, (availability) =>
    post({ call: 'set', argument: { availability } as Options, pageUrl: pageUrl() }),
  );
  /** Tells the next page whether to load the frame for a returning visitor. */
  const storeHint = (isKept: boolean) => {
    const name = `cb:${botId}:framed`;
    try {
      if (isKept) localStorage.setItem(name, '1');
      else localStorage.removeItem(name);
    } catch {
      // Without storage, the frame is loaded only when opened.
    }
  };

  dialog.addEventListener('cancel', (event) => event.preventDefault());
  styled(root, css + badgeCss);
  applyPosition();
  const isReady = new Promise<void>((ready, fail) => {
    const onMessage = ({ data }: MessageEvent<PageMessage>) => {
      if ('isReady' in data) ready();
      else if ('event' in data) emit(data.event, data.detail);
      else if ('unread' in data) shell.unread(data.unread);
      else if ('focus' in data) root.querySelector('button')!.focus();
      else if ('askToken' in data) void sendToken(data.askToken);
      else if ('isKept' in data) storeHint(data.isKept);
      else if ('isErased' in data) clearRecord();
      else {
        show(data.isOpen);
        shell.name(data.name, data.isOpen);
      }
    };
    // Also fires after a move to another body, which reloads the iframe without its state.
    frame.addEventListener('load', () => {
      const channel = new MessageChannel();
      const wasOpen = dialog.open;
      port = channel.port1;
      port.onmessage = onMessage;
      const hello: Hello = {
        parley: secret,
        locale: shell.locale,
        lang: document.documentElement.lang,
        isConsentNeeded,
        options,
        pageUrl: pageUrl(),
      };
      frame.contentWindow!.postMessage(hello, new URL(base).origin, [channel.port2]);
      if (getToken) post({ call: 'identify', argument: true, pageUrl: pageUrl() });
      if (wasOpen) post({ call: 'open', pageUrl: pageUrl() });
    });
    setTimeout(fail, 20_000, new Error('the frame did not respond'));
  });
  root.append(dialog);
  await isReady.catch((error: unknown) => {
    dialog.remove();
    throw error;
  });

  return {
    open() {
      post({ call: 'open', pageUrl: pageUrl() });
      if (setup.availability) refresh();
    },
    close: () => post({ call: 'close', pageUrl: pageUrl() }),
    send: (text) => post({ call: 'send', argument: text, pageUrl: pageUrl() }),
    identify(user) {
      getToken = user?.getToken;
      post({ call: 'identify', argument: Boolean(user), pageUrl: pageUrl() });
    },
    reset() {
      getToken = undefined;
      post({ call: 'reset', pageUrl: pageUrl() });
    },
    set(requested: Options) {
      options = { ...options, ...requested };
      applyPosition({ ...setup.appearance, ...options });
      post({ call: 'set', argument: requested, pageUrl: pageUrl() });
    },
    consent(isGiven) {
      isConsentNeeded = !isGiven;
      if (!isGiven) clearRecord();
      post({ call: 'consent', argument: isGiven, pageUrl: pageUrl() });
    },
    moved: () => {}, // the iframe's load event covers it
    destroy() {
      post({ call: 'destroy', pageUrl: pageUrl() });
      port.close();
      dialog.remove();
    },
  };
}
