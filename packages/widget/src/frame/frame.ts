import { mount } from '../chat/chat.ts';
import launcherCss from '../launcher/launcher.css';
import { loadModule } from '../launcher/load.ts';
import { h, styled } from '../shared/dom.ts';
import type { Setup } from '../shared/wire.ts';
import type { Hello, FrameMessage, PageMessage } from './port.ts';

// Runs inside the iframe. Accepts the channel only from the embedding page, which knows the secret in our URL.

async function start(hello: Hello, port: MessagePort) {
  const post = (message: PageMessage) => port.postMessage(message);
  const setup = JSON.parse(document.getElementById('setup')!.textContent) as Setup;
  const script = document.querySelector<HTMLScriptElement>('script[type=module]')!;
  const pendingTokens = new Map<number, { resolve(token: string): void; reject(): void }>();
  let { pageUrl } = hello;
  const getToken = () =>
    new Promise<string>((resolve, reject) => {
      const id = Math.random();
      pendingTokens.set(id, { resolve, reject: () => reject(new Error('the page provided no token')) });
      post({ askToken: id });
    });

  document.documentElement.lang = hello.lang;
  Object.assign(setup.appearance, hello.options);
  const host = document.body.appendChild(h('div'));
  const hasStored = () => {
    try {
      return Object.keys(localStorage).some((key) => key.startsWith(`cb:${setup.botId}:`));
    } catch {
      return false;
    }
  };
  const root = host.attachShadow({ mode: 'open' });
  styled(root, launcherCss); // icon styles
  const base = new URL('.', script.src).href;
  const chat = await mount({
    root,
    setup,
    load: (name, hashes) => loadModule(base, name, hashes, script.nonce),
    botId: setup.botId,
    publicKey: new URLSearchParams(location.search).get('key') ?? '',
    base,
    isConsentNeeded: hello.isConsentNeeded,
    locale: hello.locale,
    pageUrl: () => pageUrl,
    emit: (event, detail) => {
      post({ event, detail });
      post({ isKept: hasStored() });
    },
    unread: (count) => post({ unread: count }),
    name: (name, isOpen) => post({ name, isOpen }),
    focusButton: () => post({ focus: true }),
    onErased: () => post({ isErased: true }),
  });
  port.onmessage = ({ data }: MessageEvent<FrameMessage>) => {
    if ('token' in data) {
      const pending = pendingTokens.get(data.id);
      pendingTokens.delete(data.id);
      if (data.token === null) pending?.reject();
      else pending?.resolve(data.token);
      return;
    }
    pageUrl = data.pageUrl;
    if (data.call === 'identify') chat.identify(data.argument ? { getToken } : null);
    else if (data.call === 'send') chat.send(data.argument);
    else if (data.call === 'set') chat.set(data.argument);
    else if (data.call === 'consent') chat.consent(data.argument);
    else chat[data.call]();
    post({ isKept: hasStored() });
  };
  post({ isReady: true });
}

const onHello = ({ source, data, ports }: MessageEvent<Hello | undefined>) => {
  if (source !== parent || source === window || !ports[0] || data?.parley !== location.hash.slice(1)) return;
  removeEventListener('message', onHello);
  void start(data, ports[0]);
};
addEventListener('message', onHello);
