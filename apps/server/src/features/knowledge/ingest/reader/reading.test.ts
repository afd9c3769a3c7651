import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { aDocx, aPdf, retryWhileBusy, word } from '../../../../../test/knowledge-files.ts';
import { limits } from './limits.ts';
import { readBytes } from './read.ts';
import { createReader } from './reader.ts';
import type { RawFile } from './sniff.ts';
import { zip } from './zip.ts';

const reader = createReader();
const read = (raw: RawFile) => readBytes(raw);
/** In a thread, as during a sync. */
const readInThread = (raw: RawFile, by = reader) =>
  by('readDocument', { input: { kind: 'file', raw }, language: null, knownHash: null }, 'tenant');
const readText = (text: string | Buffer, mediaType = '', name?: string) =>
  read({ bytes: Buffer.from(text), mediaType, ...(name !== undefined && { name }) });
const readTextInThread = (text: string | Buffer, mediaType = '') =>
  readInThread({ bytes: Buffer.from(text), mediaType });
const problemOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'it was read',
    (error: Error & { reason?: string }) => error.reason ?? error.message,
  );
const sentence = 'This shop is open every day from nine in the morning until six in the evening. ';

describe('web pages', () => {
  const html = (body: string, head = '<title>Opening hours</title>') =>
    `<!doctype html><html lang="de"><head>${head}</head><body>${body}</body></html>`;

  test('keep headings, lists, tables, links and code, and lose menus, scripts and forms', async () => {
    const body = `<nav><a href="/">Home</a> Imprint</nav><script>alert(1)</script><main><h1>Opening hours</h1><p>${sentence.repeat(3)}</p>
      <h2>Holidays</h2><ul><li>Monday</li><li>Tuesday <b>only</b></li></ul>
      <table><thead><tr><th>Day</th><th>From</th></tr></thead><tbody><tr><td>Sunday</td><td>10 | 11</td></tr></tbody></table>
      <p>See <a href="https://example.com/x">the map</a> or <a href="#top">the top</a>.</p><pre><code># no heading</code></pre>
      <form><label>Mail</label><button>Send</button></form></main><footer>Copyright</footer>`;
    const { title, language, markdown } = await readText(html(body), 'text/html');
    expect({ title, language }).toEqual({ title: 'Opening hours', language: 'en' }); // the template said German
    expect(markdown).toContain('## Holidays\n\n- Monday\n- Tuesday **only**');
    expect(markdown).toContain('| Day | From |\n| --- | --- |\n| Sunday | 10 \\| 11 |');
    expect(markdown).toContain('[the map](https://example.com/x) or the top.');
    expect(markdown).toContain('```\n# no heading\n```');
    expect(markdown).not.toMatch(/Imprint|alert|Send|Copyright/);
  });

  test('are read completely if they have no article or many sections', async () => {
    expect((await readText(html('<p>Short.</p>'), 'text/html')).markdown).toBe('Short.');
    const parts = Array.from(
      { length: 8 },
      (_, n) => `<section><h2>Question ${n}?</h2><div><p>Answer ${n}. ${sentence}</p></div></section>`,
    );
    const article = `<article><p>${sentence.repeat(8)}</p></article>`;
    const { markdown } = await readText(
      html(`${article}<div class="sidebar comments">${parts.join('')}</div>`),
      'text/html',
    );
    for (let n = 0; n < 8; n++) expect(markdown).toContain(`## Question ${n}?\n\nAnswer ${n}.`);
  });

  test.each([
    ['the header', 'text/html; charset=iso-8859-1', ''],
    ['the page', 'text/html', '<meta charset="windows-1252">'],
    ['the page, the old way', 'text/html', '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">'],
  ])('are decoded with the charset from %s', async (_name, mediaType, meta) => {
    const bytes = Buffer.from(html('<p>Größe und Maße</p>', meta), 'latin1');
    expect((await read({ bytes, mediaType })).markdown).toBe('Größe und Maße');
  });

  test('prefer a byte order mark over the header, and default to UTF-8', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(html('<p>Größe</p>'), 'utf16le')]);
    expect((await read({ bytes: utf16, mediaType: 'text/html; charset=utf-8' })).markdown).toBe('Größe');
    expect((await readText(html('<p>Größe</p>'), 'text/html; charset=klingon')).markdown).toBe('Größe');
  });
});

describe('text files', () => {
  test('keep Markdown unchanged, with its first heading as the title', async () => {
    const { title, markdown } = await readText('# Prices\r\n\r\n## Shoes\r\n\r\n* red\r\n', '', 'a.md');
    expect({ title, markdown }).toEqual({ title: 'Prices', markdown: '# Prices\n\n## Shoes\n\n* red' });
  });

  test('have no headings if plain, and the file name as the title', async () => {
    expect(await readText('# 1 of 3\n\nText', 'text/plain', 'price_list-2026.txt')).toEqual({
      title: 'price list 2026',
      language: null,
      markdown: '\\# 1 of 3\n\nText',
    });
  });

  test('have their language detected if the text is long enough and the result is clear', async () => {
    const languages = {
      en: sentence,
      de: 'Wir liefern in der Regel innerhalb von drei Werktagen nach Deutschland und Österreich.',
      fr: 'La livraison est gratuite à partir de cinquante euros dans toute la France métropolitaine.',
      ja: '送料は五千円以上のご注文で無料になります。返品は三十日以内にご連絡ください。お問い合わせはメールでお願いします。',
    };
    for (const [language, text] of Object.entries(languages))
      expect((await readText(text)).language, text).toBe(language);
    expect((await readText('Open daily.')).language).toBeNull();
    expect((await readText('abc 123 xyz foo bar baz qux quux corge grault garply waldo')).language).toBeNull();
  });
});

describe('PDF', () => {
  const content =
    'BT /F1 24 Tf 72 720 Td (Shipping) Tj /F1 12 Tf 0 -40 Td (We ship within three work-) Tj 0 -14 Td (ing days to every country.) Tj 0 -40 Td (A new paragraph.) Tj ET';

  test('lines become paragraphs, large lines headings, whatever the media type', async () => {
    const reading = await read({
      bytes: aPdf({ content, title: 'Our terms' }),
      mediaType: 'text/html',
      name: 'x.html',
    });
    expect(reading).toEqual({
      title: 'Our terms',
      language: 'en',
      markdown: '# Shipping\n\nWe ship within three working days to every country.\n\nA new paragraph.',
    });
    expect((await read({ bytes: aPdf({ content, title: 'Microsoft Word - x.doc' }), mediaType: '' })).title).toBe(
      'Shipping',
    );
  });

  test('is rejected if encrypted, corrupted, empty or too long', async () => {
    const problems = {
      password_protected: aPdf({ content, isEncrypted: true }),
      corrupted: Buffer.from('%PDF-1.4\nnothing more'),
      no_text: aPdf({ content: '' }),
      too_large: aPdf({ content, pages: limits.pages + 1 }),
    };
    for (const [problem, bytes] of Object.entries(problems))
      expect(await problemOf(readInThread({ bytes, mediaType: '' }))).toBe(problem);
  });
});

describe('Word', () => {
  test('is converted with headings, text and tables', async () => {
    const body =
      word.heading(1, 'Terms') +
      word.text(sentence) +
      word.heading(2, 'Prices') +
      word.table([
        ['Shoe', 'Price'],
        ['Red', '10'],
      ]);
    const { title, markdown } = await read({
      bytes: await aDocx(body),
      mediaType: 'application/pdf',
      name: 'terms.docx',
    });
    expect(title).toBe('Terms');
    expect(markdown).toBe(
      `# Terms\n\n${sentence.trim()}\n\n## Prices\n\n| Shoe | Price |\n| --- | --- |\n| Red | 10 |`,
    );
  });

  test('is rejected if it is another zip, password-protected or truncated', async () => {
    const notes = await zip([{ name: 'notes.txt', content: Buffer.from('Hello') }]);
    expect(await problemOf(readInThread({ bytes: notes, mediaType: '', name: 'a.docx' }))).toBe('unsupported_type');
    const whole = await aDocx(word.text(sentence));
    expect(await problemOf(readInThread({ bytes: whole.subarray(0, whole.length / 2), mediaType: '' }))).toBe(
      'corrupted',
    );
    const old = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.from('EncryptedPackage', 'utf16le')]);
    expect(await problemOf(readInThread({ bytes: old, mediaType: '' }))).toBe('password_protected');
    expect(await problemOf(readInThread({ bytes: old.subarray(0, 8), mediaType: '' }))).toBe('unsupported_type');
  });
});

test('rejects other formats as unsupported_type, whatever the name and media type', async () => {
  const files = {
    png: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    gzip: deflateSync(Buffer.from(sentence.repeat(100))),
    rtf: Buffer.from('{\\rtf1 Hello}'),
    elf: Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'),
  };
  for (const [name, bytes] of Object.entries(files))
    expect(await problemOf(readInThread({ bytes, mediaType: 'text/html', name: 'x.md' })), name).toBe(
      'unsupported_type',
    );
  expect(await problemOf(readTextInThread('   \n\n'))).toBe('no_text');
  expect(await problemOf(readTextInThread(''))).toBe('no_text');
});

describe('hostile input (see also bombs.test.ts)', () => {
  test('aborts a slow document and still reads the next one', async () => {
    const hasty = createReader({ ms: 300 });
    const slow = `<body>${'<p><b>a'.repeat(200_000)}`;
    const [stuck, ...others] = await Promise.all([
      problemOf(retryWhileBusy(() => readInThread({ bytes: Buffer.from(slow), mediaType: 'text/html' }, hasty))),
      ...Array.from({ length: 4 }, () => problemOf(readInThread({ bytes: Buffer.from('Hello'), mediaType: '' }))),
    ]);
    expect(stuck).toBe('processing_timeout');
    expect(others).toEqual(Array(4).fill('it was read'));
    expect((await readTextInThread('Still here')).indexed?.chunks).toMatchObject([{ body: 'Still here' }]);
  });

  test('does not blame a document for a machine that gives its thread too little CPU time', async () => {
    const waiting = `
      const { execFileSync } = process.getBuiltinModule('node:child_process');
      process.getBuiltinModule('node:worker_threads').parentPort.on('message', () => {
        for (;;) execFileSync('/bin/sleep', ['0.05']); // neither idle nor on the CPU
      });`;
    const starved = createReader({ ms: 2_000, file: new URL(`data:text/javascript,${encodeURIComponent(waiting)}`) });
    const reading = readInThread({ bytes: Buffer.from('Hello'), mediaType: '' }, starved);
    await expect(reading).rejects.toMatchObject({ status: 503, reason: 'busy' });
  });

  test('blames a document that keeps its thread waiting for something else', async () => {
    const hanging = "process.getBuiltinModule('node:worker_threads').parentPort.on('message', () => {});";
    const idle = createReader({ ms: 1_000, file: new URL(`data:text/javascript,${encodeURIComponent(hanging)}`) });
    const reading = retryWhileBusy(() => readInThread({ bytes: Buffer.from('Hello'), mediaType: '' }, idle));
    expect(await problemOf(reading)).toBe('processing_timeout');
  });

  test('ends only the thread when its heap is full', async () => {
    const tiny = createReader({ megabytes: 40 });
    expect(
      await problemOf(
        readInThread({ bytes: Buffer.from(`<body>${'<i>x</i>'.repeat(600_000)}`), mediaType: 'text/html' }, tiny),
      ),
    ).toBe('too_large');
  }, 30_000);
});
