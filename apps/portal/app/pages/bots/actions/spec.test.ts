import { describe, expect, test } from 'vitest';
import { addField, changeField, choicesFrom, fieldsOf, removeField, renameField, valueFrom } from './inputs.ts';
import { emptySpec, lineAndColumn, nameFrom, readText, textOf, type Spec } from './spec.ts';

const orderId = { type: 'string', title: 'Order number', pattern: '^A-', minLength: 3 };
const spec: Spec = {
  ...emptySpec,
  name: 'order_status',
  title: 'Order status',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['orderId'],
    properties: { orderId, parts: { type: 'array', items: { type: 'string' } } },
  },
  questions: { orderId: 'Which one?' },
};

describe('readText', () => {
  test('parses the text of a spec back to the same spec', () => expect(readText(textOf(spec))).toEqual({ spec }));
  test('fills in defaults of omitted fields', () =>
    expect(readText('{ "name": "a", "title": "A" }')).toEqual({ spec: { ...emptySpec, name: 'a', title: 'A' } }));

  test.each([
    ['{\n  "name": "a"\n  "title": "A"\n}', 3, /isn’t valid JSON/],
    ['{\n  "name": "a",\n  "risk": "huge"\n}', 3, /“risk” must be "read" or "write"/],
    ['{\n  "nam": "a"\n}', 2, /Unknown field “nam”/],
    ['{ "triggers": "where" }', 1, /“triggers” must be a list of strings/],
    ['{ "inputSchema": { "properties": { "a": 1 } } }', 1, /“inputSchema” must be/],
    ['{ "steps": [{}] }', 1, /“steps” must be/],
    ['[]', 1, /must be an object/],
    ['', 1, /isn’t valid JSON/],
  ])('returns the error and its line for %j', (text, line, message) => {
    const result = readText(text);
    if (!('jsonError' in result)) throw new Error('expected a JSON error');
    expect(result.jsonError.message).toMatch(message);
    expect(lineAndColumn(text, result.jsonError.at ?? -1).line).toBe(line);
  });
});

describe('input fields', () => {
  test('have type null when the form can’t show them, such as lists', () =>
    expect(fieldsOf(spec)).toMatchObject([
      { name: 'orderId', label: 'Order number', type: 'string', isRequired: true, question: 'Which one?' },
      { name: 'parts', type: null, isRequired: false, question: '' },
    ]));

  test('keep schema keywords the form does not show', () => {
    const { inputSchema } = changeField(spec, 'orderId', { label: 'Number' });
    expect(inputSchema).toEqual({
      ...spec.inputSchema,
      properties: { ...(spec.inputSchema['properties'] as object), orderId: { ...orderId, title: 'Number' } },
    });
  });

  test('keep position, question and required flag when renamed', () => {
    const renamed = renameField(spec, 'orderId', 'number');
    expect(fieldsOf(renamed)).toMatchObject([
      { name: 'number', isRequired: true, question: 'Which one?' },
      { name: 'parts' },
    ]);
    expect(renamed.questions).toEqual({ number: 'Which one?' });
  });

  test('lose their pattern when the type changes, and are fully removed', () => {
    const { inputSchema } = changeField(spec, 'orderId', { type: 'integer' });
    expect(inputSchema['properties']).toMatchObject({ orderId: { type: 'integer', title: 'Order number' } });
    expect(JSON.stringify(inputSchema)).not.toContain('pattern');
    const removed = removeField(spec, 'orderId');
    expect([removed.inputSchema['required'], removed.questions]).toEqual([[], {}]);
  });

  test('get unused names when added', () =>
    expect(fieldsOf(addField(addField(renameField(spec, 'orderId', 'field3')))).map(({ name }) => name)).toEqual([
      'field3',
      'parts',
      'field4',
      'field5',
    ]));
});

test('choicesFrom parses numbers for numeric types and removes duplicates', () => {
  expect(choicesFrom('red, blue,, red', 'string')).toEqual(['red', 'blue']);
  expect(choicesFrom('1, 2, x', 'integer')).toEqual([1, 2]);
});

test('valueFrom converts by type and returns undefined for empty input', () => {
  expect([valueFrom('7', 'string'), valueFrom('7', 'integer'), valueFrom('true', 'boolean')]).toEqual(['7', 7, true]);
  expect([valueFrom(' ', 'string'), valueFrom('many', 'integer'), valueFrom('[1]', null)]).toEqual([
    undefined,
    'many',
    [1],
  ]);
  expect(() => valueFrom('[1', null)).toThrow(SyntaxError);
});

test('nameFrom generates a function name from a title', () => {
  expect(nameFrom('Cancel an order')).toBe('cancel_an_order');
  expect(nameFrom('2 Bücher ändern!')).toBe('bucher_andern');
});
