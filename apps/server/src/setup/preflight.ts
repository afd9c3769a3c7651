import { lookup } from 'node:dns/promises';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { createSafeFetch, type SafeFetch } from '../platform/safe-fetch.ts';
import type { Answers } from './answers.ts';

export interface Finding {
  /** A problem keeps the product from working. A warning may be intended. */
  kind: 'ok' | 'warning' | 'problem';
  text: string;
}

interface PreflightOptions {
  /** Where the data will be, to measure its disk. */
  dir: string;
  /** Ports that the proxy will publish. Empty if it runs already. */
  ports: readonly number[];
}

const gigabyte = 1024 ** 3;
/** PostgreSQL, Restate and two versions of everything else, during an upgrade. */
const minMemory = 4 * gigabyte;
const minDisk = 10 * gigabyte;
const maxSkewMs = 30_000;

export const hostsOf = (domain: string) => [
  domain,
  ...['api', 'admin', 'cdn', 'docs'].map((name) => `${name}.${domain}`),
];

/** What this machine and its network need before a start. Looks, and changes nothing. */
export async function preflight(
  answers: Pick<Answers, 'domain' | 'tls'>,
  options: PreflightOptions,
): Promise<Finding[]> {
  const http = createSafeFetch({ openHosts: [], ownHosts: [] });
  const findings = await Promise.all([
    ...hostsOf(answers.domain).map((host) => checkHost(host, answers.tls)),
    ...(answers.tls === 'acme' ? [checkClock('https://acme-v02.api.letsencrypt.org/directory', http)] : []),
  ]);
  await http.close();
  return [...findings, ...options.ports.map(checkPort), checkMemory(totalmem()), checkDisk(options.dir)];
}

async function checkHost(host: string, tls: Answers['tls']): Promise<Finding> {
  try {
    const addresses = await lookup(host, { all: true });
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}.`);
  } catch {
    const text = `${host} has no DNS record. Create one that leads to this machine.`;
    // Without it there is no certificate. With your own certificates, names may come from another place than this machine's DNS.
    return { kind: tls === 'acme' ? 'problem' : 'warning', text };
  }
}

/** From the kernel's list of listening sockets: to listen on a port below 1024 needs privileges. */
function checkPort(port: number): Finding {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const isListening = (row: string) => {
    const [, local = '', , state] = row.trim().split(/\s+/);
    return state === '0A' && local.endsWith(suffix);
  };
  return rows.some(isListening)
    ? { kind: 'problem', text: `Port ${port} is in use. Stop what listens on it, such as another web server.` }
    : ok(`Port ${port} is free.`);
}

/** By the clock of the authority that must accept our requests for certificates. */
export async function checkClock(url: string, fetch: SafeFetch): Promise<Finding> {
  const sentAt = Date.now();
  const response = await fetch({ url, method: 'HEAD', timeouts: { totalMs: 5_000 } }).catch(() => undefined);
  const date = Date.parse(response?.headers['date'] ?? '');
  const { host } = new URL(url);
  if (Number.isNaN(date))
    return {
      kind: 'warning',
      text: `${host} does not respond, which issues certificates. The clock could not be checked.`,
    };
  const skewMs = date - (sentAt + Date.now()) / 2;
  return Math.abs(skewMs) > maxSkewMs
    ? {
        kind: 'problem',
        text: `This machine's clock is wrong by ${Math.round(skewMs / 1_000)} s. Turn on time synchronization.`,
      }
    : ok('The clock is right.');
}

function checkMemory(bytes: number): Finding {
  const text = `${inGigabytes(bytes)} GB of memory`;
  // Machines with 4 GB report a little less.
  return bytes < minMemory * 0.9
    ? { kind: 'problem', text: `${text}: at least ${inGigabytes(minMemory)} GB are needed.` }
    : ok(`${text}.`);
}

function checkDisk(dir: string): Finding {
  const { bavail, bsize } = statfsSync(dir);
  const text = `${inGigabytes(bavail * bsize)} GB of free disk space`;
  return bavail * bsize < minDisk
    ? { kind: 'problem', text: `${text}: at least ${inGigabytes(minDisk)} GB are needed.` }
    : ok(`${text}.`);
}

const ok = (text: string): Finding => ({ kind: 'ok', text });
const inGigabytes = (bytes: number) => (bytes / gigabyte).toFixed(1);
