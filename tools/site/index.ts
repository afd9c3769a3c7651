import { createServer } from 'node:http';
import { page, type Chat } from './page.ts';

/** A page of a made-up shop that the demo's bot allows: to chat with it, and to read how little the chat takes. */
export async function startSite({ port, ...chat }: Chat & { port: number }) {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/') return void response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      .end(page(chat));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${port}`,
    stop: () => new Promise<void>((done) => (server.closeAllConnections(), server.close(() => done()))),
  };
}
