import { basename, extname } from 'node:path';
import { Unreadable } from '../problems.ts';
import { decode } from './decode.ts';
import { firstHeading, readHtml } from './html.ts';
import { languageOf } from './language.ts';
import { limits } from './limits.ts';
import { tidy } from './markdown.ts';
import { sniff, type Format, type RawFile } from './sniff.ts';

/** The content of a document as Markdown. */
export interface ParsedDocument {
  title: string;
  /** ISO 639-1, or null if unknown. */
  language: string | null;
  markdown: string;
}

interface Content {
  title: string;
  language?: string | null;
  markdown: string;
}

/** Runs in a reader thread with time and memory limits: see reader.ts. */
export async function readBytes(raw: RawFile): Promise<ParsedDocument> {
  if (raw.bytes.length > limits.bytes) throw new Unreadable('too_large');
  const content = await readers[sniff(raw)](raw);
  const markdown = tidy(content.markdown);
  if (!/[\p{L}\p{N}]/u.test(markdown)) throw new Unreadable('no_text');
  if (markdown.length > limits.characters) throw new Unreadable('too_large');
  const declared = content.language && /^[a-z]{2}$/.test(content.language) ? content.language : null;
  return { title: content.title || titleOf(raw.name), language: languageOf(markdown) ?? declared, markdown };
}

const readers: Record<Format, (raw: RawFile) => Content | Promise<Content>> = {
  html: ({ bytes, mediaType }) => readHtml(decode(bytes, mediaType, true)),
  // Loaded on first use: most documents are web pages.
  pdf: async ({ bytes }) => (await import('./pdf.ts')).readPdf(bytes),
  docx: async ({ bytes }) => (await import('./docx.ts')).readDocx(bytes),
  markdown: ({ bytes, mediaType }) => {
    const markdown = decode(bytes, mediaType);
    return { title: firstHeading(markdown), markdown };
  },
  // In plain text, a line that starts with # is not a heading.
  text: ({ bytes, mediaType }) => ({ title: '', markdown: decode(bytes, mediaType).replaceAll(/^(#+\s)/gm, '\\$1') }),
};

const titleOf = (name = '') => basename(name, extname(name)).replaceAll(/[_-]+/g, ' ').trim().slice(0, 300);
