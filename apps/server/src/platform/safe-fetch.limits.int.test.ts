import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { httpClientFor, aTcpServer, aServer, onCleanup, failureOf, listening } from '../../test/egress.ts';

const timeouts = { dnsMs: 100, connectMs: 100, headersMs: 100, totalMs: 5000 };
const here = ['127.0.0.1'];

describe('timeouts', () => {
  test('DNS: times out without delaying other lookups or leaking sockets', async () => {
    const { port } = await aServer((_request, response) => response.end('ok'));
    const { httpClient } = await httpClientFor({ 'mute.test': 'silence', 'good.test': here });
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    const hung = Array.from({ length: 20 }, () => failureOf(httpClient({ url: 'http://mute.test/', timeouts })));
    expect((await httpClient({ url: `http://good.test:${port}/`, timeouts })).status).toBe(200);
    for (const { failure, tookMs } of await Promise.all(hung)) {
      expect(failure).toBe('EgressFailed timeout dns');
      expect(tookMs).toBeLessThan(2000);
    }
    await vi.waitFor(() => expect(openFiles()).toBeLessThan(before + 10));
  });

  test('connect: times out without leaking sockets', async () => {
    const port = await aFullServer();
    const { httpClient } = await httpClientFor({ 'full.test': here });
    const tcpSockets = () =>
      process.getActiveResourcesInfo().filter((kind) => /TCP(Socket|Connect)Wrap/.test(kind)).length;
    const before = tcpSockets();
    const { failure, tookMs } = await failureOf(httpClient({ url: `http://full.test:${port}/`, timeouts }));
    expect(failure).toBe('EgressFailed timeout connect');
    expect(tookMs).toBeLessThan(2000);
    await vi.waitFor(() => expect(tcpSockets()).toBe(before));
  });

  test('connect: times out when the TLS handshake does not start', async () => {
    const { port, sockets } = await listening(createServer((socket) => void socket.resume()));
    const { httpClient } = await httpClientFor({ 'mute.test': here });
    const { failure, tookMs } = await failureOf(httpClient({ url: `https://mute.test:${port}/`, timeouts }));
    expect(failure).toBe('EgressFailed timeout connect');
    expect(tookMs).toBeLessThan(2000);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test.each([
    ['arrive slowly', 'HTTP/1.1 200 OK\r\n', 'x-more: 1\r\n'],
    ['follow endless interim responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('headers: times out when they %s', async (_what, first, again) => {
    const { port, sockets } = await aTcpServer((socket) => {
      socket.write(first);
      const drip = setInterval(() => socket.write(again), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const { httpClient } = await httpClientFor({ 'slow.test': here });
    const { failure, tookMs } = await failureOf(httpClient({ url: `http://slow.test:${port}/`, timeouts }));
    expect(failure).toBe('EgressFailed timeout headers');
    expect(tookMs).toBeLessThan(2000);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test('body: times out when it arrives slowly', async () => {
    const { port, sockets } = await aServer((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const { httpClient } = await httpClientFor({ 'slow.test': here });
    const request = httpClient({ url: `http://slow.test:${port}/`, timeouts: { ...timeouts, totalMs: 300 } });
    const { failure, tookMs } = await failureOf(request);
    expect(failure).toBe('EgressFailed timeout body');
    expect(tookMs).toBeLessThan(2000);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test('fails immediately when the caller aborts', async () => {
    const { port, sockets } = await aServer(() => undefined);
    const { httpClient } = await httpClientFor({ 'slow.test': here });
    const caller = new AbortController();
    const call = () => failureOf(httpClient({ url: `http://slow.test:${port}/`, signal: caller.signal }));
    const running = call();
    await vi.waitFor(() => expect(sockets.size).toBe(1));
    caller.abort();
    expect((await running).failure).toBe('EgressFailed aborted headers');
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    expect((await call()).failure).toBe('EgressFailed aborted dns');
  });
});

describe('response', () => {
  test('is truncated at maxBytes and its connection closed, even if it never ends', async () => {
    const { port, sockets } = await aServer((_request, response) => {
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x')));
      };
      response.on('drain', flood);
      flood();
    });
    const { httpClient } = await httpClientFor({ 'endless.test': here });
    const { body, truncated } = await httpClient({ url: `http://endless.test:${port}/`, maxBytes: 1000 });
    expect([body.toString(), truncated]).toEqual(['x'.repeat(1000), true]);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test.each([
    [65_536, false],
    [65_537, true],
  ])('of %i bytes with the default limit is truncated: %s', async (size, truncated) => {
    const { port } = await aServer((_request, response) => response.end(Buffer.alloc(size)));
    const { httpClient } = await httpClientFor({ 'exact.test': here });
    const response = await httpClient({ url: `http://exact.test:${port}/` });
    expect([response.body.length, response.truncated]).toEqual([65_536, truncated]);
  });

  test('stays compressed, and compression is not requested', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { port } = await aServer(({ headers }, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'x-asked': headers['accept-encoding'] ?? '' }).end(bomb);
    });
    const { httpClient } = await httpClientFor({ 'bomb.test': here });
    const { body, headers } = await httpClient({ url: `http://bomb.test:${port}/` });
    expect([body.equals(bomb), headers['x-asked']]).toEqual([true, 'identity']);
  });

  test('fails when its headers are too large', async () => {
    const { port } = await aTcpServer((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write(`x-header: ${'x'.repeat(100)}\r\n`));
      };
      socket.on('drain', flood).write('HTTP/1.1 200 OK\r\n');
      flood();
    });
    const { httpClient } = await httpClientFor({ 'endless.test': here });
    const { failure } = await failureOf(httpClient({ url: `http://endless.test:${port}/` }));
    expect(failure).toBe('EgressFailed headers_too_large headers');
  });

  test.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'bad_response headers'],
    [
      'has two content lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'bad_response headers',
    ],
    ['ends early', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab', 'reset body'],
    ['is missing', '', 'reset headers'],
  ])('fails when it %s', async (_what, bytes, failure) => {
    const { port } = await aTcpServer((socket) => socket.end(bytes));
    const { httpClient } = await httpClientFor({ 'odd.test': here });
    expect((await failureOf(httpClient({ url: `http://odd.test:${port}/` }))).failure).toBe(`EgressFailed ${failure}`);
  });

  test('with status 302 is returned, and its location is not requested', async () => {
    const target = await aServer((_request, response) => response.end());
    const location = `http://target.test:${target.port}/`;
    const { port } = await aServer((_request, response) => response.writeHead(302, { location }).end());
    const { httpClient } = await httpClientFor({ 'moved.test': here, 'target.test': here });
    const response = await httpClient({ url: `http://moved.test:${port}/` });
    expect([response.status, response.headers['location'], target.connections]).toEqual([302, location, 0]);
    await httpClient({ url: location });
    expect(target.connections).toBe(1);
  });
});

/** Listens, but its thread sleeps: the kernel completes two connections and leaves the others in the queue. */
async function aFullServer(): Promise<number> {
  const worker = new Worker(
    `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:worker_threads').parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true },
  );
  onCleanup(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  onCleanup(() => fillers.forEach((socket) => socket.destroy()));
  await vi.waitFor(() => expect(fillers.filter((socket) => !socket.connecting).length).toBe(2));
  return port;
}
