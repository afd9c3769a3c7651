import { extname } from 'node:path';
import { Unreadable } from '../problems.ts';

export type Format = 'html' | 'markdown' | 'text' | 'pdf' | 'docx';

export interface RawFile {
  bytes: Uint8Array;
  /** As sent, with parameters: `text/html; charset=utf-8`. */
  mediaType: string;
  name?: string;
}

/** Detects the format from the content. The media type and name only distinguish text formats. */
export function sniff({ bytes, mediaType, name = '' }: RawFile): Format {
  if (bytes.length === 0) throw new Unreadable('no_text');
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4_096));
  const start = head.toString('latin1');
  if (start.slice(0, 1_024).includes('%PDF-')) return 'pdf';
  if (start.startsWith('PK\x03\x04')) return 'docx'; // or another zip file, which the Word reader rejects
  if (start.startsWith('\xd0\xcf\x11\xe0'))
    throw new Unreadable(isProtectedOffice(bytes) ? 'password_protected' : 'unsupported_type');
  if (!isText(head) || start.startsWith('{\\rtf')) throw new Unreadable('unsupported_type');

  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = extname(name).toLowerCase();
  if (/^(text\/html|application\/xhtml\+xml)$/.test(type) || looksLikeHtml(start)) return 'html';
  if (/^text\/(x-)?markdown$/.test(type) || ending === '.md' || ending === '.markdown') return 'markdown';
  return 'text';
}

/** An XML declaration and comments may precede the first tag. */
function looksLikeHtml(start: string): boolean {
  let rest = after(start.replace(/^\xef\xbb\xbf/, '').trimStart(), '<?xml', '>');
  while (rest.startsWith('<!--')) rest = after(rest, '<!--', '-->');
  return /^<(?:!doctype html|html|head|body)[\s>]/i.test(rest);
}

/** The text after the delimited prefix, or the text itself if it has none. */
function after(text: string, opening: string, closing: string): string {
  if (!text.startsWith(opening)) return text;
  const end = text.indexOf(closing, opening.length);
  return end < 0 ? '' : text.slice(end + closing.length).trimStart();
}

/** Binary formats contain control characters. Text does not, except UTF-16, which starts with a byte order mark. */
function isText(head: Buffer): boolean {
  if (hasUtf16Mark(head)) return true;
  return !head.some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
}

const hasUtf16Mark = ([first, second]: Uint8Array) =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Office stores encrypted documents in its legacy container format, under this name. */
const isProtectedOffice = (bytes: Uint8Array) =>
  Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'));
