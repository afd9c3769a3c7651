import { BlockList, isIP } from 'node:net';

const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** Converts IPv4-mapped IPv6 (`::ffff:203.0.113.7`) to IPv4, and normalizes other IPv6 like the URL standard. */
function plainIp(text: string): string | null {
  const [ip = ''] = text.split('%', 1); // without the interface of a link-local address
  if (isIP(ip) === 4) return ip;
  if (isIP(ip) !== 6) return null;
  const written = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [, high, low] = mapped.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** Normalizes `203.0.113.0/24`, `2001:db8::/32` or a single IP address; null if it is invalid. */
export function readIpRange(text: string): string | null {
  const [given = '', prefix, ...more] = text.trim().toLowerCase().split('/');
  const ip = given.includes('%') ? null : plainIp(given);
  if (ip === null || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  const [givenBits, bits] = [isIP(given) === 4 ? 32 : 128, isIP(ip) === 4 ? 32 : 128];
  const length = Number(prefix ?? givenBits) - (givenBits - bits); // ::ffff:203.0.113.0/120 is 203.0.113.0/24
  return length >= 0 && length <= bits ? `${ip}/${length}` : null;
}

/** One list per family: in a shared one, `::/0` would include every IPv4 address. */
export interface IpRanges {
  ipv4: BlockList;
  ipv6: BlockList;
}

/** For `isWithin`. Returns null for an empty list, which allows every IP address. */
export function compileIpRanges(ranges: readonly string[]): IpRanges | null {
  if (ranges.length === 0) return null;
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    const family = familyOf(network);
    lists[family].addSubnet(network, Number(prefix), family);
  }
  return lists;
}

export function isWithin(ranges: IpRanges, remoteIp: string): boolean {
  const ip = plainIp(remoteIp);
  if (ip === null) return false;
  const family = familyOf(ip);
  return ranges[family].check(ip, family);
}

const familyOf = (ip: string) => (isIP(ip) === 4 ? 'ipv4' : 'ipv6');
