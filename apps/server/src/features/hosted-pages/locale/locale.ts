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
 * An explicit request comes first: a `lang` value, or `ui_locales` in order of preference. Then the browser's
 * Accept-Language.
 */
export function chooseLocale(requested: string | undefined, acceptLanguage: string | undefined): Locale {
  for (const tag of (requested ?? '').slice(0, maxLength).split(/\s+/)) {
    const locale = localeOf(tag);
    if (locale) return locale;
  }
  return preferred(acceptLanguage ?? '') ?? fallback;
}

const maxLength = 1_000; // the rest is ignored

function preferred(header: string): Locale | undefined {
  const ranges = header
    .slice(0, maxLength)
    .split(',')
    .map(readRange)
    .filter((range) => range !== undefined);
  const listed = new Set(ranges.map(({ tag }) => localeOf(tag)));
  // The sort is stable, so languages of equal weight keep their order.
  for (const { tag, weight } of ranges.toSorted((a, b) => b.weight - a.weight)) {
    if (weight === 0) return undefined;
    // The wildcard matches every language that is not listed, and can precede or exclude ours.
    const locale = tag === '*' ? [fallback, ...locales].find((other) => !listed.has(other)) : localeOf(tag);
    if (locale) return locale;
  }
  return undefined;
}

/** Parses one part of Accept-Language, such as `de-AT;q=0.8`. Malformed parts are ignored. */
function readRange(part: string): { tag: string; weight: number } | undefined {
  const [, tag, weight] =
    /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(part) ?? [];
  return tag === undefined ? undefined : { tag, weight: weight === undefined ? 1 : Number(weight) };
}

/** Shortens the tag from its end until a language matches: `de-AT` finds `de`. */
function localeOf(tag: string): Locale | undefined {
  const parts = tag.toLowerCase().split('-');
  for (let length = parts.length; length > 0; length--) {
    const shortened = parts.slice(0, length).join('-');
    const found = locales.find((locale) => locale.toLowerCase() === shortened);
    if (found) return found;
  }
  return undefined;
}
