import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createSafeFetch, EgressFailed, EgressRefused, type SafeFetch } from '../src/platform/safe-fetch.ts';
import { startDns } from './dns-server.ts';
import { badIpv4, badIpv6, otherPorts, ownHosts, rebinds, redirects, refusals, zone } from './ssrf-corpus.ts';

/**
 * Runs the corpus and prints the outcome of each case and all connections as JSON. `everywhere` is a network namespace in
 * which every IP address leads to `lo`; `loopback` is the default namespace, where only loopback can be tested.
 */
const [mode = 'loopback', folder = '.'] = process.argv.slice(2);
const everywhere = mode === 'everywhere';
const pem = (name: string) => readFileSync(`${folder}/${name}.pem`, 'utf8');

let connections: string[] = [];
/** Connections since the last call. Waits briefly, because listeners are notified after the caller. */
async function connectedTo(): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return connections.splice(0);
}

async function listen(port: number, server: Server): Promise<number[]> {
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    connections.push(`${socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '')} ${port}`);
  });
  server.listen(port, '::');
  return once(server, 'listening').then(
    () => [port],
    () => [],
  ); // cases for a port that is in use are skipped
}

/** Returns the requested status and location. Each port has a certificate from another CA. */
const aWebServer = (authority: string) =>
  createHttpsServer({ key: pem(`${authority}-key`), cert: pem(`${authority}-cert`) }, ({ url = '/' }, response) => {
    const query = new URL(url, 'https://any').searchParams;
    const location = query.get('location');
    response.writeHead(Number(query.get('status') ?? 200), location ? { location } : {}).end('ok');
  });
const ports = (
  await Promise.all([
    listen(443, aWebServer('system')),
    listen(8443, aWebServer('extra')),
    ...(everywhere ? otherPorts : []).map((port) =>
      listen(
        port,
        createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      ),
    ),
  ])
).flat();

const dns = await startDns(zone, { port: everywhere ? 53 : 0 });
const policy = { openHosts: [], ownHosts, dnsServers: [dns.server], extraCa: pem('extra-ca') };
const isLoopback = (address: string) => ['0.0.0.0', '::', '::1'].includes(address) || address.startsWith('127.');
const portOf = (text: string) => Number((URL.canParse(text) && new URL(text).port) || 443);
const cases = refusals.filter(
  ({ url, addresses }) => everywhere || (addresses.every(isLoopback) && ports.includes(portOf(url))),
);

async function outcome(httpClient: SafeFetch, url: string): Promise<string> {
  try {
    const { status, remoteAddress } = await httpClient({ url });
    return `${status} from ${remoteAddress}`;
  } catch (error) {
    return error instanceof EgressRefused || error instanceof EgressFailed ? error.reason : String(error);
  }
}

/** Outgoing connections of this namespace by the kernel's count, including those to closed ports. */
function countActiveOpens(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'));
  return Number(values.split(' ')[names.split(' ').indexOf('ActiveOpens')]);
}

const httpClient = createSafeFetch(policy);

async function refuseAll() {
  const before = countActiveOpens();
  const outcomes = [];
  for (const { url, reason } of cases) outcomes.push({ url, expected: reason, got: await outcome(httpClient, url) });
  // Without a namespace, other processes open connections too.
  return { outcomes, connections: await connectedTo(), activeOpens: everywhere ? countActiveOpens() - before : null };
}

/** The second request resolves the name to another IP address while the first connection is still open. */
async function rebindAll() {
  const outcomes = [];
  for (const { host } of rebinds) {
    const [first, second] = [
      await outcome(httpClient, `https://${host}/`),
      await outcome(httpClient, `https://${host}/`),
    ];
    outcomes.push({ first, second, queries: dns.queries.filter((question) => question.endsWith(` ${host}`)) });
  }
  return { outcomes, connections: await connectedTo() };
}

async function redirectAll() {
  const outcomes = [];
  for (const { status, location } of redirects) {
    const query = new URLSearchParams({ status: String(status), location });
    outcomes.push({
      expected: status,
      got: await outcome(httpClient, `https://public.corpus.example.com/?${query.toString()}`),
    });
  }
  return { outcomes, connections: await connectedTo() };
}

/** Allowed requests. In the namespace, we control the system resolver and /etc/hosts. */
async function allowAll() {
  const systemClient = createSafeFetch({ openHosts: ['in-etc-hosts'], ownHosts });
  const extraCaClient = createSafeFetch({ ...policy, openHosts: ['public.corpus.example.com:8443'] });
  const outcomes = {
    ipv4: await outcome(httpClient, 'https://public.corpus.example.com/'),
    ipv6: await outcome(httpClient, 'https://public6.corpus.example.com/'),
    trailingDot: await outcome(httpClient, 'https://PUBLIC.corpus.example.com./'),
    wrongName: await outcome(httpClient, 'https://public.elsewhere.example.com/'),
    extraCaOfPublicHost: await outcome(httpClient, 'https://public.corpus.example.com:8443/'),
    extraCaOfOpenHost: await outcome(extraCaClient, 'https://public.corpus.example.com:8443/'),
    bySystemResolver: await outcome(systemClient, 'https://public.corpus.example.com/'),
    privateBySystemResolver: await outcome(systemClient, 'https://hooks0.corpus.example.com/'),
    publicNameOnlyInEtcHosts: await outcome(systemClient, 'https://in-etc-hosts.example.com/'),
    openInEtcHosts: await outcome(systemClient, 'http://in-etc-hosts:8080/'),
  };
  const reached = await connectedTo();
  await fetch('https://public.corpus.example.com/').catch(() => undefined);
  return { outcomes, connections: reached, connectionsOfPlainFetch: await connectedTo() };
}

/** The control: the same listeners and cases without the guard. */
async function withoutGuard() {
  const reachable: string[] = [];
  for (const host of everywhere ? [...badIpv4, ...badIpv6] : ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    for (const port of ports) {
      const socket = connect({ host, port });
      await once(socket, 'connect').then(
        () => reachable.push(`${host} ${port}`),
        () => undefined,
      );
      socket.on('error', () => undefined).destroy();
    }
  }
  const counted = (await connectedTo()).length;

  const hosts = cases.flatMap(({ url }) => (URL.canParse(url) ? [new URL(url).hostname.replace(/\.$/, '')] : []));
  const unguarded = createSafeFetch({
    ...policy,
    openHosts: hosts.filter((host) => /^(\[[\da-f:.]+\]|[\w.-]*\w)$/.test(host)),
  });
  const unreached = [];
  for (const { url, reason, addresses } of cases) {
    const before = countActiveOpens();
    await outcome(unguarded, url);
    if (countActiveOpens() === before) unreached.push({ url, reason, addresses });
  }
  return { reachable: reachable.length, counted, unreached, connections: await connectedTo() };
}

const refused = await refuseAll();
const inNamespace = everywhere && {
  allowed: await allowAll(),
  rebound: await rebindAll(),
  redirected: await redirectAll(),
};
const report = { ports, refused, ...inNamespace, control: await withoutGuard() };
export type SsrfReport = typeof report;
process.stdout.write(JSON.stringify(report), () => process.exit());
