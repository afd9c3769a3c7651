import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
export type SitePage = string | { status?: number; headers?: Record<string, string>; body?: string | Buffer } | Handler;

/** An HTML page about one topic, identified by its sentence. */
export const page = (title: string, sentence: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>Menu Home Shop</nav><main><h1>${title}</h1>
  <p>${sentence} Everybody who asks about ${title} gets this answer from the people who work here every day.</p></main></body></html>`;

/** A local website over plain HTTP. Its pages can be changed, delayed and removed. */
export async function aSite(pages: Record<string, SitePage> = {}) {
  const site = new Map(Object.entries(pages));
  const requests: string[] = [];
  const state = { delayMs: 0, max: 0, open: 0 };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    requests.push(path);
    state.max = Math.max(state.max, ++state.open);
    response.once('close', () => state.open--);
    await sleep(path === '/robots.txt' ? 0 : state.delayMs);
    const found = site.get(path);
    if (typeof found === 'function') return found(request, response);
    const {
      status = 200,
      headers = {},
      body = '',
    } = found === undefined ? { status: 404 } : typeof found === 'string' ? { body: found } : found;
    response.writeHead(status, { 'content-type': path.endsWith('.xml') ? 'application/xml' : 'text/html', ...headers });
    response.end(body);
  };
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    pages: site,
    requests,
    state,
    /** A sitemap of these pages. */
    sitemapOf: (paths: readonly string[]) =>
      `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
        .map((path) => `<url><loc>http://${host}${path}</loc></url>`)
        .join('')}</urlset>`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
export type Site = Awaited<ReturnType<typeof aSite>>;
