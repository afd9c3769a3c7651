import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { api, aTenant, type Response } from '../harness.ts';
import { resetLimitsOf } from './chats.ts';
import { plantWebhook } from './hooks.ts';

// Action schemas are written by tenants and compiled in our process: whatever they contain, each request returns in time
// and without a 5xx.

const tenant = await aTenant({ plan: 'enterprise' });
const [webhookId = ''] = await plantWebhook(tenant);
const seed = seedFrom('FUZZ_SEED');
const numRuns = 3 * countOf('FUZZ_VALID', { sample: 2, full: 20 });
const maxMs = 5_000;
const tally = { requests: 0, created: 0, slowest: 0 };
afterAll(() => console.log(`fuzz of actions: FUZZ_SEED=${seed}, ${JSON.stringify(tally)}`));

async function timed(what: string, send: () => Promise<Response>): Promise<Response> {
  const startedAt = performance.now();
  const response = await send();
  const ms = Math.round(performance.now() - startedAt);
  tally.requests++;
  tally.slowest = Math.max(tally.slowest, ms);
  expect(response.statusCode, `${what.slice(0, 2_000)}\n${response.body.slice(0, 500)}`).toBeLessThan(500);
  expect(ms, `${what.slice(0, 2_000)} took ${ms} ms`).toBeLessThan(maxMs);
  return response;
}

let n = 0;
/** Creates an action, runs it with each input, and deletes it. */
async function use(spec: object, inputs: readonly unknown[]) {
  if (++n % 20 === 0) await resetLimitsOf(tenant.tenantId);
  const what = JSON.stringify(spec);
  const body = { name: `fuzz_${n}`, title: 'Fuzz', webhookId, ...spec };
  const created = await timed(what, () => tenant.post(`/bots/${tenant.botId}/actions`, body));
  if (created.statusCode !== 201) return created;
  tally.created++;
  const { id } = created.json<{ action: { id: string } }>().action;
  for (const input of inputs) await timed(what, () => tenant.post(`/actions/${id}/try`, { input }));
  await timed(what, () => tenant.patch(`/actions/${id}`, { title: 'Changed' }));
  await timed(what, () => api.app.inject({ method: 'DELETE', url: `/actions/${id}`, headers: tenant.headers }));
  return created;
}

// ---- any schema

const word = fc.constantFrom('a', 'b', 'toString', 'constructor', 'hasOwnProperty', 'length', '', '$ref', 'é', '"];//');
const patterns = fc.constantFrom('^\\d+$', '(a+)+$', '(?=a)', '[', '\\', '^(a?){1000}b$', '\\p{L}+', '$', '(.*)*x');
const small = fc.oneof(fc.constantFrom(0, 1, -1, 1e308, 5e-324, 0.1), fc.integer(), fc.double({ noNaN: true }));
const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => {
  const inner = tie('schema');
  const several = fc.array(inner, { maxLength: 3 });
  const named = fc.dictionary(word, inner, { maxKeys: 3, noNullPrototype: true });
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(
      fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'boolean', 'null', 'file'),
      fc.constantFrom(['string', 'null'], [], 5),
    ),
    properties: named,
    required: fc.array(word, { maxLength: 2 }),
    items: inner,
    prefixItems: several,
    contains: inner,
    allOf: several,
    anyOf: several,
    oneOf: several,
    not: inner,
    if: inner,
    else: inner,
    enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
    const: fc.jsonValue({ maxDepth: 1 }),
    pattern: patterns,
    format: fc.constantFrom('email', 'date', 'uri', 'regex', 'date-time', ''),
    minimum: small,
    maxLength: small,
    minItems: small,
    multipleOf: small,
    uniqueItems: fc.boolean(),
    additionalProperties: inner,
    patternProperties: fc.dictionary(patterns, inner, { maxKeys: 2, noNullPrototype: true }),
    propertyNames: inner,
    dependentRequired: fc.dictionary(word, fc.array(word, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
    unevaluatedProperties: inner,
    $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/nowhere', 'https://example.com/a', '#/%zz'),
    $dynamicRef: fc.constant('#a'),
    $async: fc.constant(true),
    title: fc.oneof(word, fc.constant(5)),
    default: fc.jsonValue({ maxDepth: 1 }),
  };
  const keyword = fc.oneof(
    ...Object.entries(keywords).map(([name, value]) => value.map((one): object => ({ [name]: one }))),
  );
  // Few at a time: with many keywords, one is always invalid.
  const few = fc
    .array(keyword, { minLength: 1, maxLength: 3 })
    .map((some): object => Object.assign({}, ...some) as object);
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), few) };
});
const anInput = fc.oneof(
  fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
  fc.constantFrom({}, { a: 'a' }, { a: 1 }, { a: ['a', {}, {}] }),
);
const root = fc
  .tuple(
    fc.dictionary(word, schema, { maxKeys: 3, noNullPrototype: true }),
    fc.dictionary(fc.constantFrom('a', 'b'), schema, { noNullPrototype: true }),
    fc.option(schema, { nil: undefined }),
  )
  .map(([properties, $defs, more]) => ({
    type: 'object',
    additionalProperties: false,
    properties,
    ...(Object.keys($defs).length > 0 && { $defs }),
    ...(typeof more === 'object' && { allOf: [more] }),
  }));

test('returns no 5xx in time for any schema tried with any input', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(root, fc.array(anInput, { minLength: 1, maxLength: 2 }), async (inputSchema, inputs) => {
      await use({ inputSchema }, inputs);
    }),
    { seed, numRuns },
  ),
);

// ---- known hostile cases

const object = (more: object) => ({ type: 'object', additionalProperties: false, ...more });
const ofA = (a: object) => object({ properties: { a } });
const nested = (depth: number, inner: unknown, wrap: (value: unknown) => unknown) =>
  Array.from({ length: depth }).reduce<unknown>((value) => wrap(value), inner);
const doubling = object({
  allOf: [{ $ref: '#/$defs/d0' }],
  $defs: Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `d${at}`,
      at === 59 ? {} : { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  ),
});
const many = Array.from({ length: 60_000 }, () => ({}));

test.each([
  ['references that double sixty times', doubling, {}],
  ['a reference to itself', object({ allOf: [{ $ref: '#' }] }), {}],
  ['a definition of itself', object({ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/a' } } }), {}],
  ['a dynamic reference', object({ allOf: [{ $dynamicRef: '#a' }] }), {}],
  ['a recursive reference of an old draft', object({ allOf: [{ $recursiveRef: '#' }] }), {}],
  [
    'an asynchronous schema, whose promise would be truthy',
    object({ $async: true, properties: { a: { type: 'string' } } }),
    { a: 1 },
  ],
  ['each compared with each', ofA({ type: 'array', uniqueItems: true }), { a: many }],
  ['a schema a thousand deep', ofA(nested(1_000, {}, (not) => ({ not })) as object), {}],
])('returns 400 in time for %s', async (_name, inputSchema, input) => {
  expect((await use({ inputSchema }, [input])).statusCode).toBe(400);
});

test.each([
  [
    'a long text against a pattern with a thousand states',
    ofA({ type: 'string', pattern: '(a|b|ab){120}c$' }),
    'ab'.repeat(400_000),
  ],
  [
    'a text that makes backtracking regex engines hang',
    ofA({ type: 'string', pattern: '^(a+)+$' }),
    `${'a'.repeat(50_000)}!`,
  ],
  ['a long list', ofA({ type: 'array', items: { anyOf: [{ const: 1 }, { const: 2 }] } }), many],
  ['each of a hundred compared with each', ofA({ type: 'array', uniqueItems: true, maxItems: 100 }), many],
])('returns 400 in time when trying %s', async (_name, inputSchema, a) => {
  const body = { name: `fuzz_${++n}`, title: 'Fuzz', webhookId, inputSchema };
  const created = await timed('', () => tenant.post(`/bots/${tenant.botId}/actions`, body));
  expect(created.statusCode, created.body).toBe(201);
  const { id } = created.json<{ action: { id: string } }>().action;
  const tried = await timed('', () => tenant.post(`/actions/${id}/try`, { input: { a } }));
  expect(tried.statusCode, tried.body).toBe(400);
});

test('returns 4xx in time for a schema and an input nested fifty thousand deep', async () => {
  const post = (url: string, payload: string) =>
    timed(url, () =>
      api.app.inject({
        method: 'POST',
        url,
        headers: { ...tenant.headers, 'content-type': 'application/json' },
        payload,
      }),
    );
  const deep = (open: string, close: string) => `${open.repeat(50_000)}1${close.repeat(50_000)}`;
  const about = `"name":"deep_one","title":"Deep","webhookId":"${webhookId}"`;
  const schema = `{"type":"object","additionalProperties":false,"properties":{"a":${deep('{"not":', '}')}}}`;
  const refused = await post(`/bots/${tenant.botId}/actions`, `{${about},"inputSchema":${schema}}`);
  expect(refused.statusCode, refused.body).toBe(400);
  const open = '{"type":"object","additionalProperties":false,"properties":{"a":{}}}';
  const created = await post(`/bots/${tenant.botId}/actions`, `{${about},"inputSchema":${open}}`);
  const { id } = created.json<{ action: { id: string } }>().action;
  expect((await post(`/actions/${id}/try`, `{"input":{"a":${deep('[', ']')}}}`)).statusCode).toBe(400);
});

// ---- steps

test('returns no 5xx in time for any steps, pointers and conditions', { timeout: 120_000 }, async () => {
  const part = { name: 'part_of_it', title: 'Part', webhookId };
  const { id } = (await tenant.post(`/bots/${tenant.botId}/actions`, part)).json<{ action: { id: string } }>().action;
  const pointer = fc.oneof(
    fc.constantFrom(
      '/input',
      '/input/a',
      '/steps/one',
      '/steps/one/a~1b',
      '/steps/two/0',
      '/input/~2',
      '',
      '/',
      '/secret',
    ),
    fc.string({ maxLength: 20 }),
  );
  const source = fc.oneof(
    fc.record({ from: pointer }, { noNullPrototype: true }),
    fc.record({ value: fc.jsonValue({ maxDepth: 1 }) }, { noNullPrototype: true }),
  );
  const mapping = fc.dictionary(word, source, { maxKeys: 2, noNullPrototype: true });
  const actionId = fc.constantFrom(id, id, 'act_01h45ytscbebyvny4gc8cr8ma2', 'act_1');
  const step = fc.record(
    {
      name: fc.constantFrom('one', 'two', 'One', '__proto__'),
      actionId,
      input: mapping,
      when: fc.record({ from: pointer, equals: fc.jsonValue({ maxDepth: 0 }) }, { noNullPrototype: true }),
      compensation: fc.record({ actionId, input: mapping }, { noNullPrototype: true }),
    },
    { requiredKeys: ['name', 'actionId'], noNullPrototype: true },
  );
  const steps = fc.array(step, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(steps, mapping, anInput, async (some, output, input) => {
      await use({ webhookId: null, steps: some, output }, [{}, input]);
    }),
    { seed, numRuns },
  );
});
