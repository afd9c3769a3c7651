import { mount } from '../chat/chat.ts';
import launcherCss from '../launcher/launcher.css';
import { h, styled } from '../shared/dom.ts';
import type { Setup } from '../shared/wire.ts';
import type { Hello, ToFrame, ToPage } from './port.ts';

// Inside the frame. It speaks with whoever holds the other end of the channel, and that is the page that knows our address.

async function start(hello: Hello, port: MessagePort) {
  const tell = (message: ToPage) => port.postMessage(message);
  const setup = JSON.parse(document.getElementById('setup')!.textContent) as Setup;
  const script = document.querySelector<HTMLScriptElement>('script[type=module]')!;
  const asking = new Map<number, { resolve(token: string): void; reject(): void }>();
  let { pageUrl } = hello;
  const getToken = () =>
    new Promise<string>((resolve, reject) => {
      const id = Math.random();
      asking.set(id, { resolve, reject: () => reject(new Error('the page provided no token')) });
      tell({ askToken: id });
    });

  document.documentElement.lang = hello.lang;
  Object.assign(setup.appearance, hello.options);
  const host = document.body.appendChild(h('div'));
  const isKept = () => {
    try {
      return Object.keys(localStorage).some((key) => key.startsWith(`cb:${setup.botId}:`));
    } catch {
      return false;
    }
  };
  const root = host.attachShadow({ mode: 'open' });
  styled(root, launcherCss); // how icons are drawn
  const chat = await mount({
    root,
    setup,
    botId: setup.botId,
    publicKey: new URLSearchParams(location.search).get('key') ?? '',
    base: new URL('.', script.src).href,
    isConsentNeeded: hello.isConsentNeeded,
    locale: hello.locale,
    pageUrl: () => pageUrl,
    emit: (event, detail) => {
      tell({ event, detail });
      tell({ isKept: isKept() });
    },
    unread: (count) => tell({ unread: count }),
    name: (name, isOpen) => tell({ name, isOpen }),
    focusButton: () => tell({ focus: true }),
  });
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if ('token' in data) {
      const asked = asking.get(data.id);
      asking.delete(data.id);
      if (data.token === null) asked?.reject();
      else asked?.resolve(data.token);
      return;
    }
    pageUrl = data.pageUrl;
    if (data.call === 'identify') chat.identify(data.argument ? { getToken } : null);
    else if (data.call === 'send') chat.send(data.argument);
    else if (data.call === 'set') chat.set(data.argument);
    else if (data.call === 'consent') chat.consent(data.argument);
    else chat[data.call]();
    tell({ isKept: isKept() });
  };
  tell({ isReady: true });
}

const hear = ({ source, data, ports }: MessageEvent<Hello | undefined>) => {
  if (source !== parent || source === window || !ports[0] || data?.parley !== location.hash.slice(1)) return;
  removeEventListener('message', hear);
  void start(data, ports[0]);
};
addEventListener('message', hear);
