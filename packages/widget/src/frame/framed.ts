import { h, styled } from '../shared/dom.ts';
import type { Chat, GetToken, Options, Shell } from '../shared/shell.ts';
import css from './framed.css';
import type { Hello, ToFrame, ToPage } from './port.ts';

// The chat behind a wall: the same one, in a frame on our own origin. Neither can reach into the other.

const pageUrl = () => location.origin + location.pathname;
type Call = Exclude<ToFrame, { token: unknown }>;

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
  /** As the page has set it since. */
  let { isConsentNeeded } = shell;
  let options: Options = setup.appearance;

  const place = ({ side, offsetX, offsetY, radius } = setup.appearance) => {
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
  const tell = (call: Call) => port.postMessage(call);
  const answerToken = async (id: number) => {
    const given = await Promise.resolve(getToken?.()).catch(() => null);
    port.postMessage({ token: typeof given === 'object' ? (given?.sessionToken ?? null) : (given ?? null), id });
  };
  /** So that the next page knows that it is worth loading the frame. */
  const mark = (isKept: boolean) => {
    const name = `cb:${botId}:framed`;
    try {
      if (isKept) localStorage.setItem(name, '1');
      else localStorage.removeItem(name);
    } catch {
      // Then every page waits until it is opened.
    }
  };

  dialog.addEventListener('cancel', (event) => event.preventDefault());
  styled(root, css);
  place();
  const isReady = new Promise<void>((ready, fail) => {
    const hear = ({ data }: MessageEvent<ToPage>) => {
      if ('isReady' in data) ready();
      else if ('event' in data) emit(data.event, data.detail);
      else if ('unread' in data) shell.unread(data.unread);
      else if ('focus' in data) shell.focusButton();
      else if ('askToken' in data) void answerToken(data.askToken);
      else if ('isKept' in data) mark(data.isKept);
      else {
        show(data.isOpen);
        shell.name(data.name, data.isOpen);
      }
    };
    // Also when the page has put us into another body: what is in a frame is then loaded anew, and knows nothing.
    frame.addEventListener('load', () => {
      const channel = new MessageChannel();
      const wasOpen = dialog.open;
      port = channel.port1;
      port.onmessage = hear;
      const hello: Hello = {
        parley: secret,
        locale: shell.locale,
        lang: document.documentElement.lang,
        isConsentNeeded,
        options,
        pageUrl: pageUrl(),
      };
      frame.contentWindow!.postMessage(hello, new URL(base).origin, [channel.port2]);
      if (getToken) tell({ call: 'identify', argument: true, pageUrl: pageUrl() });
      if (wasOpen) tell({ call: 'open', pageUrl: pageUrl() });
    });
    setTimeout(fail, 20_000, new Error('the frame did not respond'));
  });
  root.append(dialog);
  await isReady.catch((error: unknown) => {
    dialog.remove();
    throw error;
  });

  return {
    open: () => tell({ call: 'open', pageUrl: pageUrl() }),
    close: () => tell({ call: 'close', pageUrl: pageUrl() }),
    send: (text) => tell({ call: 'send', argument: text, pageUrl: pageUrl() }),
    identify(who) {
      getToken = who?.getToken;
      tell({ call: 'identify', argument: Boolean(who), pageUrl: pageUrl() });
    },
    reset() {
      getToken = undefined;
      tell({ call: 'reset', pageUrl: pageUrl() });
    },
    set(requested: Options) {
      options = { ...options, ...requested };
      place({ ...setup.appearance, ...options });
      tell({ call: 'set', argument: requested, pageUrl: pageUrl() });
    },
    consent(isGiven) {
      isConsentNeeded = !isGiven;
      tell({ call: 'consent', argument: isGiven, pageUrl: pageUrl() });
    },
    moved: () => {}, // its frame says so by loading
    destroy() {
      tell({ call: 'destroy', pageUrl: pageUrl() });
      port.close();
      dialog.remove();
    },
  };
}
