import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Client } from 'undici';
import { trustWith } from './egress-certificates.ts';
import { bareHost, EgressRefused, isOpenHost, isSameIp, type EgressPolicy } from './ip-addresses.ts';

/** A connection to a checked IP address, used by one request at a time. */
export interface Connection {
  client: Client;
  /** Connect time of the current request; 0 on a reused connection. */
  connectMs: number;
  tlsMs: number;
  key: string;
  openedAt: number;
  socket: Socket | undefined;
}

const maxHeaderSize = 16 * 1024;
/** Per host, as many as a worker uses concurrently, because many tenants may call the same host. */
const limits = { maxPerHost: 200, connections: 1_000, lifeMs: 60_000 };

/** Keyed by origin and IP address, so that a name that resolves to another address never reuses an old connection. */
export function createConnectionPool(policy: EgressPolicy) {
  const idle = new LRUCache<string, Connection[]>({
    maxSize: limits.connections,
    sizeCalculation: (connections) => Math.max(1, connections.length),
    // Replacing a list (`set`) must not close the connections in it.
    dispose: (connections, _key, reason) => reason !== 'set' && connections.forEach(closeConnection),
  });
  const openHostTrust = policy.extraCa ? trustWith(policy.extraCa) : undefined;
  let closed = false;

  return {
    acquire(url: URL, ip: string): Connection {
      const key = `${url.origin} ${ip}`;
      const connection = idle.get(key)?.pop();
      if (connection && performance.now() - connection.openedAt < limits.lifeMs) return connection;
      if (connection) closeConnection(connection);
      return openConnection(url, ip, key, isOpenHost(policy, url) ? openHostTrust : undefined);
    },
    release(connection: Connection) {
      const connections = idle.get(connection.key) ?? [];
      if (closed || connections.length >= limits.maxPerHost) return closeConnection(connection);
      idle.set(connection.key, [...connections, connection]);
    },
    discard: closeConnection,
    /** Requests in flight finish within their own timeout. */
    close() {
      closed = true;
      idle.clear();
    },
  };
}

function closeConnection({ client, socket }: Connection): void {
  socket?.destroy(); // undici does not destroy a socket that is still connecting
  client.destroy().catch(() => undefined);
}

function openConnection(url: URL, ip: string, key: string, secureContext: SecureContext | undefined): Connection {
  const client = new Client(url.origin, {
    maxHeaderSize,
    headersTimeout: 0,
    bodyTimeout: 0, // the clock of the caller covers both
    keepAliveMaxTimeout: limits.lifeMs,
    connect: (_options, callback) => {
      const startedAt = performance.now();
      const socket = openSocket(url, ip, secureContext);
      connection.socket = socket;
      socket.setNoDelay(true);
      socket.once('connect', () => {
        const remoteIp = socket.remoteAddress;
        if (!remoteIp) {
          socket.destroy(new Error('The connection closed immediately.'));
        } else if (!isSameIp(ip, remoteIp)) {
          socket.destroy(new EgressRefused('ip_changed', 'The connection reached a different IP address.'));
        } else {
          connection.openedAt = performance.now();
          connection.connectMs = connection.openedAt - startedAt;
        }
      });
      const fail = (error: Error) => callback(error, null);
      socket.once('error', fail);
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        if (socket.destroyed) return;
        if (url.protocol === 'https:') connection.tlsMs = performance.now() - connection.openedAt;
        socket.off('error', fail); // undici listens from here on
        callback(null, socket);
      });
    },
  });
  const connection: Connection = { client, connectMs: 0, tlsMs: 0, key, openedAt: 0, socket: undefined };
  return connection;
}

/** Connects to the IP address, not the name, so that there is no second DNS lookup. TLS still verifies the name. */
function openSocket(url: URL, ip: string, secureContext: SecureContext | undefined): Socket {
  const https = url.protocol === 'https:';
  const target = { host: ip, port: Number(url.port) || (https ? 443 : 80) };
  if (!https) return connectTcp(target);
  const name = bareHost(url);
  return connectTls({
    ...target,
    ...(isIP(name) === 0 && { servername: name }),
    ...(secureContext && { secureContext }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // otherwise NODE_TLS_REJECT_UNAUTHORIZED could disable it
  });
}
