import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { probes } from '../../../../../../../tools/testing/probes.ts';
import { isFull } from '../../../../../../../tools/testing/size.ts';
import { aDocx, aPdf, docxEntries, pdfOf, retryWhileBusy, word } from '../../../../../test/knowledge-files.ts';
import { limits } from './limits.ts';
import { createReader } from './reader.ts';
import { unzip, zip } from './zip.ts';

// Files that are designed to exhaust memory or time. Each is rejected with a known reason, and the next file is still
// read.

const megabyte = 1024 * 1024;
const sentence = 'This shop is open every day from nine in the morning until six in the evening. ';
const html = (body: string) => Buffer.from(`<!doctype html><body>${body}`);

/** Decompresses to more than the limit. */
const oversized = deflateRawSync(Buffer.alloc(limits.unpackedBytes + 6 * megabyte, 'a'), { level: 1 });

/** A Word file with one compressed entry that states a wrong size. */
async function packed(name: string, content = oversized): Promise<Buffer> {
  const others = docxEntries('').filter((entry) => entry.name !== name);
  const bytes = await zip([...others, { name, content }]);
  bytes.writeUInt16LE(8, bytes.lastIndexOf(name) - 46 + 10); // "deflated"
  return bytes;
}

/** Many directory entries that refer to the same compressed bytes. */
async function overlapping(count: number): Promise<Buffer> {
  const [first, last] = ['word/aaaa.xml', 'word/document.xml'];
  const body = deflateRawSync(Buffer.alloc(2 * megabyte, 'a'), { level: 9 });
  const one = await zip([{ name: first, content: body }]);
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

async function pointing(offset: (bytes: Buffer, directory: number) => number): Promise<Buffer> {
  const bytes = await aDocx(word.text(sentence));
  const directory = bytes.readUInt32LE(bytes.length - 6);
  bytes.writeUInt32LE(offset(bytes, directory), directory + 42);
  return bytes;
}
const sized = async (count: number) => {
  const bytes = await aDocx(word.text(sentence));
  bytes.writeUInt16LE(count, bytes.length - 12);
  return bytes;
};
/** A zip64 file that states this number of entries. */
async function counting(count: number): Promise<Buffer> {
  const bytes = await aDocx(word.text(sentence));
  const end = bytes.length - 22;
  const record = Buffer.alloc(76); // the zip64 record of the directory's end, and its locator
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(bytes.readUInt32LE(bytes.length - 6)), 48);
  record.write('PK\x06\x07', 56, 'latin1');
  record.writeBigUInt64LE(BigInt(end), 64);
  return Buffer.concat([bytes.subarray(0, end), record, bytes.subarray(end)]);
}
/** A Word file whose first directory entry has these flags and this compression. */
async function flagged(flags: number, method = 0): Promise<Buffer> {
  const bytes = await aDocx(word.text(sentence));
  const directory = bytes.readUInt32LE(bytes.length - 6);
  bytes.writeUInt16LE(flags, directory + 8);
  bytes.writeUInt16LE(method, directory + 10);
  return bytes;
}
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
 * `expected` is the reason of the rejection. `small`: the library may also return little text. `slow`: it would never
 * end, so it gets little time.
 */
const bombs: [
  name: string,
  expected: RegExp | 'small' | 'slow',
  make: () => Buffer | Promise<Buffer>,
  mediaType?: string,
][] = [
  ['text with too many characters', /^too_large$/, () => Buffer.from('word '.repeat(limits.characters / 5 + 1))],
  ['text with too many bytes', /^too_large$/, () => Buffer.alloc(limits.bytes + 1, 'a')],
  [
    'UTF-16 with only zero bytes',
    /^no_text$/,
    () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(megabyte)]),
  ],
  ['HTML nested 100,000 levels deep', /^corrupted$/, () => html(`${'<div>'.repeat(100_000)}x`)],
  ['HTML nested 5,000 levels deep with unknown tags', /^corrupted$/, () => html(`${'<x-y>'.repeat(5_000)}x`)],
  [
    'one tag with 20,000 attributes',
    'small',
    () => html(`<p ${Array.from({ length: 20_000 }, (_, n) => `a${n}`).join(' ')}>x`),
  ],
  [
    'XML entities in a page',
    'small',
    () =>
      Buffer.from(`<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">${laughs}]><html><body>&l9;</body></html>`),
    'text/html',
  ],
  [
    'a gzip page that decompresses to 16 MB',
    /^unsupported_type$/,
    () => gzipSync(Buffer.alloc(16 * megabyte)),
    'text/html',
  ],
  [
    'a Word file of 70 kB that decompresses to 70 MB and states a smaller size',
    /^too_large$/,
    () => packed('word/document.xml'),
  ],
  ['a Word file whose style sheet decompresses to 70 MB', /^too_large$/, () => packed('word/styles.xml')],
  ['a zip with 900 overlapping entries of 2 MB', /^too_large$/, () => overlapping(900)],
  ['a zip that claims 65,535 entries', /^corrupted$/, () => sized(0xffff)],
  ['a zip that points outside of itself', /^(?:corrupted|unsupported_type)$/, () => pointing(() => 0xfffffff0)],
  ['a zip that points to its end', /^(?:corrupted|unsupported_type)$/, () => pointing((bytes) => bytes.length - 4)],
  [
    'a zip that points to its own directory',
    /^(?:corrupted|unsupported_type)$/,
    () => pointing((_bytes, directory) => directory),
  ],
  [
    'a zip in a zip',
    /^unsupported_type$/,
    async () => zip([{ name: 'inner.docx', content: await aDocx(word.text(sentence)) }]),
  ],
  ['a zip with one entry too many', /^too_large$/, () => counting(limits.entries + 1)],
  [
    'a zip with a name outside of itself',
    /^corrupted$/,
    () => zip([...docxEntries(''), { name: '../../a.xml', content: Buffer.from('a') }]),
  ],
  ['a Word file with an encrypted entry', /^password_protected$/, () => flagged(0x01)],
  ['a Word file with strong encryption', /^password_protected$/, () => flagged(0x41)],
  ['a Word file with an unknown compression', /^corrupted$/, () => flagged(0, 12)],
  [
    'a Word file that is cut in the middle of an entry',
    /^corrupted$/,
    () => packed('word/document.xml', deflateRawSync(Buffer.from(sentence.repeat(50))).subarray(0, 40)),
  ],
  [
    'a Word file with nested entities (billion laughs)',
    'small',
    () => withEntities(`<!ENTITY l0 "ha">${laughs}`, '&l9;'),
  ],
  [
    'a Word file with one entity, 10,000 times',
    'small',
    () => withEntities(`<!ENTITY a "${'a'.repeat(100_000)}">`, '&a;'.repeat(10_000)),
  ],
  [
    'a Word file with an external entity for a local file',
    'small',
    () => withEntities('<!ENTITY a SYSTEM "file:///etc/passwd">', '&a;'),
  ],
  [
    'a Word file nested 20,000 levels deep',
    'slow',
    () => inDocx(`<?xml version="1.0"?><w:document ${namespace}><w:body>${'<w:p>'.repeat(20_000)}`),
  ],
  ['a PDF with one page too many', /^too_large$/, () => aPdf({ content: shows, pages: limits.pages + 1 })],
  ['a PDF that claims a billion pages', 'small', () => pdfWith('<</Type/Pages/Kids[3 0 R]/Count 1000000000>>', shows)],
  [
    'a PDF whose pages are their own parent',
    'small',
    () => pdfWith('<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>', shows),
  ],
  [
    'a PDF with a recursive form',
    'small',
    () =>
      pdfWith(
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '/X Do',
        '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 5>>\nstream\n/X Do\nendstream',
      ),
  ],
  [
    'a PDF with a cyclic cross-reference table',
    'small',
    () => pdfWith('<</Type/Pages/Kids[3 0 R]/Count 1>>', shows, '<<>>', '/Prev 9'),
  ],
  [
    'a PDF with a doubly compressed page of 320 MB',
    /^(?:too_large|processing_timeout)$/,
    () =>
      aPdf({
        content: deflateSync(deflateSync(Buffer.alloc(320 * megabyte, ' '), { level: 1 })),
        filter: '/Filter[/FlateDecode/FlateDecode]',
      }),
  ],
];

/** In a thread, as during a sync. */
async function readWith(reader: ReturnType<typeof createReader>, raw: { bytes: Buffer; mediaType: string }) {
  const request = { input: { kind: 'file' as const, raw }, language: null, knownHash: null };
  const { indexed } = await reader('readDocument', request, 'tenant');
  return (indexed?.chunks ?? []).map(({ body }) => body).join(' ');
}

test('rejects each bomb with a known reason, or reads only its small content', { timeout: 120_000 }, async () => {
  const [reader, impatientReader] = [createReader(), createReader({ ms: isFull ? 2_000 : 500 })];
  const unexpected: string[] = [];
  for (const [name, expected, make, mediaType = ''] of bombs) {
    const raw = { bytes: await make(), mediaType };
    const outcome = await retryWhileBusy(() => readWith(expected === 'slow' ? impatientReader : reader, raw)).then(
      (text) => (text.length > 1_000 || text.includes('root:') ? `${text.length} characters` : 'small'),
      (error: Error & { reason?: string }) => error.reason ?? error.message,
    );
    const isExpected =
      typeof expected === 'string' ? outcome === 'small' || refused.test(outcome) : expected.test(outcome);
    if (!isExpected) unexpected.push(`${name}: ${outcome}`);
  }
  expect(unexpected).toEqual([]);
  expect(await readWith(reader, { bytes: Buffer.from('Still here'), mediaType: '' })).toBe('Still here');
  expect(bombs.length).toBeGreaterThanOrEqual(probes.bombs.min);
});

test('stops decompressing a zip at the limit', async () => {
  // Decompressing all of it would find that its end is missing.
  const cut = await packed('word/styles.xml', oversized.subarray(0, oversized.length / 2));
  await expect(unzip(cut, () => true, limits.unpackedBytes)).rejects.toMatchObject({ reason: 'corrupted' });
  await expect(unzip(cut, () => true, megabyte)).rejects.toMatchObject({ reason: 'too_large' });
  const many = await overlapping(5); // 10 MB in total
  await expect(unzip(many, () => true, 11 * megabyte)).resolves.toHaveLength(5);
  await expect(unzip(many, () => true, 9 * megabyte)).rejects.toMatchObject({ reason: 'too_large' });
});
