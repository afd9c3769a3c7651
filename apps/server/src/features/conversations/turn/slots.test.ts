import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldsOf, problemOfValue } from '../../actions/index.ts';
import { extract, readSlot } from './slots.ts';

const schemaOf = (properties: Record<string, object>) => ({ type: 'object', additionalProperties: false, properties });
/** Value read from a response to the question for this field. */
const answer = (field: object, text: string) => {
  const schema = schemaOf({ it: field });
  const [it] = fieldsOf(schema);
  return it && readSlot(it, text, schema);
};
/** Value found in a longer sentence. */
const found = (field: object, text: string) => {
  const schema = schemaOf({ it: field });
  return extract(fieldsOf(schema), text, schema)['it'];
};

const order = { type: 'string', pattern: '^[A-Z]-\\d{3,6}$' };
const size = { type: 'string', enum: ['small', 'large', 'extra large'] };
const email = { type: 'string', format: 'email' };
const date = { type: 'string', format: 'date' };
const amount = { type: 'integer', minimum: 1, maximum: 10 };

describe('readSlot', () => {
  test.each([
    ['A-4711', order, 'A-4711'],
    ['  A-4711. ', order, 'A-4711'],
    ['it is A-4711, please', order, 'A-4711'],
    ['(A-4711)', order, 'A-4711'],
    ['XA-4711', order, undefined],
    ['A-47111111', order, undefined],
    ['a-4711', order, undefined],
    ['the red one', order, undefined],
    ['Large!', size, 'large'],
    ['the large one', size, 'large'],
    ['small or large', size, undefined],
    ['larger', size, undefined],
    ['3', amount, 3],
    ['three', amount, undefined],
    ['I want 3 of them', amount, 3],
    ['3 or 4', amount, undefined],
    ['11', amount, undefined],
    ['-1', amount, undefined],
    ['2.5', amount, undefined],
    ['2,5', { type: 'number' }, 2.5],
    ['it costs 2.50 euros', { type: 'number' }, 2.5],
    ['kim@example.com', email, 'kim@example.com'],
    ['write to kim@example.com, thanks', email, 'kim@example.com'],
    ['kim at example', email, undefined],
    ['2026-03-01', date, '2026-03-01'],
    ['on 2026-03-01 if you can', date, '2026-03-01'],
    ['2026-13-01', date, undefined],
    ['tomorrow', date, undefined],
    ['Main Street 1', { type: 'string' }, 'Main Street 1'],
    ['', { type: 'string', minLength: 1 }, undefined],
    ['x'.repeat(30), { type: 'string', maxLength: 20 }, undefined],
  ])('reads %j for %j as %j', (text, field, value) => {
    expect(answer(field, text)).toBe(value);
  });

  test.each(['yes', 'Yes!', 'y', 'ok', 'ja', 'Jawohl.', 'oui', 'sí', 'si', 'Sí!'])('reads %s as true', (text) => {
    expect(answer({ type: 'boolean' }, text)).toBe(true);
  });
  test.each(['no', 'No.', 'nope', 'nein', 'non', 'Nein!'])('reads %s as false', (text) => {
    expect(answer({ type: 'boolean' }, text)).toBe(false);
  });
  test.each(['maybe', 'yes and no', 'not yes', 'nono', '1', ''])('rejects %j as a boolean', (text) => {
    expect(answer({ type: 'boolean' }, text)).toBeUndefined();
  });

  test('validates against referenced definitions', () => {
    const schema = { ...schemaOf({ it: { $ref: '#/$defs/code' } }), $defs: { code: { type: 'string', maxLength: 3 } } };
    const [it] = fieldsOf(schema);
    if (!it) throw new Error('there is no field');
    expect(readSlot({ ...it, schema: { type: 'string', $ref: '#/$defs/code' } }, 'abc', schema)).toBe('abc');
    expect(readSlot({ ...it, schema: { type: 'string', $ref: '#/$defs/code' } }, 'abcd', schema)).toBeUndefined();
  });
});

describe('findIn and extract', () => {
  test('find the value of each field in a sentence', () => {
    const schema = schemaOf({ order, amount, size, email, note: { type: 'string' } });
    expect(extract(fieldsOf(schema), 'Send 2 large ones of A-4711 to kim@example.com', schema)).toEqual({
      order: 'A-4711',
      amount: 2,
      size: 'large',
      email: 'kim@example.com',
    });
  });

  test('find nothing for plain strings and patterns without a digit', () => {
    expect(found({ type: 'string' }, 'cancel my order')).toBeUndefined();
    expect(found({ type: 'string', pattern: '^[a-z]+$' }, 'cancel my order')).toBeUndefined();
    expect(found({ type: 'boolean' }, 'yes cancel it')).toBeUndefined();
  });

  test('support a pattern that ends with an escaped dollar sign', () => {
    expect(found({ type: 'string', pattern: '^\\d+\\$' }, 'it costs 20$ there')).toBe('20$');
  });

  test('ignore options that cannot be typed', () => {
    const odd = { enum: [{ toString: 1, valueOf: 1 }, null, [], 5, 'five', true] };
    expect(found(odd, 'I take five')).toBe('five');
    expect(answer(odd, '5')).toBe(5);
    expect(answer(odd, 'null')).toBeUndefined();
  });
});

test('never returns a value that violates the schema', () => {
  const fields = [order, size, email, date, amount, { type: 'number', exclusiveMaximum: 3 }, { type: 'boolean' }];
  const more = [{ type: 'string', minLength: 3, maxLength: 9 }, { type: 'string', format: 'uuid' }, { const: 4 }, true];
  const piece = fc.oneof(
    fc.constantFrom('A-4711', '3', '-7', '2,5', 'large', 'yes', 'kim@example.com', '2026-02-30', '$', ' ', '.', '\n'),
    fc.string({ unit: 'grapheme', maxLength: 10 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...fields, ...more), fc.array(piece, { maxLength: 5 }), (field, pieces) => {
      const schema = schemaOf({ it: field as object });
      const text = pieces.join(' ');
      for (const value of [answer(field as object, text), found(field as object, text)])
        if (value !== undefined) expect(problemOfValue(schema, { it: value })).toBeNull();
    }),
    { numRuns: 500 },
  );
});
