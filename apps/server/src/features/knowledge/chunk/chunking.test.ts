import { describe, expect, test } from 'vitest';
import { toChunks } from './chunking.ts';
import { countWords } from './split.ts';

const words = (count: number, word = 'word') => Array.from({ length: count }, (_, n) => `${word}${n}`).join(' ');
const sentences = (count: number) =>
  Array.from({ length: count }, (_, n) => `Sentence ${n} has six words here.`).join(' ');
const cut = (markdown: string, title = 'Title') => toChunks(markdown, title);

/** Every word of the source stands in exactly one chunk. */
function expectNothingLostOrTwice(markdown: string) {
  const marked = [...markdown.matchAll(/\bword\d+\b/g)].map(([found]) => found);
  const kept = cut(markdown).flatMap(({ body }) => [...body.matchAll(/\bword\d+\b/g)].map(([found]) => found));
  expect(kept.toSorted()).toEqual(marked.toSorted());
}

describe('headings', () => {
  test('a chunk for each section, under the path of its headings, without the title', () => {
    const markdown = `# Title\n\n${words(40)}\n\n## Delivery\n\n${words(50)}\n\n### Abroad\n\n${words(60)}\n\n## Returns\n\n${words(70)}`;
    expect(cut(markdown).map(({ heading }) => heading)).toEqual(['', 'Delivery', 'Delivery › Abroad', 'Returns']);
    expectNothingLostOrTwice(`${words(40)}\n\n## A\n\n${words(400).replaceAll('word', 'words')}`);
  });

  test('a heading that skips levels, or comes back, has the right path', () => {
    const markdown = `### Deep\n\n${words(40)}\n\n# Top\n\n${words(40)}\n\n#### Far below\n\n${words(40)}`;
    expect(cut(markdown).map(({ heading }) => heading)).toEqual(['Deep', 'Top', 'Top › Far below']);
  });

  test('marks in a heading are not part of it, and underlined lines are headings', () => {
    const markdown = `Underlined\n==========\n\n${words(40)}\n\nSecond\n---\n\n${words(40)}\n\n### **Bold** [link](https://example.com) \`code\` ##\n\n${words(40)}`;
    expect(cut(markdown).map(({ heading }) => heading)).toEqual([
      'Underlined',
      'Underlined › Second',
      'Underlined › Second › Bold link code',
    ]);
  });

  test('what looks like a heading in code is none', () => {
    const markdown = `## Install\n\n${words(40)}\n\n\`\`\`sh\n# not a heading\nmake\n\`\`\`\n\n~~~~\n## nor this\n\`\`\`\n~~~~\n\nafter`;
    const chunks = cut(markdown);
    expect(chunks.map(({ heading }) => heading)).toEqual(['Install']);
    expect(chunks[0]?.body).toContain('# not a heading\nmake\n```');
  });

  test('code that is never closed goes on to the end', () => {
    expect(cut(`## A\n\n\`\`\`\n# x\n\n# y`)).toEqual([{ heading: 'A', body: '```\n# x\n\n# y' }]);
  });

  test('no headings at all, only headings, nothing at all', () => {
    expect(cut('Just a line.')).toEqual([{ heading: '', body: 'Just a line.' }]);
    expect(cut('# One\n\n## Two\n\n## Three')).toEqual([{ heading: '', body: '- One\n\n  - Two\n\n  - Three' }]);
    expect(cut('  \n\n')).toEqual([]);
    expect(cut('')).toEqual([]);
  });

  test('CRLF and lone CR are line ends', () => {
    expect(cut('## A\r\n\r\nOne.\r\n\r\n## B\r\rTwo words.', '').map(({ heading }) => heading)).toEqual(['']);
    expect(cut(`## A\r\n\r\n${words(40)}\r\n\r\n## B\r\r${words(40)}`).map(({ heading }) => heading)).toEqual([
      'A',
      'B',
    ]);
  });
});

describe('length', () => {
  test('a long section is cut between paragraphs, none over 260 words, nothing lost and nothing twice', () => {
    const markdown = `## Long\n\n${Array.from({ length: 30 }, (_, n) => words(60).replaceAll('word', `word${n}x`)).join('\n\n')}`;
    const chunks = cut(markdown);
    expect(chunks.length).toBeGreaterThanOrEqual(9);
    for (const { heading, body } of chunks) {
      expect(heading).toBe('Long');
      expect(countWords(body)).toBeLessThanOrEqual(260);
      expect(countWords(body)).toBeGreaterThanOrEqual(80);
    }
    expect(chunks.map(({ body }) => body).join('\n\n')).toBe(markdown.slice('## Long\n\n'.length));
  });

  test('a long paragraph is cut after sentences', () => {
    const chunks = cut(sentences(200));
    expect(chunks.length).toBeGreaterThanOrEqual(5);
    for (const { body } of chunks) expect(body).toMatch(/^Sentence .* here\.$/s);
    expect(chunks.map(({ body }) => body).join(' ')).toBe(sentences(200));
  });

  test('one sentence without an end is cut between words', () => {
    const chunks = cut(words(1_000));
    expect(chunks.map(({ body }) => body).join(' ')).toBe(words(1_000));
    for (const { body } of chunks) expect(countWords(body)).toBeLessThanOrEqual(260);
  });

  test('Chinese and Japanese, which have no spaces, are cut after sentences and nothing is lost', () => {
    const text = Array.from({ length: 120 }, (_, n) => `これは${n}番目の文であり、十分に長く書かれています。`).join('');
    const chunks = cut(text);
    expect(chunks.length).toBeGreaterThanOrEqual(4);
    for (const { body } of chunks) expect(body).toMatch(/。$/);
    expect(chunks.map(({ body }) => body.replaceAll(' ', '')).join('')).toBe(text);
  });

  test('200,000 characters of any one thing are cut in linear time', () => {
    for (const sign of [
      'a',
      ' ',
      '-',
      '|',
      '#',
      '`',
      '*',
      '_',
      '[',
      '漢',
      '\n',
      '-\n',
      '| -',
      '# \n',
      '```\n',
      '- a\n',
      '=\n',
    ])
      expect(
        timed(() => cut(`x\n${sign.repeat(200_000 / sign.length)}`)),
        sign,
      ).toBeLessThan(3_000);
  });
});

const timed = (work: () => unknown) => {
  const began = performance.now();
  work();
  return performance.now() - began;
};

describe('tables and lists', () => {
  const table = (rows: number) =>
    `| Country | Price |\n| --- | --- |\n${Array.from({ length: rows }, (_, n) => `| Country number ${n} | ${n} euros |`).join('\n')}`;

  test('stay whole where they splitBlock', () => {
    const list = Array.from({ length: 20 }, (_, n) => `- point ${n} of the list`).join('\n');
    expect(cut(`## T\n\nBefore.\n\n${table(10)}\n\n${list}\n\nAfter.`)).toEqual([
      { heading: 'T', body: `Before.\n\n${table(10)}\n\n${list}\n\nAfter.` },
    ]);
  });

  test('a huge table is cut between rows, each part with the head, and no row is in two', () => {
    const chunks = cut(`## Prices\n\n${table(500)}`);
    expect(chunks.length).toBeGreaterThan(5);
    for (const { body } of chunks) expect(body).toMatch(/^\| Country \| Price \|\n\| --- \| --- \|\n\| Country number/);
    const rows = chunks.flatMap(({ body }) => body.match(/Country number \d+ /g) ?? []);
    expect(rows.length).toBe(500);
    expect(new Set(rows).size).toBe(500);
  });

  test('a long list is cut between its points, whose second lines stay with them', () => {
    const list = Array.from({ length: 100 }, (_, n) => `- point ${n} says something\n  and more of ${n}`).join('\n\n');
    for (const { body } of cut(list)) expect(body).toMatch(/^- point (\d+) .*and more of \d+$/s);
  });
});

describe('tiny sections', () => {
  test('beside each other become one, under the heading above them', () => {
    const markdown = `## Contact\n\n### Phone\n\n+49 30 1234\n\n### Post\n\nMain Street 1\n\n## Long\n\n${words(100)}`;
    expect(cut(markdown)).toEqual([
      { heading: 'Contact', body: '**Phone**\n\n+49 30 1234\n\n**Post**\n\nMain Street 1' },
      { heading: 'Long', body: words(100) },
    ]);
  });

  test('are not joined over a higher heading', () => {
    const markdown = '## A\n\n### One\n\nfirst\n\n## B\n\n### Two\n\nsecond';
    expect(cut(markdown).map(({ heading }) => heading)).toEqual(['A › One', 'B › Two']);
  });

  test('a question stays alone with its answer', () => {
    const markdown = '## Do you ship abroad?\n\nYes.\n\n## Can I pay by card?\n\nYes, with any.';
    expect(cut(markdown).map(({ heading }) => heading)).toEqual(['Do you ship abroad?', 'Can I pay by card?']);
  });
});
