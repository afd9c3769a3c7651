/** What somebody typed into the search for tenants, as each thing that it can be. */
export interface Wanted {
  /** A tenant's id, or how it begins. */
  id?: string;
  /** The last four characters of a key, and what stands before the dots if it was typed too. */
  key?: { ending: string; prefix?: string };
  /** The host of a page. */
  host?: string;
  /** A member's address, or how it begins. */
  address?: string;
  /** A name, or words of it. */
  name?: string;
}

const idStart = /^ten_[0-9a-z]{4,26}$/;
const keyHint = /^((?:pk|sc)_live_)\S*([0-9A-Za-z]{4})$/;
const fourCharacters = /^(?:…|\.{3})?([0-9A-Za-z]{4})$/;
const page = /^(?:[a-z][a-z0-9+.-]*:\/\/)?((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}|localhost)(?::\d+)?(?:[/?#].*)?$/u;

/**
 * By its shape alone: what cannot be an id is not looked for among ids. What can be several things is looked for as each;
 * what has a shape of its own (an id, a key with its prefix) is no name.
 */
export function shapesOf(typed: string): Wanted {
  const text = typed.trim();
  const lower = text.toLowerCase();
  if (idStart.test(lower)) return { id: lower };
  const hint = keyHint.exec(text);
  if (hint) return { key: { ending: hint[2] ?? '', prefix: hint[1] ?? '' } };

  const ending = fourCharacters.exec(text)?.[1];
  const host = page.exec(lower)?.[1]?.replace(/^www\./, '');
  const isIp = lower.length >= 3 && !/[\s/:…]/.test(lower);
  return {
    ...(ending !== undefined && { key: { ending } }),
    ...(host !== undefined && { host }),
    ...(isIp && { address: lower }),
    ...(!lower.includes('@') && { name: text }),
  };
}
