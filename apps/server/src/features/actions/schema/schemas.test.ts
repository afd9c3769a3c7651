import { describe, expect, test } from 'vitest';
import { costOf } from '../../../../test/cost.ts';
import type { Schema } from '../actions.contract.ts';
import { fieldsOf, problemOfSchema, problemOfValue } from './schemas.ts';

const of = (properties: Record<string, unknown>, more: object = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});
/** Few words, and a value is looked at 2 to the power of so many times. */
const doubling = (times: number) =>
  Object.fromEntries(
    Array.from({ length: times }, (_, n) => [
      `d${n}`,
      n + 1 < times ? { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] } : { type: 'number' },
    ]),
  );
const text = (more: object) => of({ it: { type: 'string', ...more } });

describe('a schema', () => {
  test('that is of an object, closed and small is fine', () => {
    expect(problemOfSchema(of({}))).toBeNull();
    expect(problemOfSchema(text({ pattern: '^\\d+$', title: 'Number' }))).toBeNull();
    const inside = of({ it: { $ref: '#/$defs/one' } }, { $defs: { one: { type: 'string' } } });
    expect(problemOfSchema(inside)).toBeNull();
  });

  test.each<[string, Schema]>([
    ['of a list', { type: 'array' }],
    ['of anything', {}],
    ['open to more', { type: 'object', properties: {} }],
    ['longer than a form', of({ it: { type: 'string', description: 'x'.repeat(16_000) } })],
    ['of 51 properties', of(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, { type: 'string' }])))],
    ['with a reference to elsewhere', of({ it: { $ref: 'https://evil.example/schema.json' } })],
    ['with a reference to a file', of({ it: { $ref: 'file:///etc/passwd' } })],
    ['with a reference by a name', of({ it: { $ref: 'other#/x' } })],
    ['with a reference to nothing', of({ it: { $ref: '#/$defs/none' } })],
    ['with a name of its own', of({}, { $id: 'https://evil.example/' })],
    ['with another dialect', of({}, { $schema: 'http://json-schema.org/draft-04/schema#' })],
    ['with a dynamic reference', of({ it: { $dynamicRef: 'https://evil.example/#x' } })],
    ['with a word that nobody knows', of({ it: { type: 'string', maxLenght: 3 } })],
    ['with a pattern that is none', text({ pattern: '(' })],
    ['with a pattern that looks back', text({ pattern: '(a)\\1' })],
    ['with a repeat sixty times over', text({ pattern: 'a{1000}'.repeat(60) })],
    ['with repeats in 13 kB', text({ pattern: 'a{1000}'.repeat(1_800) })],
    ['with a repeat of a repeat', text({ pattern: '((a{10}){10}){30}' })],
    [
      'with repeats in many fields',
      of(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, { pattern: `b{${50 + n}}` }]))),
    ],
    ['with a repeat in the name of a property', of({}, { patternProperties: { 'a{999}b{999}c{999}': {} } })],
    ['with a repeat behind a class that looks open', text({ pattern: '[[:x](a{100}){100}[:]]' })],
    ['with a format that nobody knows', text({ format: 'regex' })],
    ['that holds itself', of({ it: { $ref: '#' } })],
    [
      'that goes round in a circle',
      of({ it: { $ref: '#/$defs/a' } }, { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }),
    ],
    ['that doubles with every name', of({ it: { $ref: '#/$defs/d0' } }, { $defs: doubling(40) })],
    ['with a reference into the middle', of({ it: { $ref: '#/properties/other' }, other: { type: 'string' } })],
    ['with a field required that it does not have', of({}, { required: ['it'] })],
  ])('%s is refused, with the reason', (_what, schema) => {
    const began = process.cpuUsage();
    expect(problemOfSchema(schema)).toMatch(/\w{3,}.*\.$/);
    const { user } = process.cpuUsage(began);
    expect(user / 1_000).toBeLessThan(1_000); // of compiling, those of 13 kB took 43 s
  });
});

describe('a value', () => {
  test('is held against the patterns of its own schema, however many there are', () => {
    const letters = text({ pattern: '^[a-z]+$' });
    const digits = text({ pattern: '^[0-9]+$' });
    for (let round = 0; round < 3; round++) {
      expect(problemOfValue(letters, { it: 'abc' })).toBeNull();
      expect(problemOfValue(digits, { it: 'abc' })).toContain('/it');
      expect(problemOfValue(letters, { it: '123' })).toContain('/it');
      expect(problemOfValue(digits, { it: '123' })).toBeNull();
    }
    const both = of({ one: { type: 'string', pattern: '^a' }, two: { type: 'string', pattern: '^b' } });
    expect(problemOfValue(both, { one: 'a', two: 'b' })).toBeNull();
    expect(problemOfValue(both, { one: 'a', two: 'a' })).toContain('/two');
  });

  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*)*x$'])(
    'costs eight times as much against %s when it is eight times as long',
    (pattern) => {
      const costOfLength = (length: number) => {
        const value = { it: `${'a'.repeat(length)}!` };
        return costOf(() => expect(problemOfValue(text({ pattern }), value)).toContain('/it'));
      };
      // Squared it would be 64 times as much, and with backtracking there would be no end.
      expect(costOfLength(20_000) / costOfLength(2_500)).toBeLessThan(24);
    },
  );

  test('of another alphabet, or with a line end, is no number', () => {
    const order = text({ pattern: '^[A-Z]-\\d{3,6}$' });
    expect(problemOfValue(order, { it: 'A-123' })).toBeNull();
    for (const it of ['A-123\n', 'A-１２３', ' A-123', 'A-12', 'A-1234567', 'A-123\0'])
      expect(problemOfValue(order, { it }), JSON.stringify(it)).toContain('/it');
  });

  test('has only what it has itself: nothing inherited counts, and __proto__ is one more field that is not allowed', () => {
    const one = of({ it: { type: 'string' } }, { required: ['it'] });
    const parsed = (json: string): unknown => JSON.parse(json);
    expect(problemOfValue(one, parsed('{"__proto__":{"it":"x"}}'))).not.toBeNull();
    expect(problemOfValue(one, parsed('{"it":"x","__proto__":{}}'))).toContain('__proto__');
    expect(problemOfValue(one, Object.create({ it: 'x' }))).not.toBeNull();
    expect(problemOfValue(of({}), parsed('{"constructor":1}'))).not.toBeNull();
    expect(problemOfValue(of({}), parsed('{"toString":1}'))).not.toBeNull();
    const named = of({ toString: { type: 'string' } }, { required: ['toString'] });
    expect(problemOfValue(named, {})).not.toBeNull();
  });

  test('of items that must differ is not compared when there are more than the schema allows', () => {
    expect(problemOfSchema(of({ it: { type: 'array', uniqueItems: true } }))).toContain('maxItems');
    const list = of({ it: { type: 'array', items: {}, uniqueItems: true, maxItems: 100 } });
    expect(problemOfSchema(list)).toBeNull();
    const long = { it: Array.from({ length: 20_000 }, (_, n) => n) };
    const cost = costOf(() => expect(problemOfValue(list, long)).toContain('/it'));
    expect(cost / costOf(() => JSON.stringify(long)), 'each with each costs thousands of times as much').toBeLessThan(
      100,
    );
    expect(problemOfValue(list, { it: [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }] })).toContain('/it');
    expect(problemOfValue(list, { it: [1, '1', [1], true, null] })).toBeNull();
  });

  test('that is nested without end is refused', () => {
    const open = of({ it: {} });
    expect(problemOfValue(open, { it: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown })).not.toBeNull();
  });

  test('that is no object at all is refused', () => {
    for (const value of [null, undefined, [], 'x', 1, true]) expect(problemOfValue(of({}), value)).not.toBeNull();
  });

  test('that is wrong is named by its place, and not by what somebody wrote at length', () => {
    const problem = problemOfValue(of({}), { ['x'.repeat(10_000)]: 1 });
    expect(problem?.length).toBeLessThan(400);
  });
});

test('fields have the label of their title, or of their name in words', () => {
  const schema = of(
    { orderId: { type: 'string' }, zip_code: { type: 'string', title: 'Postcode' } },
    { required: ['orderId'] },
  );
  expect(fieldsOf(schema).map(({ name, label, isRequired }) => [name, label, isRequired])).toEqual([
    ['orderId', 'Order id', true],
    ['zip_code', 'Postcode', false],
  ]);
});
