import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { createSafeFetch, type EgressPolicy } from '../src/platform/safe-fetch.ts';
import { startDns, type Zone } from './dns-server.ts';

const cleanups: (() => unknown)[] = [];
export const onCleanup = (end: () => unknown) => void cleanups.push(end);
afterEach(async () => {
  for (const end of cleanups.splice(0)) await end();
});

/** An HTTP client with all hosts of `zone` open, and the DNS server that resolves them. */
export async function httpClientFor(zone: Zone, policy: Partial<EgressPolicy> = {}) {
  const dns = await startDns(zone);
  const httpClient = createSafeFetch({
    openHosts: Object.keys(zone),
    ownHosts: [],
    dnsServers: [dns.server],
    ...policy,
  });
  onCleanup(dns.close);
  onCleanup(httpClient.close);
  return { httpClient, dns };
}

/** Starts a server. Returns its port, open sockets and total number of connections. */
export async function listening(server: Server, host = '127.0.0.1', port = 0) {
  const sockets = new Set<Socket>();
  const state = { port: 0, sockets, connections: 0 };
  server.on('connection', (socket: Socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  state.port = (server.address() as AddressInfo).port;
  onCleanup(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return state;
}

/** Keeps idle connections open longer than any test runs. */
export const aServer = (handler: RequestListener, host?: string, port?: number) =>
  listening(createServer({ keepAliveTimeout: 60_000 }, handler), host, port);

/** Waits for the request, then sends arbitrary bytes. */
export const aTcpServer = (respond: (socket: Socket) => void) =>
  listening(createTcpServer((socket) => socket.once('data', () => respond(socket))));

/** The failure of a request, and its duration. */
export async function failureOf(request: Promise<unknown>) {
  const startedAt = performance.now();
  const error: Error & { reason?: string; step?: string } = await request.then(
    () => new Error('it did not fail'),
    (thrown: Error) => thrown,
  );
  const failure = [error.name, error.reason ?? error.message, error.step].filter(Boolean).join(' ');
  return { failure, tookMs: performance.now() - startedAt };
}
