import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromMarkdown, toMarkdown, type KnowledgeText } from '../../../../packages/cli/src/bots/knowledge-text.ts';
import { compare, hashOf, stableJson } from '../../../../packages/cli/src/bots/bot-files.ts';

/** Lines with a special meaning in our files, among others. */
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

const expectRoundTrip = (source: KnowledgeText): void => {
  expect(fromMarkdown(toMarkdown(source), 'file')).toEqual(source);
};

describe('knowledge as Markdown', () => {
  test('round-trips a text, whatever is in it', () => {
    const text = fc.record({ ...head, content: fc.record({ kind: fc.constant('text' as const), text: prose }) });
    fc.assert(fc.property(text, expectRoundTrip));
  });

  test('round-trips questions and answers, also with headings in an answer', () => {
    const pairs = fc.array(fc.record({ question: oneLine, answer: prose }), { minLength: 1, maxLength: 5 });
    const qa = fc.record({ ...head, content: fc.record({ kind: fc.constant('qa' as const), pairs }) });
    fc.assert(fc.property(qa, expectRoundTrip));
  });

  test('reads a file without front matter, with the file name as its name', () => {
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

test('serialises equal content to equal text, whatever the key order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      expect(stableJson(reversed)).toBe(stableJson(value));
    }),
  );
});

test.each([
  // local, remote, base; result
  ['a', 'a', 'x', 'none'],
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
])('local %s, remote %s, base %s: %s', (local, remote, base, expected) => {
  const files = (text: string | undefined) => new Map(text === undefined ? [] : [['path', text]]);
  const found = compare(files(local), files(remote), base === undefined ? {} : { path: hashOf(base) });
  const changes = Object.entries(found).flatMap(([name, all]) =>
    all.map(({ kind }: { kind: string }) => `${name} ${kind}`),
  );
  expect(changes).toEqual(expected === 'none' ? [] : [expected]);
});
