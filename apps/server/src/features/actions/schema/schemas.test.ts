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
/** A small schema whose expanded size is 2 to the power of `times`. */
const doubling = (times: number) =>
  Object.fromEntries(
    Array.from({ length: times }, (_, n) => [
      `d${n}`,
      n + 1 < times ? { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] } : { type: 'number' },
    ]),
  );
const text = (more: object) => of({ it: { type: 'string', ...more } });

describe('problemOfSchema', () => {
  test('accepts a small, closed object schema', () => {
    expect(problemOfSchema(of({}))).toBeNull();
    expect(problemOfSchema(text({ pattern: '^\\d+$', title: 'Number' }))).toBeNull();
    const inside = of({ it: { $ref: '#/$defs/one' } }, { $defs: { one: { type: 'string' } } });
    expect(problemOfSchema(inside)).toBeNull();
  });

  test.each<[string, Schema]>([
    ['of an array', { type: 'array' }],
    ['without a type', {}],
    ['with additional properties', { type: 'object', properties: {} }],
    ['with too many characters', of({ it: { type: 'string', description: 'x'.repeat(16_000) } })],
    ['of 51 properties', of(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, { type: 'string' }])))],
    ['with a remote reference', of({ it: { $ref: 'https://evil.example/schema.json' } })],
    ['with a file reference', of({ it: { $ref: 'file:///etc/passwd' } })],
    ['with a reference to another schema', of({ it: { $ref: 'other#/x' } })],
    ['with a dangling reference', of({ it: { $ref: '#/$defs/none' } })],
    ['with an $id', of({}, { $id: 'https://evil.example/' })],
    ['with another dialect', of({}, { $schema: 'http://json-schema.org/draft-04/schema#' })],
    ['with a dynamic reference', of({ it: { $dynamicRef: 'https://evil.example/#x' } })],
    ['with an unknown keyword', of({ it: { type: 'string', maxLenght: 3 } })],
    ['with an invalid pattern', text({ pattern: '(' })],
    ['with a backreference', text({ pattern: '(a)\\1' })],
    ['with sixty large repeats', text({ pattern: 'a{1000}'.repeat(60) })],
    ['with 13 kB of repeats', text({ pattern: 'a{1000}'.repeat(1_800) })],
    ['with nested repeats', text({ pattern: '((a{10}){10}){30}' })],
    [
      'with repeats in many fields',
      of(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, { pattern: `b{${50 + n}}` }]))),
    ],
    ['with large repeats in a property pattern', of({}, { patternProperties: { 'a{999}b{999}c{999}': {} } })],
    ['with repeats after an unclosed character class', text({ pattern: '[[:x](a{100}){100}[:]]' })],
    ['with an unknown format', text({ format: 'regex' })],
    ['that references itself', of({ it: { $ref: '#' } })],
    [
      'with a circular reference',
      of({ it: { $ref: '#/$defs/a' } }, { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }),
    ],
    ['that grows exponentially once resolved', of({ it: { $ref: '#/$defs/d0' } }, { $defs: doubling(40) })],
    ['with a reference outside $defs', of({ it: { $ref: '#/properties/other' }, other: { type: 'string' } })],
    ['that requires an undefined property', of({}, { required: ['it'] })],
  ])('rejects a schema %s', (_title, schema) => {
    const startUsage = process.cpuUsage();
    expect(problemOfSchema(schema)).toMatch(/\w{3,}.*\.$/);
    const { user } = process.cpuUsage(startUsage);
    expect(user / 1_000).toBeLessThan(1_000); // compiling the 13 kB of repeats took 43 s
  });
});

describe('problemOfValue', () => {
  test('applies the patterns of the given schema, whatever other schemas are compiled', () => {
    const lowercase = text({ pattern: '^[a-z]+$' });
    const digits = text({ pattern: '^[0-9]+$' });
    for (let round = 0; round < 3; round++) {
      expect(problemOfValue(lowercase, { it: 'abc' })).toBeNull();
      expect(problemOfValue(digits, { it: 'abc' })).toContain('/it');
      expect(problemOfValue(lowercase, { it: '123' })).toContain('/it');
      expect(problemOfValue(digits, { it: '123' })).toBeNull();
    }
    const both = of({ one: { type: 'string', pattern: '^a' }, two: { type: 'string', pattern: '^b' } });
    expect(problemOfValue(both, { one: 'a', two: 'b' })).toBeNull();
    expect(problemOfValue(both, { one: 'a', two: 'a' })).toContain('/two');
  });

  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*)*x$'])('takes linear time for pattern %s', (pattern) => {
    const costOfLength = (length: number) => {
      const value = { it: `${'a'.repeat(length)}!` };
      return costOf(() => expect(problemOfValue(text({ pattern }), value)).toContain('/it'));
    };
    // Quadratic matching would take 64 times as long, and backtracking would not end.
    expect(costOfLength(20_000) / costOfLength(2_500)).toBeLessThan(24);
  });

  test('\\d and $ do not match other alphabets or a trailing newline', () => {
    const order = text({ pattern: '^[A-Z]-\\d{3,6}$' });
    expect(problemOfValue(order, { it: 'A-123' })).toBeNull();
    for (const it of ['A-123\n', 'A-１２３', ' A-123', 'A-12', 'A-1234567', 'A-123\0'])
      expect(problemOfValue(order, { it }), JSON.stringify(it)).toContain('/it');
  });

  test('ignores inherited properties and rejects __proto__ as an unknown field', () => {
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

  test('does not compare unique items beyond maxItems', () => {
    expect(problemOfSchema(of({ it: { type: 'array', uniqueItems: true } }))).toContain('maxItems');
    const list = of({ it: { type: 'array', items: {}, uniqueItems: true, maxItems: 100 } });
    expect(problemOfSchema(list)).toBeNull();
    const long = { it: Array.from({ length: 20_000 }, (_, n) => n) };
    const cost = costOf(() => expect(problemOfValue(list, long)).toContain('/it'));
    expect(
      cost / costOf(() => JSON.stringify(long)),
      'comparing all pairs takes thousands of times as long',
    ).toBeLessThan(100);
    expect(problemOfValue(list, { it: [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }] })).toContain('/it');
    expect(problemOfValue(list, { it: [1, '1', [1], true, null] })).toBeNull();
  });

  test('rejects a value that is nested too deep', () => {
    const open = of({ it: {} });
    expect(problemOfValue(open, { it: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown })).not.toBeNull();
  });

  test('rejects values that are not objects', () => {
    for (const value of [null, undefined, [], 'x', 1, true]) expect(problemOfValue(of({}), value)).not.toBeNull();
  });

  test('keeps the message short when a field name is very long', () => {
    const problem = problemOfValue(of({}), { ['x'.repeat(10_000)]: 1 });
    expect(problem?.length).toBeLessThan(400);
  });
});

test('fieldsOf takes the label from the title, or else from the spaced name', () => {
  const schema = of(
    { orderId: { type: 'string' }, zip_code: { type: 'string', title: 'Postcode' } },
    { required: ['orderId'] },
  );
  expect(fieldsOf(schema).map(({ name, label, isRequired }) => [name, label, isRequired])).toEqual([
    ['orderId', 'Order id', true],
    ['zip_code', 'Postcode', false],
  ]);
});
