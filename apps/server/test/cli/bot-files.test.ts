import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromMarkdown, toMarkdown, type KnowledgeText } from '../../../../packages/cli/src/bots/knowledge-text.ts';
import { compare, hashOf, stableJson } from '../../../../packages/cli/src/bots/parts.ts';

/** Lines that mean something in our files, among any others. */
const line = fc.oneof(
  fc.constantFrom('---', '## Next', '\\## Next', '\\\\## x', '##', '# H', '', 'kind: "qa"'),
  fc.string(),
);
const prose = fc
  .array(line, { minLength: 1, maxLength: 8 })
  .map((lines) => lines.join('\n').replaceAll('\r', '').trim())
  .filter((text) => text !== '');
const oneLine = fc
  .string({ minLength: 1 })
  .map((text) => text.replaceAll(/[\n\r]/g, ' ').trim())
  .filter(Boolean);
const head = {
  name: oneLine,
  isEnabled: fc.boolean(),
  schedule: fc.constantFrom('none', 'daily'),
  language: fc.constantFrom(null, 'en'),
};

const comesBack = (source: KnowledgeText): void => {
  expect(fromMarkdown(toMarkdown(source), 'file')).toEqual(source);
};

describe('knowledge as Markdown', () => {
  test('a text comes back as it was, whatever is in it', () => {
    const text = fc.record({ ...head, content: fc.record({ kind: fc.constant('text' as const), text: prose }) });
    fc.assert(fc.property(text, comesBack));
  });

  test('questions and answers come back as they were, also with headings in an answer', () => {
    const pairs = fc.array(fc.record({ question: oneLine, answer: prose }), { minLength: 1, maxLength: 5 });
    const qa = fc.record({ ...head, content: fc.record({ kind: fc.constant('qa' as const), pairs }) });
    fc.assert(fc.property(qa, comesBack));
  });

  test('a file by hand needs no head: its name is the file’s', () => {
    expect(fromMarkdown('Thirty days.\n', 'returns')).toMatchObject({
      name: 'returns',
      isEnabled: true,
      content: { kind: 'text', text: 'Thirty days.' },
    });
    expect(fromMarkdown('---\nname: Returns\nkind: qa\n---\n## How long?\nThirty days.', 'x')).toMatchObject({
      name: 'Returns',
      content: { kind: 'qa', pairs: [{ question: 'How long?', answer: 'Thirty days.' }] },
    });
  });
});

test('the same content is the same text, in whatever order it was written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      expect(stableJson(reversed)).toBe(stableJson(value));
    }),
  );
});

test.each([
  // here, there, as it was; who changed it
  ['a', 'a', 'x', 'nobody'],
  ['b', 'a', 'a', 'mine update'],
  ['b', undefined, undefined, 'mine create'],
  [undefined, 'a', 'a', 'mine delete'],
  ['a', 'b', 'a', 'theirs update'],
  [undefined, 'b', undefined, 'theirs create'],
  ['a', undefined, 'a', 'theirs delete'],
  ['b', 'c', 'a', 'conflicts update'],
  ['b', 'c', undefined, 'conflicts update'],
  ['b', undefined, 'a', 'conflicts create'],
  [undefined, 'b', 'a', 'conflicts delete'],
])('here %s, there %s, before %s: %s', (here, there, before, who) => {
  const parts = (text: string | undefined) => new Map(text === undefined ? [] : [['path', text]]);
  const found = compare(parts(here), parts(there), before === undefined ? {} : { path: hashOf(before) });
  const said = Object.entries(found).flatMap(([name, changes]) =>
    changes.map(({ kind }: { kind: string }) => `${name} ${kind}`),
  );
  expect(said).toEqual(who === 'nobody' ? [] : [who]);
});
