import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { bareHost, isPublicIp } from './ip-addresses.ts';
import type { Config } from './config.ts';
import type { Log } from './telemetry.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
export const isLoopback = (address: string) => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

type Resolve = (host: string) => Promise<{ address: string }[]>;
type Settings = Pick<Config, 'RESTATE_INGRESS_URL' | 'RESTATE_ADMIN_URL'>;

/**
 * Restate's ports have no authentication: anyone who reaches them can run any handler for any tenant or replace the worker.
 * Finds ports that accept calls without a token on a non-loopback IP address. It cannot detect who else can reach them.
 */
export async function findOpenRestatePorts(
  { RESTATE_INGRESS_URL: ingress, RESTATE_ADMIN_URL: admin }: Settings,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): Promise<OpenPort[]> {
  const networks = await Promise.all([
    networkOf(ingress, '/restate/invocation/none/output', resolve),
    admin ? networkOf(admin, '/deployments', resolve) : undefined,
  ]);
  return (['RESTATE_INGRESS_URL', 'RESTATE_ADMIN_URL'] as const).flatMap((setting, at) => {
    const network = networks[at];
    return network ? [{ setting, network }] : [];
  });
}

interface OpenPort {
  setting: 'RESTATE_INGRESS_URL' | 'RESTATE_ADMIN_URL';
  network: 'public' | 'private';
}

/** The network in which a call without a token succeeds. */
async function networkOf(url: string, path: string, resolve: Resolve): Promise<OpenPort['network'] | undefined> {
  try {
    const addresses = await resolve(bareHost(new URL(url)));
    const ips = addresses.map(({ address }) => address).filter((address) => !isLoopback(address));
    if (ips.length === 0) return undefined;
    const { status } = await fetch(url.replace(/\/$/, '') + path, {
      signal: AbortSignal.timeout(5_000),
      redirect: 'manual',
    });
    if (status === 401 || status === 403 || status >= 500) return undefined;
    return ips.some(isPublicIp) ? 'public' : 'private';
  } catch {
    return undefined; // unreachable or not resolvable, which is reported separately
  }
}

export async function warnIfRestateIsOpen(
  settings: Settings,
  log: Pick<Log, 'warn'>,
  resolve?: Resolve,
): Promise<void> {
  for (const { setting, network } of await findOpenRestatePorts(settings, resolve))
    log.warn({ setting, network }, `Restate answers without a token at a ${network} address: ${advice[network]}`);
}

const advice = {
  public: 'close the port to the internet, see docs/operators/restate.md',
  private: 'only API and worker may reach it, see docs/operators/restate.md',
};
