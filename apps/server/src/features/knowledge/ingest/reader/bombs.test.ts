import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { probes } from '../../../../../../../tools/testing/probes.ts';
import { aDocx, aPdf, docxEntries, pdfOf, word } from '../../../../../test/knowledge-files.ts';
import { limits } from './limits.ts';
import { createReader } from './reader.ts';
import { unzip, zip } from './zip.ts';

// Files that are made to take all of the memory or time there is. Each ends with a problem that can be told, and the
// next file is read all the same.

const megabyte = 1024 * 1024;
const sentence = 'This shop is open every day from nine in the morning until six in the evening. ';
const html = (body: string) => Buffer.from(`<!doctype html><body>${body}`);

/** More than may come of one file. */
const huge = deflateRawSync(Buffer.alloc(limits.unpackedBytes + 6 * megabyte, 'a'));

/** A Word file with one packed entry, which says nothing true of its size. */
function packed(name: string): Buffer {
  const others = docxEntries('').filter((entry) => entry.name !== name);
  const bytes = Buffer.from(zip([...others, { name, content: huge }]));
  bytes.writeUInt16LE(8, bytes.lastIndexOf(name) - 46 + 10); // "deflated"
  return bytes;
}

/** Many entries of the directory that all unpack the same bytes. */
function overlapping(count: number): Buffer {
  const [first, last] = ['word/aaaa.xml', 'word/document.xml'];
  const body = deflateRawSync(Buffer.alloc(2 * megabyte, 'a'), { level: 9 });
  const one = zip([{ name: first, content: body }]);
  const [start, end] = [one.readUInt32LE(one.length - 6), one.length - 22];
  const entry = Buffer.from(one.subarray(start, end));
  entry.writeUInt16LE(8, 10);
  const entries = Array.from({ length: count }, (_, n) => {
    const copy = Buffer.from(entry);
    copy.write(n === 0 ? last.slice(0, first.length) : `word/a${String(n).padStart(3, '0')}.xml`, 46);
    return copy;
  });
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt16LE(count, 8);
  tail.writeUInt16LE(count, 10);
  return Buffer.concat([one.subarray(0, start), ...entries, tail]);
}

const inDocx = (xml: string) => {
  const entries = docxEntries('');
  const document = { name: 'word/document.xml', content: Buffer.from(xml) };
  return zip([...entries.filter(({ name }) => name !== document.name), document]);
};
const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const withEntities = (declarations: string, use: string) =>
  inDocx(
    `<?xml version="1.0"?><!DOCTYPE w [${declarations}]><w:document ${namespace}><w:body>${word.text(use)}</w:body></w:document>`,
  );
const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

function pointing(offset: (bytes: Buffer, directory: number) => number): Buffer {
  const bytes = Buffer.from(aDocx(word.text(sentence)));
  const directory = bytes.readUInt32LE(bytes.length - 6);
  bytes.writeUInt32LE(offset(bytes, directory), directory + 42);
  return bytes;
}
const sized = (count: number) => {
  const bytes = Buffer.from(aDocx(word.text(sentence)));
  bytes.writeUInt16LE(count, bytes.length - 12);
  return bytes;
};
const page = '/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>';
const pdfWith = (pages: string, content: string, form = '<<>>', trailer = '') =>
  pdfOf(
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      pages,
      `<</Type/Page/Parent 2 0 R${page}>>`,
      `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      form,
    ],
    trailer,
  );
const shows = 'BT /F1 9 Tf (x) Tj ET';
const refused = /^(?:too_large|processing_timeout|corrupted|unsupported_type|no_text|password_protected)$/;

/**
 * `due` is what must be said of it. `small`: a library may also read on and find little. `slow`: it would take all the
 * time there is, and gets two seconds.
 */
const bombs: [name: string, due: RegExp | 'small' | 'slow', make: () => Buffer, mediaType?: string][] = [
  ['text of more characters than we take', /^too_large$/, () => Buffer.from('word '.repeat(limits.characters / 5 + 1))],
  ['text of more bytes than we take', /^too_large$/, () => Buffer.alloc(limits.bytes + 1, 'a')],
  [
    'UTF-16 of nothing but zeros',
    /^no_text$/,
    () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(megabyte)]),
  ],
  ['HTML 100,000 deep', /^corrupted$/, () => html(`${'<div>'.repeat(100_000)}x`)],
  [
    'HTML 5,000 deep in a way that is only seen once it is parsed',
    /^corrupted$/,
    () => html(`${'<x-y>'.repeat(5_000)}x`),
  ],
  [
    'one tag with 20,000 attributes',
    'small',
    () => html(`<p ${Array.from({ length: 20_000 }, (_, n) => `a${n}`).join(' ')}>x`),
  ],
  [
    'entities of XML in a page',
    'small',
    () =>
      Buffer.from(`<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">${laughs}]><html><body>&l9;</body></html>`),
    'text/html',
  ],
  [
    'gzip that unpacks to 16 MB, as a page',
    /^unsupported_type$/,
    () => gzipSync(Buffer.alloc(16 * megabyte)),
    'text/html',
  ],
  [
    'a Word file of 70 kB that unpacks to 70 MB and says that it does not',
    /^too_large$/,
    () => packed('word/document.xml'),
  ],
  ['a Word file whose style sheet unpacks to 70 MB', /^too_large$/, () => packed('word/styles.xml')],
  ['a zip whose 900 entries are the same two megabytes', /^too_large$/, () => overlapping(900)],
  ['a zip with 65,535 entries by its own count', /^corrupted$/, () => sized(0xffff)],
  ['a zip that points outside of itself', /^(?:corrupted|unsupported_type)$/, () => pointing(() => 0xfffffff0)],
  ['a zip that points to its end', /^(?:corrupted|unsupported_type)$/, () => pointing((bytes) => bytes.length - 4)],
  [
    'a zip that points to its own directory',
    /^(?:corrupted|unsupported_type)$/,
    () => pointing((_bytes, directory) => directory),
  ],
  ['a zip in a zip', /^unsupported_type$/, () => zip([{ name: 'inner.docx', content: aDocx(word.text(sentence)) }])],
  ['a Word file whose entities make a billion', 'small', () => withEntities(`<!ENTITY l0 "ha">${laughs}`, '&l9;')],
  [
    'a Word file with one entity, 10,000 times',
    'small',
    () => withEntities(`<!ENTITY a "${'a'.repeat(100_000)}">`, '&a;'.repeat(10_000)),
  ],
  [
    'a Word file with an entity that is a file of ours',
    'small',
    () => withEntities('<!ENTITY a SYSTEM "file:///etc/passwd">', '&a;'),
  ],
  [
    'a Word file 20,000 deep',
    'slow',
    () => inDocx(`<?xml version="1.0"?><w:document ${namespace}><w:body>${'<w:p>'.repeat(20_000)}`),
  ],
  ['a PDF with one page too many', /^too_large$/, () => aPdf({ content: shows, pages: limits.pages + 1 })],
  [
    'a PDF that says it has a billion pages',
    'small',
    () => pdfWith('<</Type/Pages/Kids[3 0 R]/Count 1000000000>>', shows),
  ],
  [
    'a PDF whose pages are their own parent',
    'small',
    () => pdfWith('<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>', shows),
  ],
  [
    'a PDF whose figure shows itself',
    'small',
    () =>
      pdfWith(
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '/X Do',
        '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 5>>\nstream\n/X Do\nendstream',
      ),
  ],
  [
    'a PDF whose table of objects follows itself',
    'small',
    () => pdfWith('<</Type/Pages/Kids[3 0 R]/Count 1>>', shows, '<<>>', '/Prev 9'),
  ],
  [
    'a PDF whose page unpacks, twice, to 320 MB',
    /^(?:too_large|processing_timeout)$/,
    () =>
      aPdf({
        content: deflateSync(deflateSync(Buffer.alloc(320 * megabyte, ' '))),
        filter: '/Filter[/FlateDecode/FlateDecode]',
      }),
  ],
];

/** As a sync does: in a thread. */
async function readWith(reader: ReturnType<typeof createReader>, raw: { bytes: Buffer; mediaType: string }) {
  const request = { input: { kind: 'file' as const, raw }, language: null, knownHash: null };
  const { indexed } = await reader('readDocument', request, 'tenant');
  return (indexed?.chunks ?? []).map(({ body }) => body).join(' ');
}

test(
  'each bomb ends with a problem that can be told, or as the little that is in it',
  { timeout: 120_000 },
  async () => {
    const [reader, hasty] = [createReader(), createReader({ ms: 2_000 })];
    const through: string[] = [];
    for (const [name, due, make, mediaType = ''] of bombs) {
      const outcome = await readWith(due === 'slow' ? hasty : reader, { bytes: make(), mediaType }).then(
        (text) => (text.length > 1_000 || text.includes('root:') ? `${text.length} characters` : 'small'),
        (error: Error & { reason?: string }) => error.reason ?? error.message,
      );
      const isEnded = typeof due === 'string' ? outcome === 'small' || refused.test(outcome) : due.test(outcome);
      if (!isEnded) through.push(`${name}: ${outcome}`);
    }
    expect(through).toEqual([]);
    expect(await readWith(reader, { bytes: Buffer.from('Still here'), mediaType: '' })).toBe('Still here');
    expect(bombs.length).toBeGreaterThanOrEqual(probes.bombs.min);
  },
);

test('a zip is unpacked no further than it may be', () => {
  expect(() => unzip(packed('word/styles.xml'), () => true, megabyte)).toThrow(
    expect.objectContaining({ reason: 'too_large', cause: expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }) }),
  );
});
