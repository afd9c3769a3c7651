import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compareReleases } from '../../../../tools/api-changes/operations.ts';
import { after, drop, field, type Case, type Field } from './changed-document.ts';

// What would break a client that reads answers as it did before is told. What is only more than before passes.

test.for<Case>([
  // What is answered.
  [
    'another status',
    ({ eachOf }) =>
      eachOf('createWebhook', ({ responses }) => {
        responses['202'] = responses['201']!;
        delete responses['201'];
      }),
    ['note: POST /webhooks: may now answer 202', 'POST /webhooks: never answers 201 any more'],
  ],
  [
    'a field of an answer goes',
    ({ answer }) => answer('createWebhook', (schema) => delete schema.properties['secret']),
    ['POST /webhooks 201.secret: is gone'],
  ],
  [
    'a field of what many answer goes',
    ({ schema }) => delete schema('Webhook').properties['url'],
    ['Webhook in answers.url: is gone'],
  ],
  [
    'a field of an answer is new',
    ({ schema }) => (schema('Webhook').properties['colour'] = { type: 'string' } as Field),
    [],
  ],
  [
    'a field of an answer may be missing',
    ({ schema }) => drop(schema('Webhook').required, 'url'),
    ['Webhook in answers.url: may now be missing'],
  ],
  [
    'a field of an answer has another type',
    ({ schema }) => (field(schema('Webhook'), 'url').type = 'integer'),
    ['Webhook in answers.url: may now be integer'],
  ],
  [
    'a field of an answer may be null',
    ({ schema }) => (field(schema('Webhook'), 'url').type = ['string', 'null']),
    ['Webhook in answers.url: may now be null'],
  ],
  [
    'a date is none any more',
    ({ schema }) => delete field(schema('Webhook'), 'createdAt').format,
    ['Webhook in answers.createdAt: is no longer in the format date-time'],
  ],
  [
    'a value of an answer is new',
    ({ schema }) => void field(schema('Webhook'), 'status').enum!.push('asleep'),
    ['note: Webhook in answers.status: may now be "asleep"'],
  ],
  [
    'a value of an answer is renamed',
    ({ schema }) => (field(schema('Webhook'), 'status').enum![0] = 'running'),
    ['Webhook in answers.status: may now be "running"'],
  ],
  [
    'a value of an answer never comes any more',
    ({ schema }) => void field(schema('Webhook'), 'status').enum!.pop(),
    [],
  ],
  ['the bounds of an answer', ({ schema }) => (field(schema('Webhook'), 'description').maxLength = 5_000), []],

  // Words.
  [
    'other words',
    ({ document, schema }) => {
      schema('Webhook').properties['url'] = { ...field(schema('Webhook'), 'url'), description: 'Other' } as Field;
      document.info.version = '2030-01-01';
    },
    [],
  ],
])('%s', ([, change, told]) => {
  expect(after(change)).toEqual(told);
});

test('a keyword that is not compared stops the comparison', () => {
  expect(() => after(({ schema }) => Object.assign(schema('Webhook'), { not: {} }))).toThrow('keyword not');
});

test('what holds itself is compared to its end, and told once', () => {
  const like = (type: string) => {
    const node = {
      type: 'object',
      properties: { id: { type }, next: { anyOf: [{ $ref: '#/Node' }, { type: 'null' }] } },
    };
    const answers = { 200: { 'application/json': { $ref: '#/Node' } } };
    const one = { id: 'get', permission: 'public', security: [], path: {}, query: {}, answers };
    return { version: '1', schemas: { Node: node }, operations: { 'GET /a': one, 'GET /b': one } };
  };
  expect(compareReleases(like('string'), like('integer'))).toEqual([
    { where: 'Node in answers.id', what: 'may now be integer', isBreaking: true },
  ]);
});

const folder = mkdtempSync(join(tmpdir(), 'parley-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a release is broken by a new version only, and what is released is what counts from then on', () => {
  const [document, last] = [join(folder, 'openapi.json'), join(folder, 'last.jsonl')];
  const run = (info: { version: string }, paths: object, ...more: string[]) => {
    const route = { operationId: 'get', responses: {}, 'x-permission': 'public' };
    const written = Object.fromEntries(Object.keys(paths).map((path) => [path, { get: route }]));
    writeFileSync(document, JSON.stringify({ info, components: { schemas: {} }, paths: written }));
    const program = resolve(import.meta.dirname, '../../../../tools/check-breaking.ts');
    const { status, stdout } = spawnSync(process.execPath, [program, '--document', document, '--last', last, ...more], {
      encoding: 'utf8',
    });
    return [status, stdout.split('\n')[0]];
  };
  const [first, second] = [{ version: '2026-01-01' }, { version: '2026-02-01' }];
  writeFileSync(last, JSON.stringify(first));
  expect(run(first, { '/a': 1, '/b': 1 }, '--release')).toEqual([0, '2026-01-01, as it is now, is the last release.']);
  expect(run(first, { '/a': 1, '/b': 1, '/c': 1 })).toEqual([0, '']);
  const before = readFileSync(last, 'utf8');
  expect(run(first, { '/a': 1 }, '--release')).toEqual([1, 'breaks  GET /b: is gone']);
  expect(readFileSync(last, 'utf8')).toBe(before);
  expect(run(second, { '/a': 1 }, '--release')).toEqual([0, 'breaks  GET /b: is gone']);
  expect(run(second, { '/a': 1 })).toEqual([0, '']);
});
