import { describe, expect, test } from 'vitest';
import { addField, changeField, choicesFrom, fieldsOf, removeField, renameField, valueFrom } from './inputs.ts';
import { emptySpec, lineOf, nameFrom, readText, textOf, type Spec } from './spec.ts';

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

describe('the JSON', () => {
  test('of a spec is read back as the same spec', () => expect(readText(textOf(spec))).toEqual({ spec }));
  test('may leave out what has a default', () =>
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
  ])('%j is refused with its line', (text, line, words) => {
    const found = readText(text);
    if (!('fault' in found)) throw new Error('it was taken');
    expect(found.fault.message).toMatch(words);
    expect(lineOf(text, found.fault.at ?? -1).line).toBe(line);
  });
});

describe('the fields of an input', () => {
  test('are shown with what a form can show; a list is left to the JSON', () =>
    expect(fieldsOf(spec)).toMatchObject([
      { name: 'orderId', label: 'Order number', type: 'string', isRequired: true, question: 'Which one?' },
      { name: 'parts', type: null, isRequired: false, question: '' },
    ]));

  test('keep what the form does not show', () => {
    const { inputSchema } = changeField(spec, 'orderId', { label: 'Number' });
    expect(inputSchema).toEqual({
      ...spec.inputSchema,
      properties: { ...(spec.inputSchema['properties'] as object), orderId: { ...orderId, title: 'Number' } },
    });
  });

  test('take place, question and need along under another name', () => {
    const renamed = renameField(spec, 'orderId', 'number');
    expect(fieldsOf(renamed)).toMatchObject([
      { name: 'number', isRequired: true, question: 'Which one?' },
      { name: 'parts' },
    ]);
    expect(renamed.questions).toEqual({ number: 'Which one?' });
  });

  test('lose their pattern with another kind, and everything when they are removed', () => {
    const { inputSchema } = changeField(spec, 'orderId', { type: 'integer' });
    expect(inputSchema['properties']).toMatchObject({ orderId: { type: 'integer', title: 'Order number' } });
    expect(JSON.stringify(inputSchema)).not.toContain('pattern');
    const removed = removeField(spec, 'orderId');
    expect([removed.inputSchema['required'], removed.questions]).toEqual([[], {}]);
  });

  test('get names that are free', () =>
    expect(fieldsOf(addField(addField(renameField(spec, 'orderId', 'field3')))).map(({ name }) => name)).toEqual([
      'field3',
      'parts',
      'field4',
      'field5',
    ]));
});

test('choices are numbers where numbers are meant, and none is there twice', () => {
  expect(choicesFrom('red, blue,, red', 'string')).toEqual(['red', 'blue']);
  expect(choicesFrom('1, 2, x', 'integer')).toEqual([1, 2]);
});

test('what is typed to try it is sent as its kind, and what is left empty is left out', () => {
  expect([valueFrom('7', 'string'), valueFrom('7', 'integer'), valueFrom('true', 'boolean')]).toEqual(['7', 7, true]);
  expect([valueFrom(' ', 'string'), valueFrom('many', 'integer'), valueFrom('[1]', null)]).toEqual([
    undefined,
    'many',
    [1],
  ]);
  expect(() => valueFrom('[1', null)).toThrow(SyntaxError);
});

test('a title gives a name that a model can call', () => {
  expect(nameFrom('Cancel an order')).toBe('cancel_an_order');
  expect(nameFrom('2 Bücher ändern!')).toBe('bucher_andern');
});
