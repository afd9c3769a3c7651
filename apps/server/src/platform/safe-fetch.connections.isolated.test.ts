import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type * as net from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import { httpClientFor, aServer, failureOf, listening } from '../../test/egress.ts';
import { createSafeFetch } from './safe-fetch.ts';

const ok = () => aServer((_request, response) => response.end('ok'));
const here = ['127.0.0.1'];

describe('DNS lookup', () => {
  test('runs once per request, and the request connects to the IP address it returned', async () => {
    const { port } = await ok();
    const otherServer = await aServer((_request, response) => response.end('wrong'), '127.0.0.2', port);
    const { httpClient, dns } = await httpClientFor({
      'flips.test': (nth) => [nth === 0 ? '127.0.0.1' : '127.0.0.2'],
    });
    const response = await httpClient({ url: `http://flips.test:${port}/` });
    expect([response.body.toString(), response.remoteAddress, otherServer.connections]).toEqual(['ok', '127.0.0.1', 0]);
    expect(dns.queries.toSorted()).toEqual(['A flips.test', 'AAAA flips.test']);
  });

  test.each([
    ['does not know the name', undefined],
    ['returns no IP address', []],
    ['fails', 'servfail' as const],
  ])('refuses the request when DNS %s', async (_what, answer) => {
    const { httpClient } = await httpClientFor(answer === undefined ? {} : { 'gone.test': answer }, {
      openHosts: ['gone.test'],
    });
    expect((await failureOf(httpClient({ url: 'http://gone.test/' }))).failure).toBe('EgressRefused dns_failed');
  });

  test('with several IP addresses connects to the first that accepts', async () => {
    const { port } = await ok();
    const { httpClient } = await httpClientFor({ 'two.test': ['127.0.0.3', '127.0.0.1'] });
    expect((await httpClient({ url: `http://two.test:${port}/` })).remoteAddress).toBe('127.0.0.1');
    expect((await failureOf(httpClient({ url: `http://two.test:1/` }))).failure).toBe(
      'EgressFailed connect_failed connect',
    );
  });
});

describe('connection', () => {
  afterEach(() => {
    vi.doUnmock('node:net');
    vi.resetModules();
  });

  test('is reused by the next request, which resolves the name again', async () => {
    const server = await ok();
    const { httpClient, dns } = await httpClientFor({ 'kept.test': here });
    const url = `http://kept.test:${server.port}/`;
    const [first, second] = [await httpClient({ url }), await httpClient({ url })];
    expect(server.connections).toBe(1);
    expect(dns.queries.length).toBe(4);
    expect(first.timings.connectMs).toBeGreaterThan(0);
    expect(second.timings).toMatchObject({ connectMs: 0, tlsMs: 0 });
    expect(second.timings.totalMs).toBeGreaterThanOrEqual(second.timings.dnsMs + second.timings.firstByteMs);
  });

  test('is not reused once the name resolves to another IP address', async () => {
    const before = await ok();
    const after = await aServer((_request, response) => response.end('moved'), '127.0.0.2', before.port);
    const { httpClient } = await httpClientFor({
      'moves.test': (nth) => [nth === 0 ? '127.0.0.1' : '127.0.0.2'],
    });
    const url = `http://moves.test:${before.port}/`;
    expect((await httpClient({ url })).body.toString()).toBe('ok');
    expect((await httpClient({ url })).body.toString()).toBe('moved');
    expect([before.connections, after.connections]).toEqual([1, 1]);
  });

  test('is not reused after one minute', async () => {
    const server = await ok();
    const { httpClient } = await httpClientFor({ 'old.test': here });
    const url = `http://old.test:${server.port}/`;
    await httpClient({ url });
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    await httpClient({ url }).finally(() => later.mockRestore());
    expect(server.connections).toBe(2);
    await vi.waitFor(() => expect(server.sockets.size).toBe(1));
  });

  test('serves one request at a time, so that a slow request delays no other', async () => {
    const server = await aServer(({ url }, response) => void (url === '/slow' || response.end('ok')));
    const { httpClient } = await httpClientFor({ 'busy.test': here });
    const ended: string[] = [];
    const call = (path: string) =>
      failureOf(httpClient({ url: `http://busy.test:${server.port}${path}`, timeouts: { headersMs: 500 } }));
    await Promise.all(['/slow', '/quick'].map((path) => call(path).finally(() => ended.push(path))));
    expect(ended).toEqual(['/quick', '/slow']);
  });

  test('pool keeps at most 1,000 idle connections, until the client closes', async () => {
    const server = await ok();
    const hosts = Array.from({ length: 1_020 }, (_, n) => `h${n}.test`);
    const { httpClient } = await httpClientFor(Object.fromEntries(hosts.map((host) => [host, here])));
    const call = (host: string) => httpClient({ url: `http://${host}:${server.port}/` });
    for (let n = 0; n < hosts.length; n += 40) await Promise.all(hosts.slice(n, n + 40).map(call));
    await vi.waitFor(() => expect(server.sockets.size).toBe(1_000));
    await Promise.all(Array.from({ length: 70 }, () => call('h1019.test')));
    await vi.waitFor(() => expect(server.sockets.size).toBe(1_000));
    await httpClient.close();
    await vi.waitFor(() => expect(server.sockets.size).toBe(0));
  });

  test('pool keeps at most 200 idle connections per host', async () => {
    // No response is sent before 200 connections are open: until then none can be reused.
    const waiting: ServerResponse[] = [];
    let isFull = false;
    const server = await aServer((_request, response) => {
      isFull ||= waiting.push(response) === 200;
      if (isFull) for (const one of [...waiting.splice(0), response]) one.end();
    });
    const { httpClient } = await httpClientFor({ 'one.test': here });
    await Promise.all(Array.from({ length: 230 }, () => httpClient({ url: `http://one.test:${server.port}/` })));
    await vi.waitFor(() => expect(server.sockets.size).toBeLessThanOrEqual(200));
    expect(server.sockets.size).toBeGreaterThan(150);
  });

  test('to an IP address other than the checked one sends no request', async () => {
    const requests: unknown[] = [];
    const otherServer = await aServer(
      (request, response) => void response.end(String(requests.push(request))),
      '127.0.0.2',
    );
    vi.doMock('node:net', async (original) => {
      const real = await original<typeof net>();
      return { ...real, connect: (to: { port: number }) => real.connect({ ...to, host: '127.0.0.2' }) };
    });
    vi.resetModules();
    const { createSafeFetch: createMisled } = await import('./safe-fetch.ts');
    const misled = createMisled({ openHosts: ['127.0.0.1'], ownHosts: [] });
    const { failure } = await failureOf(misled({ url: `http://127.0.0.1:${otherServer.port}/` }));
    expect([failure, requests]).toEqual(['EgressRefused ip_changed', []]);
  });
});

describe('certificate', async () => {
  const [authority, stranger] = [await anAuthority('ours'), await anAuthority('theirs')];
  const aTlsServer = async (name: string) => {
    const requests: string[] = [];
    const server = createHttpsServer(await authority.certify(name), ({ headers, socket }, response) => {
      requests.push(`${headers.host} ${(socket as { servername?: string }).servername}`);
      response.end('ok');
    });
    return Object.assign(await listening(server), { requests });
  };

  test('for this name, signed by the extra CA, is accepted', async () => {
    const { port, requests } = await aTlsServer('right.test');
    const { httpClient } = await httpClientFor({ 'right.test': here }, { extraCa: authority.pem });
    const response = await httpClient({ url: `https://right.test:${port}/` });
    expect([response.status, requests]).toEqual([200, [`right.test:${port} right.test`]]);
    expect(response.timings.tlsMs).toBeGreaterThan(0);
  });

  test.each([
    ['for another name', 'wrong.test', authority.pem],
    ['signed by another CA', 'right.test', stranger.pem],
    ['signed by an unknown CA', 'right.test', ''],
  ])('%s is rejected before anything is sent', async (_what, name, extraCa) => {
    const { port, requests } = await aTlsServer(name);
    const { httpClient } = await httpClientFor({ 'right.test': here }, { extraCa });
    expect((await failureOf(httpClient({ url: `https://right.test:${port}/` }))).failure).toBe(
      'EgressFailed tls_failed connect',
    );
    expect(requests).toEqual([]);
  });
});

describe('request', () => {
  test('sends method, path, headers and body as given', async () => {
    const { port } = await aServer((request, response) => {
      const { method, url, headers } = request;
      request.on('data', (body) =>
        response.end([method, url, headers['x-a'], headers['content-length'], body].join(' ')),
      );
    });
    const { httpClient } = await httpClientFor({ 'echo.test': here });
    const { body } = await httpClient({
      url: `http://echo.test:${port}/p?q=1#f`,
      method: 'POST',
      headers: { 'X-A': 'b' },
      body: 'ü',
    });
    expect(body.toString()).toBe('POST /p?q=1 b 2 ü');
  });

  test.each([
    ['Host', 'other.test'],
    ['Transfer-Encoding', 'chunked'],
    ['content-length', '0'],
    ['Connection', 'upgrade'],
    ['Proxy-Authorization', 'x'],
    ['x-fine', 'a\r\nhost: other.test'],
    ['x bad', 'a'],
  ])('with the header %s: %j is refused, and nothing is sent', async (name, value) => {
    let requests = 0;
    const server = await aServer((_request, response) => void response.end(String(++requests)));
    const { httpClient } = await httpClientFor({ 'plain.test': here });
    const request = httpClient({ url: `http://plain.test:${server.port}/`, headers: { [name]: value } });
    expect((await failureOf(request)).failure).toBe('EgressRefused invalid_request');
    expect(requests).toBe(0);
  });

  test('with a scheme that is not allowed is refused without a DNS lookup', async () => {
    const { httpClient, dns } = await httpClientFor({ 'plain.test': here }, { openHosts: [] });
    expect((await failureOf(httpClient({ url: 'http://plain.test/' }))).failure).toBe(
      'EgressRefused scheme_not_allowed',
    );
    expect(dns.queries).toEqual([]);
  });

  test('client throws when open hosts contain a pattern', () => {
    expect(() => createSafeFetch({ openHosts: ['*.test'], ownHosts: [] })).toThrow('exact');
  });
});
