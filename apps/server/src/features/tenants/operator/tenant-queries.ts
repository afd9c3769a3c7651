/** A tenant search query, interpreted as everything it may be. */
export interface SearchTerms {
  /** A tenant id, or its prefix. */
  id?: string;
  /** The last four characters of a key, and its prefix if present. */
  key?: { ending: string; prefix?: string };
  /** The host of a website. */
  host?: string;
  /** A member's email address, or its prefix. */
  email?: string;
  /** A name, or some of its tokens. */
  name?: string;
}

const idStart = /^ten_[0-9a-z]{4,26}$/;
const keyHint = /^((?:pk|sc)_live_)\S*([0-9A-Za-z]{4})$/;
const fourCharacters = /^(?:…|\.{3})?([0-9A-Za-z]{4})$/;
const page = /^(?:[a-z][a-z0-9+.-]*:\/\/)?((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}|localhost)(?::\d+)?(?:[/?#].*)?$/u;

/**
 * Decides by syntax alone. An ambiguous query is searched as everything it may be; an id or a key with its prefix is not
 * searched as a name.
 */
export function parseSearch(query: string): SearchTerms {
  const text = query.trim();
  const lower = text.toLowerCase();
  if (idStart.test(lower)) return { id: lower };
  const hint = keyHint.exec(text);
  if (hint) return { key: { ending: hint[2] ?? '', prefix: hint[1] ?? '' } };

  const ending = fourCharacters.exec(text)?.[1];
  const host = page.exec(lower)?.[1]?.replace(/^www\./, '');
  const canBeEmail = lower.length >= 3 && !/[\s/:…]/.test(lower);
  return {
    ...(ending !== undefined && { key: { ending } }),
    ...(host !== undefined && { host }),
    ...(canBeEmail && { email: lower }),
    ...(!lower.includes('@') && { name: text }),
  };
}
