// A made-up shop with the widget on its pages: to try it, and to test it in difficult surroundings.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { strictPage } from './csp.ts';
import { configuratorPage, helpPage, robotsText, sitemapXml } from './help.ts';
import { hostilePage } from './hostile.ts';
import { html, type Html } from './html.ts';
import { page, type Shop } from './layout.ts';
import { barePage, consentPage, framePage, plainPage, rightToLeftPage, twoPage } from './pages.ts';
import { sessionFor, type Backend } from './session.ts';
import { signedInPage } from './signed-in.ts';
import { isRoute, singlePage } from './spa.ts';

const pages = new Map([
  ['/', plainPage],
  ['/bare', barePage],
  ['/hostile', hostilePage],
  ['/frame', framePage],
  ['/two', twoPage],
  ['/consent', consentPage],
  ['/rtl', rightToLeftPage],
  ['/signed-in', signedInPage],
]);
const maxReports = 100;
const maxBytes = 64 * 1_024;

export async function startSite({ port, identify, ...shop }: Shop & { port: number; identify?: Backend }) {
  const url = `http://localhost:${port}`;
  /** Reports of policy violations. The newest come last. */
  const reports: unknown[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestUrl = URL.parse(request.url ?? '/', url);
    const path = requestUrl?.pathname ?? '';
    if (request.method === 'POST' && path === '/reports') {
      const report = await readJson(request);
      if (report === undefined) return void response.writeHead(400).end();
      reports.push(report);
      reports.splice(0, reports.length - maxReports);
      return void response.writeHead(204).end();
    }
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end();
    if (path === '/favicon.ico') return void response.writeHead(204).end(); // requested where a page may not declare one
    if (path === '/robots.txt') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(robotsText);
    if (path === '/sitemap.xml')
      return void response.writeHead(200, { 'content-type': 'application/xml' }).end(sitemapXml(url));
    if (path === '/help/configurator') return sendPage(response, 200, configuratorPage);
    if (path === '/reports') return sendJson(response, 200, reports);
    if (path === '/session') {
      const { status, body } = await sessionFor(requestUrl?.searchParams.get('user') ?? '', shop, identify);
      return sendJson(response, status, body);
    }
    if (path === '/csp') {
      const { body, headers } = strictPage(shop);
      return sendPage(response, 200, body, headers);
    }
    if (isRoute(path)) return sendPage(response, 200, singlePage(shop, path));
    const found = pages.get(path)?.(shop) ?? helpPage(path, shop);
    return found ? sendPage(response, 200, found) : sendPage(response, 404, missingPage());
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url,
    stop: () => new Promise<void>((done) => (server.closeAllConnections(), server.close(() => done()))),
  };
}

const missingPage = () =>
  page({
    path: '',
    title: 'Page not found',
    embeds: [],
    main: html`<h1>Page not found</h1>
      <p>This shop has no page at that URL.</p>`,
  });

const sendPage = (response: ServerResponse, status: number, { markup }: Html, headers: Record<string, string> = {}) =>
  void response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers })
    .end(markup);

const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  void response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body, null, 2));

/** Undefined if it is too long or not JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxBytes) return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
