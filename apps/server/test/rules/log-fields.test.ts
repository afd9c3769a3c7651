import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logFields } from '../../src/platform/log-fields.ts';
import { documentedFields, documentedMessages } from '../documented-log.ts';

const root = join(import.meta.dirname, '../../../..');
const ofEveryLine = ['level', 'time', 'pid', 'hostname', 'name', 'msg'];

test('docs/operators/logs.md lists every field of log lines, and no other', () => {
  expect(documentedFields().toSorted()).toEqual([...ofEveryLine, ...logFields].toSorted());
});

test('every message in docs/operators/logs.md is logged', () => {
  const files = globSync('{apps/server/src,packages/portal-kit/src}/**/*.ts', { cwd: root });
  const code = files.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  expect(documentedMessages().length).toBeGreaterThan(15);
  expect(documentedMessages().filter((message) => !code.includes(`'${message}'`))).toEqual([]);
});

test('portals describe errors in their logs as the server does', () => {
  const [own, theirs] = ['apps/server/src/platform', 'packages/portal-kit/src/server'].map((folder) =>
    readFileSync(join(root, folder, 'log-contents.ts'), 'utf8').replace(/^\/\/.*\n/gm, ''),
  );
  expect(theirs).toBe(own);
});
