import { describe, expect, test } from 'vitest';
import { quote } from './quote.ts';
import type { SearchResult } from '../search/search.ts';

const chunk = (body: string, more: Partial<SearchResult> = {}): SearchResult => ({
  documentId: 'kdoc_1',
  place: 0,
  sourceId: 'ksrc_1',
  title: 'Returns',
  url: 'https://example.com/help/returns',
  heading: 'Returns › Deadlines',
  body,
  score: 0.8,
  matched: [],
  ...more,
});
const filler = (n: number) =>
  Array.from({ length: n }, (_, i) => `Sentence number ${i} is about nothing at all that matters here.`).join(' ');
const ask = (question: string, ...chunks: SearchResult[]) => quote(question, chunks, { language: 'en' });

test('returns an empty quote without chunks', () => {
  expect(ask('Why?')).toEqual({ text: '', citations: [] });
});

test('quotes a short chunk completely, with its name and citation', () => {
  const body = 'You have 30 days. The day of delivery counts.';
  expect(ask('How long can I return?', chunk(body))).toEqual({
    text: `From **Returns › Deadlines** [1]:\n\n${body}`,
    citations: [
      {
        n: 1,
        documentId: 'kdoc_1',
        place: 0,
        title: 'Returns',
        url: 'https://example.com/help/returns',
        heading: 'Returns › Deadlines',
      },
    ],
  });
});

test.each([
  ['de-AT', 'Aus'],
  ['fr', 'Extrait de'],
  ['es', 'De'],
  ['fi', 'From'],
])('uses labels in the language of the question, or English: %s', (language, word) => {
  expect(quote('?', [chunk('Ja.')], { language }).text).toMatch(new RegExp(`^${word} \\*\\*`));
});

describe('from a long chunk', () => {
  test('quotes only the relevant sentences, complete and in order', () => {
    const answer = 'A bicycle may be returned within 30 days. Without its box the deadline is shorter.';
    const { text } = ask(
      'What is the deadline to return a bicycle?',
      chunk(`${filler(9)}\n\n${answer}\n\n${filler(9)}`),
    );
    expect(text).toContain(answer);
    expect(text.split(/\s+/).length).toBeLessThan(110);
    for (const line of text.split('\n').slice(2)) expect(line === '' || /[.!?]$/.test(line)).toBe(true);
  });

  test('keeps a list of steps together with its lead-in', () => {
    const steps = Array.from({ length: 15 }, (_, n) => `${n + 1}. Step ${n + 1} of the thing that has to be done now.`);
    const list = `To pair the display:\n\n${steps.join('\n')}`;
    const { text } = ask('How do I pair the display?', chunk(`${filler(8)}\n\n${list}\n\n${filler(8)}`));
    expect(text).toContain(list);
    expect(text).not.toContain('Sentence number');
  });

  test('keeps list items with continuation lines together', () => {
    const list = '- **Brake pads**\n\n  They last two years.\n\n- **Chain**\n  Oil it.\n- Tyres';
    const { text } = ask('How long do brake pads last?', chunk(`${filler(9)}\n\n${list}\n\n${filler(9)}`));
    expect(text).toContain(list);
  });

  test('keeps a table together', () => {
    const rows = Array.from({ length: 30 }, (_, n) => `| E${n} | The motor has fault number ${n} |`);
    const table = `| Code | Meaning |\n|---|---|\n${rows.join('\n')}`;
    const { text } = ask('What does code E17 mean?', chunk(`${filler(9)}\n\n${table}\n\n${filler(9)}`));
    expect(text).toContain(table);
    expect(text).not.toContain('Sentence number');
  });

  test('keeps a code block together', () => {
    const code = '```\nreset --motor\n\nwait 10\n```';
    const { text } = ask('reset the motor', chunk(`${filler(9)}\n\n${code}\n\n${filler(9)}`));
    expect(text).toContain(code);
  });

  test('does not split a sentence at an abbreviation, or inside a link or emphasis', () => {
    const sentence =
      'For refunds, e.g. of Dr. Smith in approx. 3.5 days, see [What? All. Of it!](https://example.com/a.b?c=d.) and **this. too.** again.';
    const { text } = ask('refunds of Smith', chunk(`${filler(9)} ${sentence} ${filler(9)}`));
    expect(text).toContain(sentence);
  });
  test('does not split a sentence at a German abbreviation', () => {
    const sentence = 'Die Erstattung dauert z. B. bei Karten ca. 3 Tage bzw. 5 Tage.';
    const long = `${'Hier steht etwas ganz anderes über gar nichts von Belang. '.repeat(12)}${sentence}`;
    expect(quote('Wie lange dauert die Erstattung?', [chunk(long)], { language: 'de' }).text).toContain(sentence);
  });
});

describe('a second chunk', () => {
  const first = chunk('A refund takes five days.');
  const other = { documentId: 'kdoc_2', title: 'Cards', heading: 'Credit cards' };
  test('is added when it scores nearly as high and covers more of the question', () => {
    const second = chunk('With a credit card it is shown on your next statement.', { ...other, score: 0.75 });
    const { text, citations } = ask('refund to my credit card', first, second);
    expect(text).toContain('Also from **Cards › Credit cards** [2]:');
    expect(citations.map(({ n, documentId }) => [n, documentId])).toEqual([
      [1, 'kdoc_1'],
      [2, 'kdoc_2'],
    ]);
  });
  test.each([
    ['is much worse', chunk('With a credit card it differs.', { ...other, score: 0.4 })],
    ['covers no more of the question', chunk('A refund is paid. A refund.', { ...other, score: 0.79 })],
    ['is the same section', chunk('With a credit card it differs.', { place: 1, score: 0.79 })],
  ])('is left out when it %s', (_, second) => {
    expect(ask('refund to my credit card', first, second).citations).toHaveLength(1);
  });
});

describe('links and names', () => {
  test('makes relative links absolute, and drops scripts and images', () => {
    const body =
      'See [this](../terms#a), [that](mailto:a@example.com) and [evil](javascript:alert(1)). ![pixel](https://x.example/p.png)';
    const { text } = ask('see', chunk(body));
    expect(text).toContain('[this](https://example.com/terms#a)');
    expect(text).toContain('[that](mailto:a@example.com)');
    expect(text).not.toMatch(/javascript|pixel/);
    expect(ask('see', chunk(body, { url: null })).text).toContain('See this,');
  });
  test('escapes Markdown in a title', () => {
    expect(ask('x', chunk('Yes.', { title: '**Sale** [1](https://x.example)', heading: '' })).text).toMatch(
      /^From \*\*\\\*\\\*Sale\\\*\\\* \\\[1\\\]\(https:\/\/x\.example\)\*\* \[1\]:/,
    );
  });
});

test('is deterministic', () => {
  const found = [chunk(`${filler(20)} Refund. ${filler(3)}`), chunk('Other.', { documentId: 'kdoc_3', score: 0.79 })];
  expect(ask('refund other', ...found)).toEqual(ask('refund other', ...found));
});

test('of a chunk of tiny sections, quotes the one that answers, under its own name', () => {
  const body =
    '**Returns**\n\nYou can send anything back within 30 days.\n\n**Delivery**\n\nDelivery takes two to four working days.';
  const merged = chunk(body, { title: '# Help', heading: '' });
  expect(ask('How long does delivery take?', merged).text).toBe(
    'From **Help › Delivery** [1]:\n\nDelivery takes two to four working days.',
  );
  expect(ask('What about bicycles?', merged).text).toBe(`From **Help** [1]:\n\n${body}`); // none of them stands out
});
