import { readFile } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { bareHost, isPublicIp } from '../platform/ip-addresses.ts';
import { isLoopback } from '../platform/restate-exposure.ts';
import { defineFindings, type CheckContext, type Finding } from './finding.ts';

const { types, report } = defineFindings({
  'ports.public': {
    level: 'error',
    cause:
      'A server that must be private listens on a public IP address of this machine. A firewall that closes the port is not visible from here. Linux only.',
    fix: 'Bind the server to 127.0.0.1 or to a private IP address.',
  },
});
export const portFindings = types;

/** Ports of this machine that only Parley itself may reach. */
export async function checkPorts(ctx: CheckContext): Promise<Finding[]> {
  const { config } = ctx;
  const ownAddresses = ctx.ownAddresses ?? addressesOfThisMachine();
  const sockets = await listeningSockets();
  const isPublic = (port: number) =>
    sockets.some(
      (socket) =>
        socket.port === port &&
        (isWildcard(socket.ip) ? ownAddresses.some((ip) => isPublicIp(ip)) : isPublicIp(socket.ip)),
    );
  const servers = [
    { name: 'PostgreSQL', setting: 'DATABASE_URL', url: config.DATABASE_URL, defaultPort: 5432 },
    { name: 'Valkey', setting: 'VALKEY_URL', url: config.VALKEY_URL, defaultPort: 6379 },
    { name: 'Restate', setting: 'RESTATE_INGRESS_URL', url: config.RESTATE_INGRESS_URL, defaultPort: 80 },
    { name: 'Restate', setting: 'RESTATE_ADMIN_URL', url: config.RESTATE_ADMIN_URL, defaultPort: 80 },
  ];
  const resolve = ctx.lookup ?? ((host: string) => lookup(host, { all: true }));
  const local = await Promise.all(
    servers.map(async ({ url, defaultPort, ...server }) => {
      if (url === undefined) return [];
      const { port } = new URL(url);
      const addresses = await resolve(bareHost(new URL(url))).catch(() => []);
      const isHere = addresses.some(({ address }) => isLoopback(address) || ownAddresses.includes(address));
      return isHere ? [{ ...server, port: Number(port || defaultPort) }] : [];
    }),
  );
  const own = [
    { name: 'The worker', setting: 'WORKER_PORT', port: config.WORKER_PORT },
    { name: '/metrics', setting: 'METRICS_PORT', port: config.METRICS_PORT },
  ];
  return [...local.flat(), ...own]
    .filter(({ port }) => isPublic(port))
    .map(({ name, setting, port }) =>
      report('ports.public', [setting], `${name} listens on a public IP address of this machine, port ${port}.`),
    );
}

const addressesOfThisMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interfaces) => (interfaces ?? []).map(({ address }) => address));

const isWildcard = (ip: string) => ip === '0.0.0.0' || ip === '::';

interface ListeningSocket {
  ip: string;
  port: number;
}

async function listeningSockets(): Promise<ListeningSocket[]> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  return tables.flatMap((table) =>
    table
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A')
      .map(([, local = '']) => {
        const [ip = '', port = ''] = local.split(':');
        return { ip: ipOf(ip), port: Number.parseInt(port, 16) };
      }),
  );
}

/** The kernel prints groups of four bytes, each in the order of the processor, which is little-endian. */
function ipOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((group) => [...Buffer.from(group, 'hex')].toReversed());
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_none, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
