import * as files from './languages.ts';
import type { Texts } from './texts.ts';

const languages = { ...files };
export type Locale = keyof typeof languages;

const fallback: Locale = 'en';
const locales = Object.keys(languages) as Locale[];

export const textsOf = (locale: Locale): Texts => languages[locale];

export interface LanguageLink {
  locale: Locale;
  label: string;
  url: string;
}

/** One link for each language, named in that language. */
export const languageLinks = (urlOf: (locale: Locale) => string): LanguageLink[] =>
  locales.map((locale) => ({ locale, label: languages[locale].languageName, url: urlOf(locale) }));

/**
 * What was asked for by name comes first: a `lang` value, or `ui_locales` with several, best first. Then what the
 * browser says it prefers.
 */
export function chooseLocale(asked: string | undefined, acceptLanguage: string | undefined): Locale {
  for (const tag of (asked ?? '').slice(0, maxLength).split(/\s+/)) {
    const locale = localeOf(tag);
    if (locale) return locale;
  }
  return preferred(acceptLanguage ?? '') ?? fallback;
}

const maxLength = 1_000; // nobody has that many languages; what comes after is not read

function preferred(header: string): Locale | undefined {
  const ranges = header
    .slice(0, maxLength)
    .split(',')
    .map(readRange)
    .filter((range) => range !== undefined);
  const named = new Set(ranges.map(({ tag }) => localeOf(tag)));
  // Sorting keeps the order among equals, which is how browsers mean it.
  for (const { tag, weight } of ranges.toSorted((a, b) => b.weight - a.weight)) {
    if (weight === 0) return undefined;
    // The star means every language that is not named; it may come before ours, or rule ours out.
    const locale = tag === '*' ? [fallback, ...locales].find((other) => !named.has(other)) : localeOf(tag);
    if (locale) return locale;
  }
  return undefined;
}

/** One part of Accept-Language: `de-AT;q=0.8`. A part that is not well-formed counts for nothing. */
function readRange(part: string): { tag: string; weight: number } | undefined {
  const [, tag, weight] =
    /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(part) ?? [];
  return tag === undefined ? undefined : { tag, weight: weight === undefined ? 1 : Number(weight) };
}

/** `de-AT` finds `de`: the tag is shortened from its end until there is such a language. */
function localeOf(tag: string): Locale | undefined {
  const parts = tag.toLowerCase().split('-');
  for (let length = parts.length; length > 0; length--) {
    const shortened = parts.slice(0, length).join('-');
    const found = locales.find((locale) => locale.toLowerCase() === shortened);
    if (found) return found;
  }
  return undefined;
}
