import { extname } from 'node:path';
import { Unreadable } from '../problems.ts';

export type Format = 'html' | 'markdown' | 'text' | 'pdf' | 'docx';

export interface Raw {
  bytes: Uint8Array;
  /** As its sender named it, with parameters: `text/html; charset=utf-8`. */
  mediaType: string;
  name?: string;
}

/** What the bytes are. What their sender says only decides between kinds of text, which look alike. */
export function sniff({ bytes, mediaType, name = '' }: Raw): Format {
  if (bytes.length === 0) throw new Unreadable('no_text');
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4_096));
  const start = head.toString('latin1');
  if (start.slice(0, 1_024).includes('%PDF-')) return 'pdf';
  if (start.startsWith('PK\x03\x04')) return 'docx'; // or another zip, which whoever opens it will notice
  if (start.startsWith('\xd0\xcf\x11\xe0'))
    throw new Unreadable(isProtectedOffice(bytes) ? 'password_protected' : 'unsupported_type');
  if (!isText(head) || start.startsWith('{\\rtf')) throw new Unreadable('unsupported_type');

  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = extname(name).toLowerCase();
  if (/^(text\/html|application\/xhtml\+xml)$/.test(type) || looksLikeHtml(start)) return 'html';
  if (/^text\/(x-)?markdown$/.test(type) || ending === '.md' || ending === '.markdown') return 'markdown';
  return 'text';
}

/** A declaration of XML and comments may stand before its first tag. */
function looksLikeHtml(start: string): boolean {
  let rest = after(start.replace(/^\xef\xbb\xbf/, '').trimStart(), '<?xml', '>');
  while (rest.startsWith('<!--')) rest = after(rest, '<!--', '-->');
  return /^<(?:!doctype html|html|head|body)[\s>]/i.test(rest);
}

/** What follows it, if the text begins with it. */
function after(text: string, opening: string, closing: string): string {
  if (!text.startsWith(opening)) return text;
  const end = text.indexOf(closing, opening.length);
  return end < 0 ? '' : text.slice(end + closing.length).trimStart();
}

/** Zero bytes are in every binary format, and in no text but UTF-16, which begins with a mark that says so. */
function isText(head: Buffer): boolean {
  if (hasUtf16Mark(head)) return true;
  return !head.some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
}

const hasUtf16Mark = ([first, second]: Uint8Array) =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Office puts what it encrypts into its old container, under this name. */
const isProtectedOffice = (bytes: Uint8Array) =>
  Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'));
