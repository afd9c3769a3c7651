const brand = Symbol('html');

/** Text that is HTML already. Only this file makes one, and a symbol cannot come in with anybody's JSON. */
export interface Html {
  readonly [brand]: string;
}

export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Takes text as HTML without escaping. For text that this code has made itself, never for anybody's words. */
export const trusted = (text: string): Html => ({ [brand]: text });

export const textOf = (value: Html): string => value[brand];

/**
 * Everything put into the template is escaped unless it is `Html`; nothing comes of null, undefined and false. A URL
 * stays one that leads to a page: escaping alone would let `javascript:` through.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    const before = strings[index] ?? '';
    // Without quotes a space in the value would begin a new attribute, and escaping would not help.
    if (/=\s*$/.test(before)) throw new Error(`An attribute needs quotes: ${before.slice(-40)}`);
    text += isUrlNext.test(before) && typeof value === 'string' ? escape(pageUrl(value)) : render(value);
    text += strings[index + 1] ?? '';
  });
  return trusted(text);
}

/** Attributes with a space before each: true stands alone, and false, null and undefined are left out. */
export const attributes = (values: Record<string, string | number | boolean | null | undefined>): Html =>
  trusted(
    Object.entries(values)
      .filter(([, value]) => value !== false && value !== null && value !== undefined)
      .map(([name, value]) => (value === true ? ` ${name}` : textOf(html` ${trusted(name)}="${String(value)}"`)))
      .join(''),
  );

const isUrlNext = /\s(?:href|action|src)="$/;

/** Only what a browser, by its own rules of reading URLs, takes for http or https. */
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
