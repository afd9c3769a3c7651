import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A site of the customer on its own origin, into which they paste the snippet. */
export async function customerSite() {
  let snippet = '';
  const help =
    '<article><h1>Returns</h1><p>You can send anything back within 30 days. We refund the whole price within five working days after it has arrived.</p><h2>Delivery</h2><p>Delivery takes two to four working days and costs four euros ninety.</p></article>';
  const server = createServer((request, response) => {
    const body = request.url === '/help' ? help : `<h1>Our shop</h1>${snippet}`;
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(`<!doctype html><html lang="en"><title>Shop</title><body>${body}</body></html>`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { url, paste: (line: string) => (snippet = line) };
}
