import { english, type Words } from './english.ts';
import { locales } from '../shared/locale.ts';
import type { Setup } from '../shared/wire.ts';

/** The locale that the page asks for first; then what the page is written in, if the bot speaks it; else the bot's first language. */
export function localeOf({ languages }: Setup, preferred: string | undefined): string {
  const packOf = (tag: string) => locales.find((name) => name === tag.toLowerCase().split('-')[0]);
  const spoken = [document.documentElement.lang, ...navigator.languages]
    .filter(Boolean)
    .map(packOf)
    .find((name) => name && languages.some((language) => packOf(language) === name));
  return (preferred && packOf(preferred)) ?? spoken ?? packOf(languages[0] ?? '') ?? 'en';
}

/** In a file of the values alone: in the order of the English ones. */
export async function wordsIn(locale: string, base: string): Promise<Words> {
  if (locale === 'en') return english;
  const values = await fetch(`${base}${locale}.${BUILD.words}.json`, { credentials: 'omit' })
    .then((response) => response.json() as Promise<string[]>)
    .catch((): string[] => []); // English is better than nothing
  return Object.fromEntries(Object.entries(english).map(([key, text], at) => [key, values[at] ?? text])) as Words;
}

export const fill = (text: string, values: Record<string, string | number>) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
