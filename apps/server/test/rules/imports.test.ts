import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Breaks every rule of the layout once, in a copy of the source; each must fail under its own name.
const repository = resolve(import.meta.dirname, '../../../..');
const programs = join(repository, 'node_modules/.bin');
const copy = mkdtempSync(join(tmpdir(), 'parley-rules-'));
const server = join(copy, 'apps/server');
const copied = ['src', 'tsconfig.json', '.dependency-cruiser.cjs', 'package.json'].map((file) => `apps/server/${file}`);

beforeAll(() => {
  for (const file of ['.oxlintrc.json', 'tsconfig.base.json', ...copied])
    cpSync(join(repository, file), join(copy, file), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const cruise = () => spawnSync(join(programs, 'depcruise'), ['src'], { cwd: server, encoding: 'utf8' }).stdout;

test('the source follows every rule', () => {
  expect(cruise()).toContain('no dependency violations found');
});

const broken = [
  ['no-cycles', 'platform/ids.contract.ts', './ids.ts'],
  ['platform-knows-no-feature', 'platform/db.ts', '../features/entitlements/plans.ts'],
  ['features-meet-at-index-or-contract', 'features/audit/audit.routes.ts', '../entitlements/plans.ts'],
  ['contract-imports-only-contracts', 'features/audit/audit.contract.ts', '../../platform/errors.ts'],
  ['store-is-the-bottom', 'features/tenants/tenants.store.ts', './tenants.events.ts'],
  ['service-knows-no-edge', 'features/tenants/tenants.service.ts', '../../platform/http/route.ts'],
  ['only-cross-tenant-files-read-across-tenants', 'features/audit/audit.store.ts', '../../platform/cross-tenant.ts'],
  [
    'only-operators-read-across-tenants',
    'features/audit/audit.routes.ts',
    '../tenants/operator/tenants.cross-tenant.ts',
  ],
  ['only-dispatch-files-work-for-several-tenants', 'features/audit/audit.store.ts', '../../platform/dispatch.ts'],
  ['fastify-stays-at-the-edge', 'features/users/roles.ts', 'fastify'],
  ['restate-stays-in-workflows', 'features/users/roles.ts', '@restatedev/restate-sdk'],
  ['api-loads-no-workflow', 'features/index.ts', './api-keys/api-keys.workflow.ts'],
  ['worker-loads-no-route', 'features/durable.ts', './audit/audit.routes.ts'],
  ['documents-are-read-in-reader-threads', 'features/knowledge/ingest/sync.ts', '../chunk/chunking.ts'],
] as const;

test('reports each broken rule by its name', () => {
  for (const [, file, wrong] of broken) {
    const path = join(server, 'src', file);
    writeFileSync(path, `import '${wrong}';\n${readFileSync(path, 'utf8')}`);
  }
  const found = cruise();
  cpSync(join(repository, 'apps/server/src'), join(server, 'src'), { recursive: true });
  for (const [rule] of broken) expect(found).toContain(`error ${rule}: src/`);
});

const hasSql = (source: string) => /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/.test(source);

test('features have SQL only in files that end in .store.ts, .cross-tenant.ts or .dispatch.ts', () => {
  expect(hasSql("tx.selectFrom('bots')") && hasSql('sql<{ n: number }>`select 1`')).toBe(true);
  const files = readdirSync(join(server, 'src/features'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test|\.store|\.cross-tenant|\.dispatch)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => hasSql(readFileSync(join(server, 'src/features', file), 'utf8')))).toEqual([]);
});

const forbidden: Record<string, [source: string, rule: string]> = {
  fetch: ['export const call = () => fetch("https://example.com");', 'safe-fetch'],
  undici: [
    "import { request } from 'undici';\nexport const call = () => request('https://example.com');",
    'restricted',
  ],
  https: ["import { get } from 'node:https';\nexport const call = () => get('https://example.com');", 'restricted'],
  net: ["import { connect } from 'node:net';\nexport const call = () => connect(80);", 'restricted'],
  env: ["export const secret = process.env['SECRET'];", 'restricted'],
  any: ['export const loose: any = 1;', 'no-explicit-any'],
  floating: ['const work = async () => {};\nexport const start = () => { work(); };', 'no-floating-promises'],
};

/** The messages about each file, which is written into the copy only for this. */
function lintMessages(sources: Record<string, [source: string, rule: string]>, pathOf: (name: string) => string) {
  const paths = Object.entries(sources).map(([name, [source]]) => {
    const path = join(copy, pathOf(name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${source}\n`);
    return path;
  });
  const lint = ['--type-aware', '--format=unix', ...paths];
  const { stdout } = spawnSync(join(programs, 'oxlint'), lint, { cwd: copy, encoding: 'utf8' });
  for (const path of paths) rmSync(path);
  return (name: string) =>
    stdout
      .split('\n')
      .filter((line) => line.includes(pathOf(name)))
      .join('\n');
}

test('lint: refuses what a feature must not do, in each file that does it', () => {
  const messages = lintMessages(forbidden, (name) => `apps/server/src/features/forbidden-${name}.ts`);
  for (const [name, [, rule]] of Object.entries(forbidden)) expect(messages(name), name).toContain(rule);
});

const forbiddenInPages: Record<string, [source: string, rule: string]> = {
  ref: [
    "import { useRef } from 'react';\nexport const useLast = (value: string) => { const last = useRef(value); last.current = value; return last; };",
    'react(refs)',
  ],
  effect: [
    "import { useEffect, useState } from 'react';\nexport const useCopy = (value: string) => { const [copy, setCopy] = useState(value); useEffect(() => setCopy(value), [value]); return copy; };",
    'react(set-state-in-effect)',
  ],
  dependency: [
    "import { useEffect } from 'react';\nexport const useTitle = (title: string) => useEffect(() => { document.title = title; }, []);",
    'exhaustive-deps',
  ],
  condition: [
    "import { useState } from 'react';\nexport const useMaybe = (is: boolean) => { if (!is) return undefined; const [value] = useState(1); return value; };",
    'rules-of-hooks',
  ],
  time: ['export const Now = () => <time>{Date.now()}</time>;', 'react(purity)'],
  key: ["export const List = () => ['a', 'b'].map((text) => <li>{text}</li>);", 'react(jsx-key)'],
  focus: ['export const Field = () => <input aria-label="Name" autoFocus />;', 'no-autofocus'],
  tabindex: ['export const Text = () => <p tabIndex={0}>Text</p>;', 'no-noninteractive-tabindex'],
  frame: ['export const Frame = () => <iframe title="Frame" src="/" />;', 'iframe-missing-sandbox'],
};

test('lint: refuses what a portal’s page must not do, in each file that does it', () => {
  const messages = lintMessages(forbiddenInPages, (name) => `apps/portal/app/forbidden-${name}.tsx`);
  for (const [name, [, rule]] of Object.entries(forbiddenInPages)) expect(messages(name), name).toContain(rule);
});

test('runs the tests on Node 24 from the packages', () => {
  expect(execFileSync('node', ['--version'], { encoding: 'utf8' })).toMatch(/^v24\./);
});
