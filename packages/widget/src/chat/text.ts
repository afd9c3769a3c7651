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

/** Locale files contain only values, in the order of the English keys, those of the extras last. */
export const loadLabels = async (locale: string, base: string): Promise<string[]> =>
  locale === 'en'
    ? []
    : fetch(`${base}${locale}.${BUILD.locales}.json`, { credentials: 'omit' })
        .then((response) => response.json() as Promise<string[]>)
        .catch(() => []); // fall back to English

export const fill = (text: string, values: Record<string, string | number>) =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
