import type { BrowserContext, Page } from 'playwright-core';
import type { WidgetSite } from './fixture.ts';

// Monitors a page for scripts, requests, elements and changes that a harmless conversation would not cause.

/** Injected before our script: records what payloads do, and checks every node when it is added. */
const watcher = `(() => {
  const hits = [];
  const shapes = new Set();
  const hit = (what) => void (hits.length < 50 && hits.push(String(what).slice(0, 300)));
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
    window[name] = (...args) => hit(name + ' ' + args);
  Object.defineProperty(window, '__xss', { set: () => hit('__xss was set'), get: () => undefined });
  addEventListener('message', ({ data }) => hit('message ' + JSON.stringify(data)));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    hit('policy ' + violatedDirective + ' ' + blockedURI + ' ' + sample));

  const protocols = ['http:', 'https:', 'mailto:', 'tel:'];
  const look = (node, where, isDeep = true) => {
    if (node.nodeType !== 1) return;
    const name = where + node.localName;
    shapes.add(name);
    for (const attribute of name === 'script' ? [] : node.attributes) {
      shapes.add(name + '@' + attribute.name);
      if (/^on/i.test(attribute.name)) hit(name + ' ' + attribute.name + '=' + attribute.value);
    }
    if (where && node.localName === 'a') {
      if (!protocols.includes(node.protocol) && !node.download) hit('link ' + node.href);
      if (!node.download && (node.target !== '_blank' || !/noreferrer/.test(node.rel))) hit('rel ' + node.href);
    }
    if (isDeep) for (const child of node.childNodes) look(child, where);
    if (node.localName === 'parley-chat' && !where && !watched.has(node)) {
      watched.add(node);
      observer.observe(node.shadowRoot, options);
      for (const child of node.shadowRoot.childNodes) look(child, '#');
    }
  };
  const watched = new Set();
  const options = { childList: true, subtree: true, attributes: true };
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      const where = target.getRootNode() instanceof ShadowRoot ? '#' : '';
      look(target, where, false);
      for (const node of addedNodes) look(node, where);
    }
  });
  observer.observe(document, options);

  const guarded = () => ({ window, document, Object: Object.prototype, Array: Array.prototype, String: String.prototype,
    Function: Function.prototype, Promise: Promise.prototype, Element: Element.prototype, Node: Node.prototype,
    HTMLElement: HTMLElement.prototype, EventTarget: EventTarget.prototype, Document: Document.prototype,
    ShadowRoot: ShadowRoot.prototype, History: History.prototype, Storage: Storage.prototype,
    XMLHttpRequest: XMLHttpRequest.prototype, CSSStyleSheet: CSSStyleSheet.prototype, JSON, Math, Reflect });
  const take = () => new Map(Object.entries(guarded()).flatMap(([name, object]) =>
    Reflect.ownKeys(object).map((key) => {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
      return [name + '.' + String(key), [typeof value === 'function' ? value : 0, get, set]];
    })));
  window.__watch = {
    hits,
    /** Globals of the page that changed. */
    changes() {
      const after = take();
      const isSame = (name) => before.get(name)?.every((part, at) => part === after.get(name)?.[at]);
      const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !isSame(name));
      return [...names.filter((name) => name !== 'window.Chatbot'), ...(window.onmessage ? ['onmessage'] : [])];
    },
    /** All elements and attributes ever present; also checks computed styles. */
    async shapes() {
      for (const host of document.querySelectorAll('parley-chat')) {
        look(host, '');
        for (const node of [host, ...host.shadowRoot.querySelectorAll('*')]) {
          const { backgroundImage, cursor, listStyleImage } = getComputedStyle(node);
          if (/url/.test(backgroundImage + cursor + listStyleImage)) hit('style of ' + node.localName + backgroundImage);
        }
      }
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      if (document.title !== 'Shop') hit('title ' + document.title);
      if (document.cookie) hit('cookie ' + document.cookie);
      return [...shapes];
    },
  };
  const before = take();
})()`;

/** A value as a script expression. */
export const literal = (value: unknown) => JSON.stringify(value);

export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Opens a page of the tenant with this content. */
  visit(inside?: string): Promise<void>;
  /** The same, with the widget. */
  embed(attributes?: string): Promise<void>;
  /** Runs an expression in the page. */
  run<T = unknown>(expression: string): Promise<T>;
  /** Everything that must not happen. */
  findings(): Promise<string[]>;
  /** Every element and attribute ever present. */
  shapes(): Promise<string[]>;
  errors: string[];
}

export const nonce = 'r4nd0m';
/** The strictest CSP that still allows the chat. */
export const strictPolicy = (apiUrl: string, scripts = `'nonce-${nonce}' 'strict-dynamic'`) =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    `connect-src ${apiUrl}`,
    "style-src 'none'",
    "img-src 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** A page without an icon link, which the browser would report as a CSP violation. */
export const plainHtml = (inside = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body><h1>Shop</h1>${inside}</body></html>`;

/** A browser context whose pages are monitored from the start. Requests to other hosts are blocked. */
export async function watch(site: WidgetSite, policy?: string): Promise<Watched> {
  const context = await site.newContext();
  const strays: string[] = [];
  const errors: string[] = [];
  const isOurs = (url: URL) => [site.apiUrl, site.site.url].includes(url.origin);
  await context.addInitScript(watcher);
  await context.route(
    (url) => !isOurs(url),
    (route) => route.abort(),
  );
  context.on('request', (request) => {
    const kind = request.resourceType();
    if (!isOurs(new URL(request.url())) || ['image', 'media', 'font', 'stylesheet', 'ping'].includes(kind))
      strays.push(`${kind} ${request.url()}`.slice(0, 200));
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  page.on('dialog', (dialog) => {
    strays.push(`dialog ${dialog.type()}`);
    void dialog.dismiss();
  });
  const run = <T>(expression: string) => page.evaluate<T>(expression);
  const visit = async (inside?: string) => {
    const headers = policy === undefined ? undefined : { 'content-security-policy': policy };
    site.site.pages.set('/watched', { html: plainHtml(inside), ...(headers && { headers }) });
    await page.goto(`${site.site.url}/watched`);
  };

  return {
    page,
    context,
    run,
    errors,
    visit,
    embed: (attributes = '') => visit(site.embed(`nonce="${nonce}" ${attributes}`)),
    shapes: () => run<string[]>('__watch.shapes()'),
    findings: async () => {
      await run('__watch.shapes()');
      const found = await run<string[]>('[...__watch.hits, ...__watch.changes().map((name) => "changed " + name)]');
      const cookies = await context.cookies();
      return [...found, ...strays, ...cookies.map(({ name }) => `cookie ${name}`)];
    },
  };
}
