import { english, type Labels } from './english.ts';
import { locales } from '../shared/locale.ts';
import type { Setup } from '../shared/wire.ts';

/** The page's setting; otherwise the page's or browser's language, if the bot supports it; otherwise the bot's first. */
export function localeOf({ languages }: Setup, preferred: string | undefined): string {
  const localeFor = (tag: string) => locales.find((name) => name === tag.toLowerCase().split('-')[0]);
  const pageLocale = [document.documentElement.lang, ...navigator.languages]
    .filter(Boolean)
    .map(localeFor)
    .find((name) => name && languages.some((language) => localeFor(language) === name));
  return (preferred && localeFor(preferred)) ?? pageLocale ?? localeFor(languages[0] ?? '') ?? 'en';
}

/** Locale files contain only values, in the order of the English keys. */
export async function loadLabels(locale: string, base: string): Promise<Labels> {
  if (locale === 'en') return english;
  const values = await fetch(`${base}${locale}.${BUILD.locales}.json`, { credentials: 'omit' })
    .then((response) => response.json() as Promise<string[]>)
    .catch((): string[] => []); // fall back to English
  return Object.fromEntries(Object.entries(english).map(([key, text], at) => [key, values[at] ?? text])) as Labels;
}

export const fill = (text: string, values: Record<string, string | number>) =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
