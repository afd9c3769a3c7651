import { describe, expect, test } from 'vitest';
import { toChunks } from './chunking.ts';
import { countWords } from './split.ts';

const words = (count: number, word = 'word') => Array.from({ length: count }, (_, n) => `${word}${n}`).join(' ');
const sentences = (count: number) =>
  Array.from({ length: count }, (_, n) => `Sentence ${n} has six words here.`).join(' ');
const chunk = (markdown: string, title = 'Title') => toChunks(markdown, title);

/** Every word of the source is in exactly one chunk. */
function expectNothingLostOrTwice(markdown: string) {
  const inSource = [...markdown.matchAll(/\bword\d+\b/g)].map(([found]) => found);
  const inChunks = chunk(markdown).flatMap(({ body }) => [...body.matchAll(/\bword\d+\b/g)].map(([found]) => found));
  expect(inChunks.toSorted()).toEqual(inSource.toSorted());
}

describe('headings', () => {
  test('creates a chunk per section with the path of its headings, without the title', () => {
    const markdown = `# Title\n\n${words(40)}\n\n## Delivery\n\n${words(50)}\n\n### Abroad\n\n${words(60)}\n\n## Returns\n\n${words(70)}`;
    expect(chunk(markdown).map(({ heading }) => heading)).toEqual(['', 'Delivery', 'Delivery › Abroad', 'Returns']);
    expectNothingLostOrTwice(`${words(40)}\n\n## A\n\n${words(400).replaceAll('word', 'words')}`);
  });

  test('builds the right path when headings skip levels', () => {
    const markdown = `### Deep\n\n${words(40)}\n\n# Top\n\n${words(40)}\n\n#### Far below\n\n${words(40)}`;
    expect(chunk(markdown).map(({ heading }) => heading)).toEqual(['Deep', 'Top', 'Top › Far below']);
  });

  test('removes markup from headings and recognizes underlined headings', () => {
    const markdown = `Underlined\n==========\n\n${words(40)}\n\nSecond\n---\n\n${words(40)}\n\n### **Bold** [link](https://example.com) \`code\` ##\n\n${words(40)}`;
    expect(chunk(markdown).map(({ heading }) => heading)).toEqual([
      'Underlined',
      'Underlined › Second',
      'Underlined › Second › Bold link code',
    ]);
  });

  test('ignores headings in code blocks', () => {
    const markdown = `## Install\n\n${words(40)}\n\n\`\`\`sh\n# not a heading\nmake\n\`\`\`\n\n~~~~\n## nor this\n\`\`\`\n~~~~\n\nafter`;
    const chunks = chunk(markdown);
    expect(chunks.map(({ heading }) => heading)).toEqual(['Install']);
    expect(chunks[0]?.body).toContain('# not a heading\nmake\n```');
  });

  test('extends an unclosed code block to the end', () => {
    expect(chunk(`## A\n\n\`\`\`\n# x\n\n# y`)).toEqual([{ heading: 'A', body: '```\n# x\n\n# y' }]);
  });

  test('handles documents without headings, with only headings, and empty ones', () => {
    expect(chunk('Just a line.')).toEqual([{ heading: '', body: 'Just a line.' }]);
    expect(chunk('# One\n\n## Two\n\n## Three')).toEqual([{ heading: '', body: '- One\n\n  - Two\n\n  - Three' }]);
    expect(chunk('  \n\n')).toEqual([]);
    expect(chunk('')).toEqual([]);
  });

  test('treats CRLF and lone CR as line ends', () => {
    expect(chunk('## A\r\n\r\nOne.\r\n\r\n## B\r\rTwo words.', '').map(({ heading }) => heading)).toEqual(['']);
    expect(chunk(`## A\r\n\r\n${words(40)}\r\n\r\n## B\r\r${words(40)}`).map(({ heading }) => heading)).toEqual([
      'A',
      'B',
    ]);
  });
});

describe('length', () => {
  test('splits a long section between paragraphs into at most 260 words, without loss or overlap', () => {
    const markdown = `## Long\n\n${Array.from({ length: 30 }, (_, n) => words(60).replaceAll('word', `word${n}x`)).join('\n\n')}`;
    const chunks = chunk(markdown);
    expect(chunks.length).toBeGreaterThanOrEqual(9);
    for (const { heading, body } of chunks) {
      expect(heading).toBe('Long');
      expect(countWords(body)).toBeLessThanOrEqual(260);
      expect(countWords(body)).toBeGreaterThanOrEqual(80);
    }
    expect(chunks.map(({ body }) => body).join('\n\n')).toBe(markdown.slice('## Long\n\n'.length));
  });

  test('splits a long paragraph after sentences', () => {
    const chunks = chunk(sentences(200));
    expect(chunks.length).toBeGreaterThanOrEqual(5);
    for (const { body } of chunks) expect(body).toMatch(/^Sentence .* here\.$/s);
    expect(chunks.map(({ body }) => body).join(' ')).toBe(sentences(200));
  });

  test('splits an endless sentence between words', () => {
    const chunks = chunk(words(1_000));
    expect(chunks.map(({ body }) => body).join(' ')).toBe(words(1_000));
    for (const { body } of chunks) expect(countWords(body)).toBeLessThanOrEqual(260);
  });

  test('splits text without spaces (Japanese) after sentences, without loss', () => {
    const text = Array.from({ length: 120 }, (_, n) => `これは${n}番目の文であり、十分に長く書かれています。`).join('');
    const chunks = chunk(text);
    expect(chunks.length).toBeGreaterThanOrEqual(4);
    for (const { body } of chunks) expect(body).toMatch(/。$/);
    expect(chunks.map(({ body }) => body.replaceAll(' ', '')).join('')).toBe(text);
  });

  test('splits 200,000 repeated characters in linear time', () => {
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
        timed(() => chunk(`x\n${sign.repeat(200_000 / sign.length)}`)),
        sign,
      ).toBeLessThan(3_000);
  });
});

const timed = (work: () => unknown) => {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
};

describe('tables and lists', () => {
  const table = (rows: number) =>
    `| Country | Price |\n| --- | --- |\n${Array.from({ length: rows }, (_, n) => `| Country number ${n} | ${n} euros |`).join('\n')}`;

  test('stay together if they fit', () => {
    const list = Array.from({ length: 20 }, (_, n) => `- point ${n} of the list`).join('\n');
    expect(chunk(`## T\n\nBefore.\n\n${table(10)}\n\n${list}\n\nAfter.`)).toEqual([
      { heading: 'T', body: `Before.\n\n${table(10)}\n\n${list}\n\nAfter.` },
    ]);
  });

  test('are split between rows, each part with the table header, without overlap', () => {
    const chunks = chunk(`## Prices\n\n${table(500)}`);
    expect(chunks.length).toBeGreaterThan(5);
    for (const { body } of chunks) expect(body).toMatch(/^\| Country \| Price \|\n\| --- \| --- \|\n\| Country number/);
    const rows = chunks.flatMap(({ body }) => body.match(/Country number \d+ /g) ?? []);
    expect(rows.length).toBe(500);
    expect(new Set(rows).size).toBe(500);
  });

  test('are split between list items with their continuation lines', () => {
    const list = Array.from({ length: 100 }, (_, n) => `- point ${n} says something\n  and more of ${n}`).join('\n\n');
    for (const { body } of chunk(list)) expect(body).toMatch(/^- point (\d+) .*and more of \d+$/s);
  });
});

describe('tiny sections', () => {
  test('are merged with their neighbours under the parent heading', () => {
    const markdown = `## Contact\n\n### Phone\n\n+49 30 1234\n\n### Post\n\nMain Street 1\n\n## Long\n\n${words(100)}`;
    expect(chunk(markdown)).toEqual([
      { heading: 'Contact', body: '**Phone**\n\n+49 30 1234\n\n**Post**\n\nMain Street 1' },
      { heading: 'Long', body: words(100) },
    ]);
  });

  test('are not merged across a higher heading', () => {
    const markdown = '## A\n\n### One\n\nfirst\n\n## B\n\n### Two\n\nsecond';
    expect(chunk(markdown).map(({ heading }) => heading)).toEqual(['A › One', 'B › Two']);
  });

  test('are not merged if the heading is a question', () => {
    const markdown = '## Do you ship abroad?\n\nYes.\n\n## Can I pay by card?\n\nYes, with any.';
    expect(chunk(markdown).map(({ heading }) => heading)).toEqual(['Do you ship abroad?', 'Can I pay by card?']);
  });
});
