import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { productVersion } from '../../src/platform/product-version.ts';

const repository = resolve(import.meta.dirname, '../../../..');
const versionOf = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;

test('all packages have one version, except the widget, whose file names contain its own', () => {
  const files = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: repository })];
  // The documentation is not a workspace and has no version.
  const versions = files
    .filter((file) => !['packages/widget/package.json', 'apps/docs/package.json'].includes(file))
    .map((file) => [file, versionOf(join(repository, file))]);
  expect(versions.length).toBeGreaterThan(6);
  expect(versions.filter(([, version]) => version !== productVersion)).toEqual([]);
});

test('`parley-server --version` and `parley --version` print it', () => {
  const run = (file: string) =>
    execFileSync(process.execPath, [join(repository, file), '--version'], { encoding: 'utf8' });
  expect(run('apps/server/src/cli.ts').trim()).toBe(productVersion);
  expect(run('packages/cli/src/main.ts').trim()).toBe(productVersion);
});
