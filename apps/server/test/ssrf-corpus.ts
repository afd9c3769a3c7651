import type { RefusalReason } from '../src/platform/ip-addresses.ts';
import type { Zone } from './dns-server.ts';

/** One SSRF attempt. `addresses` are the IP addresses it would reach without the guard. */
export interface SsrfCase {
  url: string;
  reason: RefusalReason;
  addresses: readonly string[];
}

const splitWords = (text: string) => text.trim().split(/\s+/);

/** Public IP addresses, used only where they are routed to this machine. */
export const publicIpv4 = '93.184.216.34';
export const publicIpv6 = '2606:2800:220:1::1946';
/** Hosts of the deployment under test. */
export const ownHosts = ['parley.example', 'api.parley-own.example:443', '198.41.0.4'];

export const badIpv4 = splitWords(`
  0.0.0.0 0.0.0.1 0.1.2.3 10.0.0.0 10.0.0.1 10.1.2.3 10.255.255.254 100.64.0.1 100.100.100.200 100.127.255.254
  127.0.0.1 127.0.0.53 127.1.2.3 127.255.255.254 168.63.129.16 169.254.0.1 169.254.0.23 169.254.169.123
  169.254.169.253 169.254.169.254 169.254.170.2 169.254.255.254 172.16.0.1 172.17.0.1 172.20.10.1 172.31.255.254
  192.0.0.1 192.0.0.170 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.1.1
  192.168.255.254 192.175.48.1 198.18.0.1 198.19.255.254 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250
  240.0.0.1 250.1.2.3 255.255.255.255
`);

const ipv6ByKind = {
  unspecifiedAndLoopback: ':: ::1 ::2',
  ipv4Compatible: '::7f00:1 ::a00:1 ::a9fe:a9fe ::5db8:d822',
  ipv4Mapped: '::ffff:7f00:1 ::ffff:a00:1 ::ffff:a9fe:a9fe ::ffff:c0a8:101 ::ffff:5db8:d822',
  ipv4Translated: '::ffff:0:7f00:1 ::ffff:0:a9fe:a9fe 0:1::1',
  nat64: '64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b::c0a8:101 64:ff9b:1::a9fe:a9fe',
  teredo: '2001::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:0:a9fe:a9fe::1',
  sixToFour: '2002::1 2002:7f00:1::1 2002:a00:1::1 2002:a9fe:a9fe::1 2002:c0a8:101::1',
  benchmarkAndOrchid: '2001:1::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:1ff:ffff::1',
  documentation: '2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff:ffff::1',
  discardSrv6Unassigned: '100::1 100:0:0:1::1 1fff:ffff::1 4000::1 5f00::1 8000::1 e000::1',
  uniqueLocalAndMetadata: 'fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fdff:ffff::1',
  linkLocalSiteLocal: 'fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 feff::1',
  multicast: 'ff02::1 ff05::2 ff0e::1',
};
export const badIpv6 = Object.values(ipv6ByKind).flatMap(splitWords);

const wide = (text: string) => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
const circle = (digit: string) => (digit === '0' ? '⓪' : String.fromCharCode(0x245f + Number(digit)));
const hex = (value: number) => `0x${value.toString(16)}`;
const octal = (value: number) => `0${value.toString(8)}`;

/** Alternative spellings of an IPv4 address that URL parsers accept. */
function spellings(address: string): string[] {
  const parts = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const lastTwo = c * 256 + d;
  const lastThree = b * 65_536 + lastTwo;
  const number = a * 16_777_216 + lastThree;
  const numbers = [number, hex(number), hex(number).toUpperCase(), octal(number), `${number}.`, `${a}.${lastThree}`];
  const shorter = [`${a}.${b}.${lastTwo}`, `${hex(a)}.${hex(lastThree)}`, `${hex(a)}.${octal(b)}.${c}.${hex(d)}`];
  const perPart = [hex, octal, (part: number) => `000${part.toString(8)}`].map((write) => parts.map(write).join('.'));
  const otherDots = ['。', '．', '%2e'].map((dot) => address.replaceAll('.', dot));
  const otherDigits = [wide(address), address.replace(/\d/g, circle), `%3${address.charAt(0)}${address.slice(1)}`];
  return [...numbers.map(String), ...shorter, ...perPart, ...otherDots, ...otherDigits, `${address}.`];
}
const respelledIps = splitWords(
  '127.0.0.1 10.0.0.1 169.254.169.254 172.16.0.1 192.168.0.1 100.100.100.200 168.63.129.16',
);

const ipv6Spellings = splitWords(`
  0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::0001 ::127.0.0.1 ::169.254.169.254 ::ffff:127.0.0.1
  ::FFFF:169.254.169.254 0:0:0:0:0:ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::169.254.169.254 64:FF9B::127.0.0.1
  FD00:EC2::254 fd00:0ec2:0:0:0:0:0:254 2002:A9FE:A9FE::1 FE80::1
`);

const cases = (reason: RefusalReason, urls: readonly string[], address = '127.0.0.1'): SsrfCase[] =>
  urls.map((url) => ({ url, reason, addresses: [address] }));
const httpsTo = (hosts: readonly string[]) => hosts.map((host) => `https://${host}/`);
const literals = (hosts: readonly string[], address?: string) => cases('ip_literal', httpsTo(hosts), address);

const literalCases = [
  ...[...badIpv4, publicIpv4, '8.8.8.8'].flatMap((address) => literals([address], address)),
  ...[...badIpv6, ...ipv6Spellings, publicIpv6].flatMap((address) => literals([`[${address}]`], address)),
  ...respelledIps.flatMap((address) => literals(spellings(address), address)),
  ...literals(splitWords('0 0x 0x0 00 0.0 0.0.0 0.0.0.0.'), '0.0.0.0'),
  ...literals(splitWords('0x7f.1:8443 0177.1 017700000001:8443 0X7F.0X1 127.0.0.1:443 127.0.0.1:')),
  ...literals(splitWords('@127.0.0.1 :@127.0.0.1 127.0.0.1#@good.example.com 127.0.0.1?@good.example.com')),
  ...cases('ip_literal', splitWords('https:127.0.0.1/ https:/127.0.0.1/ https:///127.0.0.1/ HTTPS://127.0.0.1/')),
];

/** Each name has its own records, so that no case reuses the connection of another. */
export const zone: Zone = {};
let names = 0;
function named(...answers: string[]): SsrfCase {
  const host = `n${names++}.corpus.example.com`;
  zone[host] = answers;
  return { url: `https://${host}${names % 2 ? ':8443' : ''}/hook`, reason: 'private_ip', addresses: answers };
}

function aliased(hops: number, ...answers: string[]): SsrfCase {
  const first = named();
  const rest = Array.from({ length: hops }, (_, hop) => `hop${hop}-${names}.corpus.example.com`);
  const chain = [new URL(first.url).hostname, ...rest];
  for (const [at, name] of chain.entries()) zone[name] = at === hops ? answers : [`cname:${chain[at + 1]}`];
  return { ...first, addresses: answers };
}

const privateIps =
  splitWords(`169.254.169.254 100.100.100.200 192.0.0.192 168.63.129.16 fd00:ec2::254 127.0.0.1 10.0.0.1 172.16.0.1
  192.168.1.1 ::1 fec0::1 ::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe`);
const respelledNames = splitWords(`HOOKS0.Corpus.Example.com hooks1.corpus.example.com. ｈooks2。corpus。example。com
  h%6foks3.corpus.example.com`);
for (const n of respelledNames.keys()) zone[`hooks${n}.corpus.example.com`] = ['127.0.0.1'];

const nameCases = [
  ...[...badIpv4, ...badIpv6].map((bad) => named(bad)),
  ...privateIps.flatMap((bad) => [named(publicIpv4, bad), named(bad, publicIpv4), named(publicIpv6, bad)]),
  ...privateIps.map((bad) => named(publicIpv4, publicIpv6, '93.184.216.35', bad)),
  ...privateIps.flatMap((bad) => [aliased(1, bad), aliased(3, publicIpv4, bad)]),
  named('198.41.0.4'), // public, but a host of the deployment
  ...cases('private_ip', httpsTo(respelledNames)),
];

const privateSuffixes = splitWords('localhost local internal lan home.arpa onion');
const oddHosts = [
  ...splitWords(`localhost localhost. LOCALHOST ⓛocalhost metadata redis db kubernetes home.arpa a。local a..b.example.com
    metadata.google.internal host.docker.internal kubernetes.default.svc.cluster.local corpus.example.com.. .example.com
    *.corpus.example.com a!b.corpus.example.com a'b.corpus.example.com -a.corpus.example.com`),
  ...privateSuffixes.flatMap((suffix) => [`a.${suffix}`, `a.b.${suffix}.`, `A.${suffix.toUpperCase()}`]),
  `${'a'.repeat(64)}.example.com`,
  `${'a.'.repeat(130)}example.com`,
];
for (const host of oddHosts) zone[host.toLowerCase().replace(/\.$/, '')] = ['127.0.0.1'];
const ourNames = splitWords(`parley.example PARLEY.example parley.example. api.parley.example api.parley-own.example
  x.api.parley-own.example`);
for (const host of ourNames) zone[host] = [publicIpv4];
const open = 'open.corpus.example.com';
zone[open] = ['127.0.0.1'];

/** Ports other than 443 and 8443 that a case would reach. The tests listen on all of them. */
export const otherPorts = [
  1, 22, 25, 80, 2375, 3000, 3128, 3306, 5432, 6379, 8080, 8444, 9000, 9080, 9200, 11211, 65535,
];

const schemes =
  splitWords(`http://${open}/ HTTP://${open}/ http://127.0.0.1/ http://[::1]/ http://localhost:6379/ localhost:443
  http://169.254.169.254/latest/meta-data/ ftp://${open}/ ws://${open}/ wss://${open}/ file:///etc/passwd about:blank
  file://127.0.0.1/etc/passwd gopher://127.0.0.1:6379/_INFO dict://127.0.0.1:11211/stat data:text/plain,x
  ldap://127.0.0.1/ javascript:alert(1) blob:https://127.0.0.1/x jar:https://127.0.0.1!/ unix:/var/run/docker.sock
  view-source:https://127.0.0.1/ mailto:root@127.0.0.1 tftp://127.0.0.1/ ssh://127.0.0.1:22/`);
const userinfos =
  splitWords(`https://user@${open}/ https://user:pass@${open}/ https://:pass@${open}/ https:user@127.0.0.1/
  https://good.example.com@${open}/ https://good.example.com@127.0.0.1/ https://good.example.com:443@127.0.0.1/
  https://${publicIpv4}@127.0.0.1/ https://a@b@127.0.0.1/ https://good.example.com%2f@127.0.0.1/
  https://%75ser@127.0.0.1/ https://good.example.com%23@127.0.0.1/`);
const unreadable =
  splitWords(String.raw`https:// https: //127.0.0.1/ /relative 127.0.0.1 https://[::1 https://1.2.3.4.5/
  https://${open}:99999/ https://[fe80::1%25lo]/ https://127.0.0.1%00.example.com/ https://256.256.256.256/
  https://127.0.0.1%2f.example.com/ https:\\127.0.0.1\ https://good.example.com\@127.0.0.1/ https:\/\/127.0.0.1/
  https://127.0.0.1\@good.example.com/ https://127.0.0.1\.good.example.com/`);
const strayAt = (sign: string) => [`${sign}https://${open}/`, `https://${open}/${sign}`, `https://127.0${sign}.0.1/`];
const stray = ['\t', '\n', '\r', ' ', '\0', '\u0001', '\u00a0', '\ufeff', '\u2028', '\v'].flatMap(strayAt);

const urlCases = [
  ...cases('host_not_allowed', httpsTo(oddHosts)),
  ...cases('own_host', httpsTo(ourNames), publicIpv4),
  ...cases('port_not_allowed', httpsTo([0, ...otherPorts].map((port) => `${open}:${port}`))),
  ...cases('scheme_not_allowed', schemes),
  ...cases('userinfo', userinfos),
  ...cases('invalid_url', [...unreadable, ...stray, '', ' ', `https://${open}/a\r\nhost: x`, `ht\ttps://${open}/`]),
];

export const refusals: readonly SsrfCase[] = [...literalCases, ...nameCases, ...urlCases];

const privateLocations =
  splitWords(`https://127.0.0.1/ https://169.254.169.254/latest/meta-data/ https://[::1]/ //192.168.0.1/
  https://[fd00:ec2::254]/ https://10.0.0.1:8443/ http://100.100.100.200/ https://${open}/ https://localhost:8443/`);
/** Redirects from a public server to private targets, for each status and location. */
export const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
  privateLocations.map((location) => ({ status, location })),
);

/** Names that resolve to a public IP address first and to a private one afterwards. */
export const rebinds = privateIps.map((bad, n) => {
  const host = `rebind${n}.corpus.example.com`;
  zone[host] = (nth) => (nth === 0 ? [publicIpv4] : [bad]);
  return { host, bad };
});

zone['public.corpus.example.com'] = zone['public.elsewhere.example.com'] = [publicIpv4];
zone['public6.corpus.example.com'] = [publicIpv6];
