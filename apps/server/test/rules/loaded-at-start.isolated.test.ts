import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { afterAll, expect, inject, test } from 'vitest';
import { nodeOptions } from '../../src/become-program.ts';
import { builtDir, startChild, type Child } from '../faults/child.ts';
import { createReader } from '../../src/features/knowledge/ingest/reader/reader.ts';
import { settings } from '../harness.ts';

const dir = join(dirname(inject('serverDir')), `loaded-at-start-${process.pid}`);
// A copy, because the last tests remove files.
cpSync(builtDir(), dir, { recursive: true, filter: (path) => basename(path) !== 'compiled' });
const { inputs, outputs } = JSON.parse(readFileSync(join(dir, 'metafile.json'), 'utf8')) as Metafile;
const fileOf = (name: string) => outputs[Object.keys(outputs).find((path) => basename(path) === name) ?? ''];
const children = new Map<string, Child>();
afterAll(() => {
  children.forEach((child) => child.signal('SIGKILL'));
  rmSync(dir, { recursive: true, force: true });
});

/** The packages in `entry` and in every file that it imports, without those that it imports dynamically. */
function packagesOf(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return new Set();
  seen.add(entry);
  const { inputs = {}, imports = [] } = fileOf(entry) ?? {};
  const loaded = imports.filter(({ kind }) => kind !== 'dynamic-import');
  return new Set([
    ...Object.keys(inputs).flatMap((path) => packageOf(path.split('node_modules/').at(1))),
    ...loaded.flatMap(({ path, external }) => (external ? packageOf(path) : [...packagesOf(basename(path), seen)])),
  ]);
}
const packageOf = (path: string | undefined): string[] => /^(?:@[^/]+\/)?[^/:]+/.exec(path ?? '') ?? [];

/** Large, and needed by some requests or documents only. */
const onDemandPackages = [
  'oidc-provider',
  'koa',
  'mime-db',
  '@zxcvbn-ts/language-common',
  '@simplewebauthn/server',
  'ai',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai-compatible',
  'unpdf',
  'mammoth',
  'jszip',
  'yauzl',
  'linkedom',
  'turndown',
  '@mozilla/readability',
  'tinyld',
  'fast-xml-parser',
  '@scalar/fastify-api-reference',
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/exporter-trace-otlp-http',
];

test.each([
  ['api.js', ['@restatedev/restate-sdk', 'nodemailer'], ['fastify', '@fastify/swagger']],
  ['worker.js', ['fastify', '@fastify/swagger'], ['@restatedev/restate-sdk', 'nodemailer']],
])('%s does not load packages at start that only some requests or the other process need', (entry, foreign, own) => {
  const packages = [...packagesOf(entry)];
  expect(packages).toEqual(expect.arrayContaining(['pg', 'zod', ...own]));
  expect(packages.filter((name) => [...onDemandPackages, ...foreign].includes(name))).toEqual([]);
});

/** Our files and those of packages in `entry` and in every file that it imports, without those that it imports dynamically. */
function filesOf(entry: string, seen = new Set<string>()): string[] {
  if (seen.has(entry)) return [];
  seen.add(entry);
  const { inputs = {}, imports = [] } = fileOf(entry) ?? {};
  const loaded = imports.filter(({ kind, external }) => kind !== 'dynamic-import' && !external);
  return [...Object.keys(inputs), ...loaded.flatMap(({ path }) => filesOf(basename(path), seen))];
}

test('`parley-server api` loads no command before it is replaced by the API', () => {
  const own = filesOf('cli.js').filter((path) => !path.startsWith('<'));
  expect(own.map((path) => basename(path)).toSorted()).toEqual(['become-program.ts', 'cli.ts']);
});

// Bundled CommonJS has no named exports when it is imported dynamically. One of our files that imports it statically does.
test('our own dynamic imports name no CommonJS package', () => {
  const ours = Object.entries(inputs).filter(([path]) => !path.includes('node_modules/'));
  const onDemandPaths = ours
    .flatMap(([, { imports }]) => imports)
    .filter(({ kind, external }) => kind === 'dynamic-import' && !external)
    .map(({ path }) => path);
  expect(onDemandPaths.length).toBeGreaterThan(5);
  expect(onDemandPaths.filter((path) => inputs[path]?.format === 'cjs')).toEqual([]);
});

const builtInPools = { OIDC_ISSUERS: '[]', LOG_LEVEL: 'info' };
/** The running process, or a new one. */
async function aProcess(script: string): Promise<Child> {
  const child = children.get(script) ?? startChild(script, settings(builtInPools), dir);
  children.set(script, child);
  await child.ready;
  return child;
}
const residentMb = ({ pid }: Child) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

test.each([
  ['src/api.ts', 150],
  ['src/worker.ts', 160],
])('%s takes at most %i MB after its start', async (script, limitMb) => {
  expect(residentMb(await aProcess(script))).toBeLessThan(limitMb);
});

/** The room for new objects after `collectStartupGarbage`, in a process with these options. */
const roomMb = (options: string[]) => {
  const script = `
    const { collectStartupGarbage } = await import(${JSON.stringify(pathToFileURL(resolve('src/platform/process.ts')))});
    collectStartupGarbage();
    const { getHeapSpaceStatistics } = await import('node:v8');
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);`;
  const args = [...options, '--input-type=module', '--eval', script];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' })) / 1024 / 1024;
};

test('`parley-server api` leaves the API the room for new objects that many requests need', () => {
  expect(roomMb([])).toBeLessThan(4);
  expect(roomMb(nodeOptions.api)).toBeGreaterThanOrEqual(16);
});

const chunkFile = (name: string) => {
  const path = Object.keys(outputs).find((output) => new RegExp(`/${name}-\\w+\\.js$`).test(output)) ?? '';
  return join(dir, basename(path));
};

test('returns 503 and logs the reason if files of this release were replaced while it runs', async () => {
  const child = await aProcess('src/api.ts');
  const { url } = await child.ready;
  rmSync(chunkFile('provider'));
  const response = await fetch(`${url}/pools/customer/.well-known/openid-configuration`);
  expect([response.status, await response.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
  await expect.poll(() => child.lines.join('\n')).toContain('release_replaced');
});

test.each(['the PDF parser', 'the reader thread'])(
  'fails, and does not report the document as damaged, if %s was replaced while it runs',
  async (missing) => {
    const file = pathToFileURL(join(dir, 'reader-thread.js'));
    const bytes = Buffer.from('%PDF-1.4 damaged');
    const read = () =>
      createReader({ file })(
        'readDocument',
        { input: { kind: 'file', raw: { bytes, mediaType: '' } }, language: null, knownHash: null },
        'tenant',
      );
    if (missing === 'the PDF parser') await expect(read()).rejects.toThrow('corrupted');
    rmSync(missing === 'the PDF parser' ? chunkFile('pdf') : file);
    await expect(read()).rejects.toThrow('Cannot find module');
  },
);
