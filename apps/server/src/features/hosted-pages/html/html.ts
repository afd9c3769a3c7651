const brand = Symbol('html');

/** Safe HTML. Only this file creates it, and the symbol can't be forged in JSON. */
export interface Html {
  readonly [brand]: string;
}

export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Marks text as HTML without escaping it. Only for text from this code, never for user input. */
export const trusted = (text: string): Html => ({ [brand]: text });

export const textOf = (value: Html): string => value[brand];

/**
 * Escapes all values except `Html`; null, undefined and false render nothing. URLs must be http or https, because escaping
 * alone would let `javascript:` through.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    const before = strings[index] ?? '';
    // Without quotes, a space in the value would start a new attribute, despite escaping.
    if (/=\s*$/.test(before)) throw new Error(`An attribute needs quotes: ${before.slice(-40)}`);
    text += isUrlNext.test(before) && typeof value === 'string' ? escape(pageUrl(value)) : render(value);
    text += strings[index + 1] ?? '';
  });
  return trusted(text);
}

/** Attributes, each with a leading space. True renders only the name; false, null and undefined are omitted. */
export const attributes = (values: Record<string, string | number | boolean | null | undefined>): Html =>
  trusted(
    Object.entries(values)
      .filter(([, value]) => value !== false && value !== null && value !== undefined)
      .map(([name, value]) => (value === true ? ` ${name}` : textOf(html` ${trusted(name)}="${String(value)}"`)))
      .join(''),
  );

const isUrlNext = /\s(?:href|action|src)="$/;

/** Keeps the URL only if it parses as http or https by the WHATWG rules that browsers use. */
function pageUrl(value: string): string {
  const protocol = URL.parse(value, 'https://page.invalid')?.protocol;
  return protocol === 'https:' || protocol === 'http:' ? value : 'about:blank';
}

function render(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value));
  return isList(value) ? value.map(render).join('') : value[brand];
}

// Array.isArray does not narrow readonly lists.
const isList = (value: Html | readonly Content[]): value is readonly Content[] => Array.isArray(value);

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
