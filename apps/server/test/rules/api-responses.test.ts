import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compareReleases } from '../../../../tools/api-changes/operations.ts';
import { after, drop, field, type Case, type Field } from './changed-document.ts';

// Reports what would break a client that reads responses as before. Additions pass.

test.for<Case>([
  // Responses.
  [
    'another status',
    ({ eachOf }) =>
      eachOf('createWebhook', ({ responses }) => {
        responses['202'] = responses['201']!;
        delete responses['201'];
      }),
    ['note: POST /webhooks: may now return 202', 'POST /webhooks: no longer returns 201'],
  ],
  [
    'a response field is removed',
    ({ response }) => response('createWebhook', (schema) => delete schema.properties['secret']),
    ['POST /webhooks 201.secret: is gone'],
  ],
  [
    'a field shared by many responses is removed',
    ({ schema }) => delete schema('Webhook').properties['url'],
    ['Webhook in responses.url: is gone'],
  ],
  [
    'a response field is added',
    ({ schema }) => (schema('Webhook').properties['colour'] = { type: 'string' } as Field),
    [],
  ],
  [
    'a response field becomes optional',
    ({ schema }) => drop(schema('Webhook').required, 'url'),
    ['Webhook in responses.url: may now be missing'],
  ],
  [
    'a response field has another type',
    ({ schema }) => (field(schema('Webhook'), 'url').type = 'integer'),
    ['Webhook in responses.url: may now be integer'],
  ],
  [
    'a response field becomes nullable',
    ({ schema }) => (field(schema('Webhook'), 'url').type = ['string', 'null']),
    ['Webhook in responses.url: may now be null'],
  ],
  [
    'a field is no longer a date',
    ({ schema }) => delete field(schema('Webhook'), 'createdAt').format,
    ['Webhook in responses.createdAt: is no longer in the format date-time'],
  ],
  [
    'a response value is added',
    ({ schema }) => void field(schema('Webhook'), 'status').enum!.push('asleep'),
    ['note: Webhook in responses.status: may now be "asleep"'],
  ],
  [
    'a response value is renamed',
    ({ schema }) => (field(schema('Webhook'), 'status').enum![0] = 'running'),
    ['Webhook in responses.status: may now be "running"'],
  ],
  ['a response value is removed', ({ schema }) => void field(schema('Webhook'), 'status').enum!.pop(), []],
  ['the limits of a response field', ({ schema }) => (field(schema('Webhook'), 'description').maxLength = 5_000), []],

  // Descriptions.
  [
    'another description',
    ({ document, schema }) => {
      schema('Webhook').properties['url'] = { ...field(schema('Webhook'), 'url'), description: 'Other' } as Field;
      document.info.version = '2030-01-01';
    },
    [],
  ],
])('%s', ([, change, expected]) => {
  expect(after(change)).toEqual(expected);
});

test('throws on a schema keyword that it does not compare', () => {
  expect(() => after(({ schema }) => Object.assign(schema('Webhook'), { not: {} }))).toThrow('keyword not');
});

test('compares recursive schemas and reports a change once', () => {
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
    { where: 'Node in responses.id', what: 'may now be integer', isBreaking: true },
  ]);
});

const folder = mkdtempSync(join(tmpdir(), 'parley-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('fails a breaking release without a new version, and compares with the last release afterwards', () => {
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
