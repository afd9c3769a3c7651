import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Client } from 'undici';
import { bareHost, EgressRefused, isOpenHost, isSameIp, type EgressPolicy } from './ip-addresses.ts';

/** One connection to one checked address, used by one request at a time. */
export interface Connection {
  client: Client;
  /** What connecting cost the present request; 0 when the connection was already there. */
  connectMs: number;
  tlsMs: number;
  key: string;
  openedAt: number;
  socket: Socket | undefined;
}

const maxHeaderSize = 16 * 1024;
/** To one host as many as a worker calls at once, since many tenants may call the same; in all no more than it can spare. */
const kept = { linesPerHost: 200, connections: 1_000, lifeMs: 60_000 };

/** Kept by host and address: a name that has moved since finds no connection to where it used to lead. */
export function keepLines(policy: EgressPolicy) {
  const idle = new LRUCache<string, Connection[]>({
    maxSize: kept.connections,
    sizeCalculation: (connections) => Math.max(1, connections.length),
    dispose: (connections, _key, reason) => reason !== 'set' && connections.forEach(closeConnection), // one more is no end of the others
  });
  const openHostTrust = policy.extraCa
    ? createSecureContext({ ca: [...getCACertificates('default'), policy.extraCa] })
    : undefined;
  let closed = false;

  return {
    take(url: URL, ip: string): Connection {
      const key = `${url.origin} ${ip}`;
      const line = idle.get(key)?.pop();
      if (line && performance.now() - line.openedAt < kept.lifeMs) return line;
      if (line) closeConnection(line);
      return openLine(url, ip, key, isOpenHost(policy, url) ? openHostTrust : undefined);
    },
    giveBack(line: Connection) {
      const connections = idle.get(line.key) ?? [];
      if (closed || connections.length >= kept.linesPerHost) return closeConnection(line);
      idle.set(line.key, [...connections, line]);
    },
    hangUp: closeConnection,
    /** What is on its way ends by itself, within its own time limit. */
    close() {
      closed = true;
      idle.clear();
    },
  };
}

function closeConnection({ client, socket }: Connection): void {
  socket?.destroy(); // undici would leave one that is still connecting to itself
  client.destroy().catch(() => undefined);
}

function openLine(url: URL, ip: string, key: string, secureContext: SecureContext | undefined): Connection {
  const client = new Client(url.origin, {
    maxHeaderSize,
    headersTimeout: 0,
    bodyTimeout: 0, // the caller's clock covers both
    keepAliveMaxTimeout: kept.lifeMs,
    connect: (_options, callback) => {
      const startedAt = performance.now();
      const socket = dial(url, ip, secureContext);
      line.socket = socket;
      socket.setNoDelay(true);
      socket.once('connect', () => {
        const reached = socket.remoteAddress;
        if (!reached) {
          socket.destroy(new Error('The connection closed immediately.'));
        } else if (!isSameIp(ip, reached)) {
          socket.destroy(new EgressRefused('ip_changed', 'The connection reached a different IP address.'));
        } else {
          line.openedAt = performance.now();
          line.connectMs = line.openedAt - startedAt;
        }
      });
      const fail = (error: Error) => callback(error, null);
      socket.once('error', fail);
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        if (socket.destroyed) return;
        if (url.protocol === 'https:') line.tlsMs = performance.now() - line.openedAt;
        socket.off('error', fail); // from here on undici listens
        callback(null, socket);
      });
    },
  });
  const line: Connection = { client, connectMs: 0, tlsMs: 0, key, openedAt: 0, socket: undefined };
  return line;
}

/** To the address, never to the name: there is no second look-up. TLS still asks for, and checks, the name. */
function dial(url: URL, ip: string, secureContext: SecureContext | undefined): Socket {
  const https = url.protocol === 'https:';
  const target = { host: ip, port: Number(url.port) || (https ? 443 : 80) };
  if (!https) return connectTcp(target);
  const name = bareHost(url);
  return connectTls({
    ...target,
    ...(isIP(name) === 0 && { servername: name }),
    ...(secureContext && { secureContext }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // or NODE_TLS_REJECT_UNAUTHORIZED could switch it off
  });
}
