/** Decodes bytes by their byte order mark, the media type, the declaration in the page, or else as UTF-8. */
export function decode(bytes: Uint8Array, mediaType: string, isHtml = false): string {
  const named = markOf(bytes) ?? charsetIn(mediaType) ?? (isHtml ? charsetOfPage(bytes) : undefined) ?? 'utf-8';
  // PostgreSQL cannot store NUL.
  return decoderFor(named).decode(bytes).replaceAll('\0', '');
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

const charsetIn = (text: string) => /charset\s?=\s?["']?\s?([\w.:-]{1,40})/i.exec(text)?.[1];

/** HTML requires the declaration in the first kilobyte. */
function charsetOfPage(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const tags = start.match(/<(?:meta\b|\?xml\b)[^<>]*>/gi) ?? [];
  const tag = tags.find((one) => /^<meta.*charset/is.test(one)) ?? tags.find((one) => one.startsWith('<?')) ?? '';
  const named = charsetIn(tag) ?? /encoding\s?=\s?["']([\w.:-]{1,40})/i.exec(tag)?.[1];
  return named && /^utf-?16/i.test(named) ? 'utf-8' : named; // the declaration was readable as ASCII, so it cannot be UTF-16
}

/** Unknown charsets are decoded as UTF-8. */
function decoderFor(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
