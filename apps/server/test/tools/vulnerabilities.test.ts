import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkLockfiles, type Accepted } from '../../../../tools/supply-chain/check.ts';

interface Query {
  package: { name: string; ecosystem: string };
  version: string;
  page_token?: string;
}

/** Like https://api.osv.dev: a result for each query, in order, in pages of one. */
async function startOsv(known: Record<string, string[]>, queried: Query[][] = []) {
  const resultFor = ({ package: { name }, version, page_token: token }: Query) => {
    const ids = known[`${name}@${version}`] ?? [];
    const index = token ? Number(token) : 0;
    const [id] = ids.slice(index);
    return {
      ...(id && { vulns: [{ id, modified: '2026-01-01T00:00:00Z' }] }),
      ...(ids.length > index + 1 && { next_page_token: String(index + 1) }),
    };
  };
  return listen(async (request, response) => {
    const { queries } = JSON.parse(await bodyOf(request)) as { queries: Query[] };
    queried.push(queries);
    const isValid = request.method === 'POST' && request.url === '/v1/querybatch' && queries.length <= 1_000;
    response.writeHead(isValid ? 200 : 400, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isValid ? { results: queries.map(resultFor) } : { code: 3, message: 'Invalid query.' }),
    );
  });
}

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
async function bodyOf(request: IncomingMessage) {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function lockfile(packages: Record<string, object>): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockfile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'package-lock.json');
  writeFileSync(file, JSON.stringify({ lockfileVersion: 3, packages }));
  return file;
}
const check = (files: string[], url: string, accepted: Accepted = {}) =>
  checkLockfiles(files, { url, accepted, today: '2026-11-15' });

const packages = {
  '': { name: 'root', version: '0.0.0' },
  'apps/server': { name: '@parley/server', version: '0.0.0' },
  'node_modules/@parley/server': { resolved: 'apps/server', link: true },
  'node_modules/left-pad': { version: '1.3.0' },
  'node_modules/other/node_modules/left-pad': { version: '1.2.0' },
  'node_modules/@scope/alias': { name: '@scope/real', version: '2.0.0' },
};

test('queries each installed version once, and none of our own packages', async () => {
  const queried: Query[][] = [];
  const { lines, isFailed } = await check([lockfile(packages), lockfile(packages)], await startOsv({}, queried));
  expect([lines, isFailed]).toEqual([['No known vulnerabilities in 3 packages.'], false]);
  expect(queried.flat()).toEqual([
    { package: { name: 'left-pad', ecosystem: 'npm' }, version: '1.3.0' },
    { package: { name: 'left-pad', ecosystem: 'npm' }, version: '1.2.0' },
    { package: { name: '@scope/real', ecosystem: 'npm' }, version: '2.0.0' },
  ]);
});

test('fails with the package, its lockfiles and every id, over several pages', async () => {
  const [file, url] = [lockfile(packages), await startOsv({ 'left-pad@1.2.0': ['GHSA-a', 'GHSA-b', 'CVE-c'] })];
  const { lines, isFailed } = await check([file], url);
  expect(isFailed).toBe(true);
  expect(lines[0]).toBe(`left-pad@1.2.0 (${file}): GHSA-a, GHSA-b, CVE-c`);
});

test('does not fail for an accepted vulnerability until its date has passed', async () => {
  const [file, url] = [lockfile(packages), await startOsv({ 'left-pad@1.2.0': ['GHSA-a', 'GHSA-b'] })];
  const until = (day: string) => ({ 'GHSA-a': { until: day, reason: 'only in tests' } });
  expect((await check([file], url, until('2026-11-15'))).lines[0]).toMatch(/: GHSA-b$/);
  expect((await check([file], url, until('2026-11-14'))).lines[0]).toMatch(/: GHSA-a, GHSA-b$/);
});

test('queries in batches of a thousand', async () => {
  const queried: Query[][] = [];
  const many = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, n) => [`node_modules/p${n}`, { version: '1.0.0' }]),
  );
  const { lines } = await check([lockfile(many)], await startOsv({ 'p2400@1.0.0': ['GHSA-z'] }, queried));
  expect(queried.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  expect(lines[0]).toContain('p2400@1.0.0');
});

test.each([
  ['nothing listens', async () => 'http://127.0.0.1:9'],
  ['the name does not resolve', async () => 'http://osv.invalid'],
  ['it returns 503', () => listen((_request, response) => response.writeHead(503).end())],
  ['a proxy returns a page', () => listen((_request, response) => response.end('<html>Sign in</html>'))],
  ['the connection breaks off', () => listen((request) => request.socket.destroy())],
])('skips the check with one line when %s', async (_name, start) => {
  const { lines, isFailed } = await check([lockfile(packages)], await start());
  expect(isFailed).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/^Skipped: http.* cannot be reached \(.+\)\.$/)]);
});

test('throws when OSV rejects the query, which is our own error', async () => {
  const url = await listen((_request, response) => response.writeHead(400).end('Invalid query.'));
  await expect(check([lockfile(packages)], url)).rejects.toThrow('HTTP 400 Invalid query.');
});
