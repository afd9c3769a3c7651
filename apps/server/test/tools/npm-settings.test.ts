import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../../..');

/** npm reads only the settings of the folder that it installs: the cool-down and the rule about install scripts. */
test('every folder with its own lockfile has the npm settings of the root', () => {
  const settings = readFileSync(join(root, '.npmrc'), 'utf8');
  const lockfiles = globSync('{*,*/*,*/*/*}/package-lock.json', { cwd: root, exclude: ['**/node_modules/**'] });
  const folders = lockfiles.map(dirname);
  expect(folders.toSorted()).toEqual(['apps/docs', 'apps/server/onnx', 'bench', 'deploy/helm', 'tools/codegen']);
  for (const folder of folders) expect(readFileSync(join(root, folder, '.npmrc'), 'utf8'), folder).toBe(settings);
});
