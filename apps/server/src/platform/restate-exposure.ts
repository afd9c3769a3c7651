import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { bareHost, isPublicIp } from './ip-addresses.ts';
import type { Config } from './config.ts';
import type { Log } from './telemetry.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const isLoopback = (address: string) => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

type Resolve = (host: string) => Promise<{ address: string }[]>;
type Settings = Pick<Config, 'RESTATE_INGRESS_URL' | 'RESTATE_ADMIN_URL'>;

/**
 * Restate's ports have no authentication: anyone who reaches them can run any handler for any tenant or replace the worker.
 * Warns if calls without a token succeed on a non-loopback IP address. It cannot detect who else can reach the port.
 */
export async function warnIfRestateIsOpen(
  settings: Settings,
  log: Pick<Log, 'warn'>,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): Promise<void> {
  const { RESTATE_INGRESS_URL: ingress, RESTATE_ADMIN_URL: admin } = settings;
  await Promise.all([
    warnIfOpen('RESTATE_INGRESS_URL', ingress, '/restate/invocation/none/output', log, resolve),
    admin && warnIfOpen('RESTATE_ADMIN_URL', admin, '/deployments', log, resolve),
  ]);
}

async function warnIfOpen(
  setting: string,
  url: string,
  path: string,
  log: Pick<Log, 'warn'>,
  resolve: Resolve,
): Promise<void> {
  try {
    const addresses = await resolve(bareHost(new URL(url)));
    const ips = addresses.map(({ address }) => address).filter((address) => !isLoopback(address));
    if (ips.length === 0) return;
    const { status } = await fetch(url.replace(/\/$/, '') + path, {
      signal: AbortSignal.timeout(5_000),
      redirect: 'manual',
    });
    if (status === 401 || status === 403 || status >= 500) return;
    const network = ips.some(isPublicIp) ? 'public' : 'private';
    log.warn({ setting, network }, `Restate answers without a token at a ${network} address: ${advice[network]}`);
  } catch {
    // Unreachable or not resolvable, which is reported elsewhere.
  }
}

const advice = {
  public: 'close the port to the internet, see docs/operators/restate.md',
  private: 'only API and worker may reach it, see docs/operators/restate.md',
};
