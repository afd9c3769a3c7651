import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { anAuthority } from '../../../../tools/receiver/certificates.ts';
import type { SsrfReport } from '../../test/ssrf-child.ts';
import { publicIpv4, publicIpv6, rebinds, redirects, refusals } from '../../test/ssrf-corpus.ts';

const child = join(import.meta.dirname, '../../test/ssrf-child.ts');
const folder = mkdtempSync(join(tmpdir(), 'ssrf-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Routes every IP address to `lo`, so that every call reaches this machine and is counted. */
const enter = `cd ${folder} && ip link set lo up &&
  ip route add local default dev lo && ip -6 route add local default dev lo &&
  mount --bind resolv.conf /etc/resolv.conf && mount --bind hosts /etc/hosts && exec "$@"`;
const proxy = 'http://127.0.0.1:3128';
/** Must have no effect: a proxy for everything, and disabled certificate checks. */
const misleading = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  ALL_PROXY: proxy,
  NODE_USE_ENV_PROXY: '1',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
};
writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost in-etc-hosts\n${publicIpv4} in-etc-hosts.example.com\n`);

const namespaces = ['--net --mount', '--net --mount --map-root-user'].map((flags) => ['unshare', ...flags.split(' ')]);
const namespace = namespaces.find(
  ([command = '', ...flags]) => spawnSync(command, [...flags, 'sh', '-c', enter, 'sh', 'true']).status === 0,
);

async function runCorpus(mode: 'everywhere' | 'loopback', around: string[] = []): Promise<SsrfReport> {
  const [command, ...args] = [...around, process.execPath, child, mode, folder];
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: join(folder, 'system-ca.pem'), ...misleading };
  const { stdout } = await promisify(execFile)(command, args, { env, maxBuffer: 16 * 1024 * 1024, timeout: 120_000 });
  return JSON.parse(stdout) as SsrfReport;
}

beforeAll(async () => {
  for (const name of ['system', 'extra']) {
    const authority = await anAuthority(`${name} authority`);
    const { cert, key } = await authority.certify('*.corpus.example.com');
    writeFileSync(join(folder, `${name}-ca.pem`), authority.pem);
    writeFileSync(join(folder, `${name}-cert.pem`), cert);
    writeFileSync(join(folder, `${name}-key.pem`), key);
  }
});

const wrong = ({ refused }: SsrfReport) => refused.outcomes.filter(({ expected, got }) => got !== expected);

function printTotals(where: string, { refused, ports, control }: SsrfReport) {
  console.info(
    `${where}: ${refused.outcomes.length} cases, ${refused.connections.length} connections at ${ports.length} ports, ` +
      `${refused.activeOpens ?? 'unknown'} opened by the kernel's count; without the guard ${control.connections.length}`,
  );
}

test('the corpus contains the documented number of distinct cases, and 50 rebinding and redirect cases', () => {
  expect(new Set(refusals.map(({ url }) => url)).size).toBe(refusals.length);
  expect(refusals.length).toBeGreaterThanOrEqual(probes.ssrfUrls.min);
  expect(rebinds.length + redirects.length).toBeGreaterThanOrEqual(50);
});

const title = namespace ? 'every IP address leads to a listener' : 'skipped: network namespaces are not available here';
describe.skipIf(!namespace)(`in a network namespace (${title})`, () => {
  let report: SsrfReport;
  beforeAll(async () => {
    report = await runCorpus('everywhere', [...namespace!, 'sh', '-c', enter, 'sh']);
  });

  test('0 connections: every case is refused, for its own reason', () => {
    printTotals('SSRF, everywhere', report);
    expect(wrong(report)).toEqual([]);
    expect(report.refused.outcomes.length).toBe(refusals.length);
    expect(report.refused.connections).toEqual([]);
    expect(report.refused.activeOpens).toBe(0);
  });

  test('control: without the guard, the same listeners count the same cases', () => {
    const { reachable, counted, unreached, connections } = report.control;
    expect(counted).toBe(reachable);
    expect(reachable).toBeGreaterThan(1500);
    expect(connections.length).toBeGreaterThan(450);
    const byItself = /^(22[4-9]|23\d|255)\.|^f(f|e[89ab])/i; // multicast, broadcast, link-local without its interface
    const guarded = unreached.filter(({ reason }) => reason === 'ip_literal' || reason === 'private_ip');
    expect(guarded.filter(({ addresses }) => !addresses.every((address) => byItself.test(address)))).toEqual([]);
  });

  test('reaches a public host at the checked IP address only', () => {
    const { outcomes, connections } = report.allowed!;
    const reached = {
      ipv4: `200 from ${publicIpv4}`,
      ipv6: `200 from ${publicIpv6}`,
      trailingDot: `200 from ${publicIpv4}`,
    };
    expect(outcomes).toMatchObject({ ...reached, bySystemResolver: `200 from ${publicIpv4}` });
    expect(connections.filter((to) => !to.startsWith(publicIpv4) && !to.startsWith(publicIpv6))).toEqual([
      '127.0.0.1 8080',
    ]);
  });

  test('uses the system resolver for public names, and /etc/hosts for open hosts only', () => {
    expect(report.allowed!.outcomes).toMatchObject({
      privateBySystemResolver: 'private_ip',
      publicNameOnlyInEtcHosts: 'dns_failed',
      openInEtcHosts: '400 from 127.0.0.1',
    });
  });

  test('requires a certificate for this name from a system CA, whatever the environment variables say', () => {
    expect(report.allowed!.outcomes).toMatchObject({ wrongName: 'tls_failed', extraCaOfPublicHost: 'tls_failed' });
    expect(report.allowed!.outcomes.extraCaOfOpenHost).toBe(`200 from ${publicIpv4}`);
  });

  test('ignores proxy variables, although plain fetch honours them', () => {
    expect(report.allowed!.connections).not.toContain('127.0.0.1 3128');
    expect(report.allowed!.connectionsOfPlainFetch).toEqual(['127.0.0.1 3128']);
  });

  test('refuses a name that starts to resolve to a private IP address, although its connection is still open', () => {
    const { outcomes, connections } = report.rebound!;
    expect(outcomes.length).toBe(rebinds.length);
    for (const { first, second, queries } of outcomes) {
      expect([first, second]).toEqual([`200 from ${publicIpv4}`, 'private_ip']);
      expect(queries.length).toBe(4); // A and AAAA, once per request
    }
    expect(new Set(connections)).toEqual(new Set([`${publicIpv4} 443`]));
  });

  test('returns redirects to private hosts without following them', () => {
    const { outcomes, connections } = report.redirected!;
    expect(outcomes.length).toBe(redirects.length);
    for (const { expected, got } of outcomes) expect(got).toBe(`${expected} from ${publicIpv4}`);
    expect(connections.filter((to) => !to.startsWith(publicIpv4))).toEqual([]);
  });
});

// The namespace has all of these cases: a sample needs them only where there is none.
describe.runIf(isFull || !namespace)('on loopback, with the cases that can run there', () => {
  let report: SsrfReport;
  beforeAll(async () => {
    report = await runCorpus('loopback');
  });

  test('0 connections: every case is refused, for its own reason', () => {
    printTotals('SSRF, loopback', report);
    expect(wrong(report)).toEqual([]);
    expect(report.refused.outcomes.length).toBeGreaterThan(0);
    expect(report.refused.connections).toEqual([]);
  });

  test('control: without the guard, the same listeners count connections', () => {
    expect(report.control.counted).toBe(report.control.reachable);
    expect(report.control.connections.length).toBeGreaterThan(0);
  });
});
