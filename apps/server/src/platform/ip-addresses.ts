import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Which URLs, host names and IP addresses outgoing requests may reach. */
export interface EgressPolicy {
  /**
   * Exact `host` or `host:port` entries that the deployment opened (its own network, tests). They may use http, IP
   * literals, private IP addresses and any port. Never from tenant input.
   */
  openHosts: readonly string[];
  /** Our own public hosts and IP addresses, refused as targets. A name includes its subdomains. */
  ownHosts: readonly string[];
  /** Additional CAs (PEM), for open hosts with a private CA. */
  extraCa?: string;
  /** For tests: DNS servers to use instead of the system's. */
  dnsServers?: readonly string[];
}

export type RefusalReason =
  | 'invalid_url'
  | 'invalid_request'
  | 'scheme_not_allowed'
  | 'userinfo'
  | 'ip_literal'
  | 'host_not_allowed'
  | 'own_host'
  | 'port_not_allowed'
  | 'dns_failed'
  | 'private_ip'
  | 'ip_changed';

/** Nothing was sent. The message is shown to the tenant, so it contains no internal IP address. */
export class EgressRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EgressRefused';
    this.reason = reason;
  }
}

const allowedPorts = ['', '443', '8443'];
const publicName = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;
const privateSuffix = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|onion)$/;

/**
 * Validates a URL before any connection. Removes the trailing dot of the host. Checks the parsed host only: a filter on
 * the text would not recognize 127.0.0.1 in `0x7f.1` or `①②⑦.⓪.⓪.①`.
 */
export function assertAllowedUrl(policy: EgressPolicy, text: string): URL {
  // The parser drops tabs and turns `\` into `/`, so another parser could see a different host.
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text))
    throw new EgressRefused('invalid_url', 'This is not a valid URL.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw httpsOnly();
  if (url.username || url.password)
    throw new EgressRefused('userinfo', 'The URL must not contain a username or password.');
  url.hostname = withoutDot(url.hostname);
  if (isOpenHost(policy, url)) return url;

  if (url.protocol !== 'https:') throw httpsOnly();
  if (isIP(bareHost(url))) throw new EgressRefused('ip_literal', 'Use a host name, not an IP address.');
  if (!publicName.test(url.hostname) || privateSuffix.test(url.hostname)) {
    throw new EgressRefused('host_not_allowed', 'The host must be a public domain name.');
  }
  if (policy.ownHosts.some((own) => isUnder(url.hostname, own))) {
    throw new EgressRefused('own_host', 'The host belongs to this Parley deployment.');
  }
  if (!allowedPorts.includes(url.port)) throw new EgressRefused('port_not_allowed', 'The port must be 443 or 8443.');
  return url;
}

const httpsOnly = () => new EgressRefused('scheme_not_allowed', 'The URL must start with https://.');

/** Resolves once. Throws unless every IP address of the name is allowed. */
export async function resolveAllowed(policy: EgressPolicy, url: URL, signal: AbortSignal): Promise<string[]> {
  const host = bareHost(url);
  if (isIP(host)) return [host]; // an open host: `assertAllowedUrl` refuses all others
  const open = isOpenHost(policy, url);
  const addresses = await (open && !policy.dnsServers ? systemLookup(host) : resolveDns(policy, host, signal));
  if (!open && !addresses.every((ip) => isPublicIp(ip) && !isOwnIp(policy, ip))) {
    throw new EgressRefused('private_ip', 'The host resolves to a private IP address.');
  }
  return addresses;
}

/** Includes /etc/hosts. For open hosts only: it uses libuv's thread pool, which a few hanging lookups would block. */
async function systemLookup(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch((cause: unknown) => {
    throw new EgressRefused('dns_failed', 'The host could not be resolved.', cause);
  });
  return found.map(({ address: ip }) => ip);
}

async function resolveDns({ dnsServers }: EgressPolicy, host: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: 1000, tries: 3 });
  if (dnsServers) resolver.setServers(dnsServers);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return addresses;
  const failure = results.find((result) => result.status === 'rejected');
  throw new EgressRefused('dns_failed', 'The host could not be resolved.', failure?.reason);
}

/** IANA's special-purpose registry, multicast, and Azure's wire server, which has a public IP address. */
const specialIpv4 = blockListOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]);
const globalIpv6 = blockListOf('ipv6', ['2000::/3']);
const specialIpv6 = blockListOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** IPv6 uses an allow-list, which excludes all ranges that embed IPv4 (mapped, compatible, NAT64, 6to4, Teredo). */
export function isPublicIp(ip: string): boolean {
  if (isIP(ip) === 4) return !specialIpv4.check(ip, 'ipv4');
  if (isIP(ip) === 6) return globalIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6');
  return false;
}

/** As sockets compare them: `::ffff:7f00:1` equals `127.0.0.1`, and an IP address has several spellings. */
export function isSameIp(one: string, other: string): boolean {
  const only = new BlockList();
  only.addAddress(one, familyOf(one));
  return only.check(other, familyOf(other));
}

/** Whether the deployment opened this host, or this port of it. */
export function isOpenHost({ openHosts }: EgressPolicy, url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = [url.hostname, `${url.hostname}:${port}`];
  return openHosts.some((open) => entries.includes(open.toLowerCase()));
}

/** Checked at startup, because a pattern or a non-canonical spelling would silently never match. */
export function assertOpenHost(entry: string): void {
  const [, host = ''] = /^(\[[\da-f:.]+\]|[\w.-]*\w)(?::\d+)?$/i.exec(entry) ?? [];
  if (URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host.toLowerCase()) return;
  throw new Error(`Open hosts must be an exact 'host' or 'host:port', not '${entry}'.`);
}

/** The host without the brackets of an IPv6 literal. */
export const bareHost = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1');

const withoutDot = (host: string) => host.replace(/\.$/, '');
const familyOf = (ip: string) => (isIP(ip) === 4 ? 'ipv4' : 'ipv6');

function isUnder(host: string, own: string): boolean {
  const name = withoutDot(own.toLowerCase().replace(/:\d+$/, ''));
  return host === name || host.endsWith(`.${name}`);
}

const isOwnIp = ({ ownHosts }: EgressPolicy, ip: string) => ownHosts.some((own) => isIP(own) > 0 && isSameIp(own, ip));

function blockListOf(family: 'ipv4' | 'ipv6', ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
