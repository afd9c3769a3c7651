import { zip } from '../src/features/knowledge/ingest/reader/zip.ts';
import { AppError } from '../src/platform/errors.ts';

// Minimal hand-written files.

/** A PDF of these objects. The first one is the catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  objects.forEach((object, n) => {
    offsets.push(length());
    parts.push(Buffer.from(`${n + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'));
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n `).join('\n');
  const count = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${table}\ntrailer<</Size ${count}/Root 1 0 R${trailer}>>\nstartxref\n${length()}\n%%EOF`,
    ),
  );
  return Buffer.concat(parts);
}

const stream = (content: Buffer, filter: string) =>
  Buffer.concat([Buffer.from(`<</Length ${content.length}${filter}>>\nstream\n`), content, Buffer.from('\nendstream')]);

interface Pdf {
  content: string | Buffer;
  filter?: string;
  pages?: number;
  title?: string;
  isEncrypted?: boolean;
}

/** A PDF in which all pages have the same content. */
export function aPdf({ content, filter = '', pages = 1, title, isEncrypted }: Pdf): Buffer {
  const kids = Array.from({ length: pages }, (_, n) => `${n + 6} 0 R`).join(' ');
  const show = '/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>';
  const key = Buffer.alloc(32, 1).toString('hex');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages}>>`,
    title === undefined ? '<<>>' : `<</Title(${title})>>`,
    stream(Buffer.from(content), filter),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...Array.from({ length: pages }, () => `<</Type/Page/Parent 2 0 R${show}>>`),
  ];
  const locked = `/Encrypt<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -4>>/ID[<00><00>]`;
  return pdfOf(objects, `/Info 3 0 R${isEncrypted ? locked : ''}`);
}

const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const styled = (style: string, text: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const plain = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (text: string) => `<w:tc>${plain(text)}</w:tc>`;
export const word = {
  heading: (level: number, text: string) => styled(`Heading${level}`, text),
  text: plain,
  table: (rows: readonly (readonly string[])[]) =>
    `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`,
};

/** The entries of a Word file with this body. */
export const docxEntries = (body: string) => [
  {
    name: '[Content_Types].xml',
    content: Buffer.from(
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
  },
  {
    name: '_rels/.rels',
    content: Buffer.from(
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ),
  },
  {
    name: 'word/styles.xml',
    content: Buffer.from(
      `<?xml version="1.0"?><w:styles ${namespace}>${[1, 2, 3].map((n) => `<w:style w:type="paragraph" w:styleId="Heading${n}"><w:name w:val="heading ${n}"/></w:style>`).join('')}</w:styles>`,
    ),
  },
  {
    name: 'word/_rels/document.xml.rels',
    content: Buffer.from(
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    ),
  },
  {
    name: 'word/document.xml',
    content: Buffer.from(`<?xml version="1.0"?><w:document ${namespace}><w:body>${body}</w:body></w:document>`),
  },
];
export const aDocx = (body: string): Promise<Buffer> => zip(docxEntries(body));

/** Reads again while the machine is too busy, as a sync does. */
export async function retryWhileBusy<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AppError && error.reason === 'busy')) throw error;
    }
  }
}
