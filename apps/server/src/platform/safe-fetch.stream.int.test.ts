import { describe, expect, test, vi } from 'vitest';
import { httpClientFor, aTcpServer, aServer, failureOf } from '../../test/egress.ts';
import { createSafeFetch } from './safe-fetch.ts';
import { guardedFetch } from './safe-fetch-web.ts';

const here = ['127.0.0.1'];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The bytes that could be read, and how the stream ended. */
async function read(body: ReadableStream<Uint8Array>) {
  let text = '';
  const { failure } = await failureOf(
    (async () => {
      for await (const chunk of body) text += Buffer.from(chunk).toString();
    })(),
  );
  return { text, ending: failure === 'Error it did not fail' ? 'complete' : failure };
}

describe('stream', () => {
  test('delivers chunks as they arrive and reuses the connection', async () => {
    const isRead = Promise.withResolvers<void>();
    const server = await aServer((_request, response) => {
      response.write('one');
      void isRead.promise.then(() => {
        response.write('two');
        response.end('three');
      });
    });
    const { httpClient } = await httpClientFor({ 'slow.test': here });
    const url = `http://slow.test:${server.port}/`;
    const { status, body } = await httpClient.stream({ url });
    const reader = body.getReader();
    const first = await reader.read();
    expect([status, Buffer.from(first.value!).toString()]).toEqual([200, 'one']);
    isRead.resolve(); // the server sends the rest after this
    reader.releaseLock();
    expect(await read(body)).toEqual({ text: 'twothree', ending: 'complete' });
    await httpClient({ url });
    expect(server.connections).toBe(1);
  });

  test('delivers everything received before a reset, then fails', async () => {
    const { port } = await aTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
      socket.write('so far');
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const { httpClient } = await httpClientFor({ 'cut.test': here });
    const { body } = await httpClient.stream({ url: `http://cut.test:${port}/` });
    await pause(120); // the stream fails before the first read
    expect(await read(body)).toEqual({ text: 'so far', ending: 'EgressFailed reset body' });
  });

  test('fails at maxBytes and closes the connection', async () => {
    const { port, sockets } = await aServer((_request, response) => {
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(1000)));
      };
      response.on('drain', flood);
      flood();
    });
    const { httpClient } = await httpClientFor({ 'endless.test': here });
    const { body } = await httpClient.stream({ url: `http://endless.test:${port}/`, maxBytes: 1500 });
    expect(await read(body)).toEqual({ text: 'x'.repeat(1500), ending: 'EgressFailed too_large body' });
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test('applies back pressure to the sender while nothing is read, and times out', async () => {
    const block = Buffer.alloc(64 * 1024);
    let sent = 0;
    const { port, sockets } = await aServer((_request, response) => {
      const flood = () => {
        sent += block.length;
        if (!response.destroyed) response.write(block, flood);
      };
      flood();
    });
    const { httpClient } = await httpClientFor({ 'flood.test': here });
    const { body } = await httpClient.stream({
      url: `http://flood.test:${port}/`,
      maxBytes: 1e9,
      timeouts: { totalMs: 700 },
    });
    await pause(500);
    expect(sent).toBeLessThan(20_000_000); // the socket buffers
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    expect((await read(body)).ending).toBe('EgressFailed timeout body');
  });

  test.each(['signal', 'cancel'])('closes the connection immediately when the caller aborts (%s)', async (how) => {
    const { port, sockets } = await aServer((_request, response) => void response.write('started'));
    const { httpClient } = await httpClientFor({ 'hung.test': here });
    const caller = new AbortController();
    const { body } = await httpClient.stream({ url: `http://hung.test:${port}/`, signal: caller.signal });
    const reader = body.getReader();
    await reader.read();
    if (how === 'signal') caller.abort();
    else await reader.cancel();
    await vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: 10_000, interval: 10 });
    if (how === 'signal') expect((await failureOf(reader.read())).failure).toBe('EgressFailed aborted body');
  });

  test.each([
    ['http://plain.example.com/', 'EgressRefused scheme_not_allowed'],
    ['https://127.0.0.1/', 'EgressRefused ip_literal'],
    ['https://inward.test/', 'EgressRefused private_ip'],
  ])('refuses %s', async (url, failure) => {
    const { httpClient } = await httpClientFor({ 'inward.test': here }, { openHosts: [] });
    expect((await failureOf(httpClient.stream({ url }))).failure).toBe(failure);
    expect((await failureOf(guardedFetch(httpClient)(url))).failure).toBe(failure);
  });

  test('times out while waiting for headers', async () => {
    const { port } = await aServer(() => undefined);
    const { httpClient } = await httpClientFor({ 'mute.test': here });
    const request = httpClient.stream({ url: `http://mute.test:${port}/`, timeouts: { headersMs: 100 } });
    const { failure, tookMs } = await failureOf(request);
    expect(failure).toBe('EgressFailed timeout headers');
    expect(tookMs).toBeLessThan(2000);
  });
});

describe('guardedFetch', () => {
  test('sends method, headers and body, and returns a Response', async () => {
    const { port } = await aServer(({ method, headers, url }, response) => {
      response.writeHead(418, { 'x-b': 'c' }).end([method, url, headers['x-a']].join(' '));
    });
    const { httpClient } = await httpClientFor({ 'web.test': here });
    const response = await guardedFetch(httpClient)(new URL(`http://web.test:${port}/p`), {
      method: 'post',
      headers: new Headers({ 'x-a': 'b' }),
      body: 'text',
    });
    expect([response.status, response.ok, response.headers.get('x-b')]).toEqual([418, false, 'c']);
    expect(await response.text()).toBe('POST /p b');
  });

  test('does not follow redirects', async () => {
    const target = await aServer((_request, response) => response.end());
    const location = `http://target.test:${target.port}/`;
    const { port } = await aServer((_request, response) => response.writeHead(307, { location }).end());
    const { httpClient } = await httpClientFor({ 'moved.test': here, 'target.test': here });
    const response = await guardedFetch(httpClient)(`http://moved.test:${port}/`);
    expect([response.status, response.headers.get('location'), target.connections]).toEqual([307, location, 0]);
  });

  test('returns a response without a body', async () => {
    const { port } = await aServer((_request, response) => response.writeHead(204).end());
    const { httpClient } = await httpClientFor({ 'empty.test': here });
    const response = await guardedFetch(httpClient)(`http://empty.test:${port}/`);
    expect([response.status, response.body]).toEqual([204, null]);
  });

  test('fails for an invalid HTTP status', async () => {
    const { port } = await aTcpServer((socket) => socket.end('HTTP/1.1 799 Odd\r\ncontent-length: 0\r\n\r\n'));
    const { httpClient } = await httpClientFor({ 'odd.test': here });
    const request = guardedFetch(httpClient)(`http://odd.test:${port}/`);
    expect((await failureOf(request)).failure).toBe('EgressFailed bad_response body');
  });

  test.each([
    ['a Request', new Request('https://a.example.com'), {}],
    ['a stream as body', 'https://a.example.com', { method: 'POST', body: new ReadableStream() }],
    ['bytes as body', 'https://a.example.com', { method: 'POST', body: new Uint8Array(1) }],
    ['another option', 'https://a.example.com', { redirect: 'follow' as const }],
    ['another method', 'https://a.example.com', { method: 'CONNECT' }],
    ['a dispatcher', 'https://a.example.com', { dispatcher: {} }],
  ])('refuses %s', async (_what, input, init) => {
    const httpClient = createSafeFetch({ openHosts: [], ownHosts: [] });
    expect((await failureOf(guardedFetch(httpClient)(input, init as RequestInit))).failure).toBe(
      'EgressRefused invalid_request',
    );
  });
});
