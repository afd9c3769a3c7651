import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect, test } from 'vitest';
import { english as chat } from '../../../../packages/widget/src/chat/english.ts';
import { english as extras } from '../../../../packages/widget/src/extras/english.ts';
import { locales } from '../../../../packages/widget/src/shared/locale.ts';

const english: Record<string, string> = { ...chat, ...extras };
const folder = join(import.meta.dirname, '../../../../packages/widget/locales');
const others = locales.filter((locale) => locale !== 'en');
const loadLabels = (locale: string) =>
  JSON.parse(readFileSync(join(folder, `${locale}.json`), 'utf8')) as Record<string, string>;
const valuesOf = (values: Record<string, string>) => Object.keys(english).map((key) => values[key] ?? '');
const placeholdersOf = (values: Record<string, string>) =>
  Object.keys(english).map((key) => [key, ...(values[key]?.match(/\{\w*\}/g) ?? []).toSorted()].join(' '));

/** Labels that are the same in both languages. */
const sameAsEnglish: Record<string, string[]> = { fr: ['log', 'bot', 'sources'] };

test('has a file for every supported language but English, and no other', () => {
  expect(readdirSync(folder).toSorted()).toEqual(others.map((locale) => `${locale}.json`).toSorted());
});

test.each(others)('%s: has the same keys as English', (locale) => {
  expect(Object.keys(loadLabels(locale)).toSorted()).toEqual(Object.keys(english).toSorted());
});

test.each(others)('%s: has the same placeholders as English', (locale) => {
  expect(placeholdersOf(loadLabels(locale))).toEqual(placeholdersOf(english));
});

test.each(others)('%s: has no empty or untranslated text', (locale) => {
  const values = Object.entries(loadLabels(locale));
  expect(values.filter(([, text]) => text.trim() === '')).toEqual([]);
  const same = values.filter(([key, text]) => english[key] === text).map(([key]) => key);
  expect(same).toEqual(sameAsEnglish[locale] ?? []);
});

test.each(others)('%s: has no invisible bidirectional control characters', (locale) => {
  expect(Object.values(loadLabels(locale)).filter((text) => /\p{Bidi_Control}/u.test(text))).toEqual([]);
});

test.each(others)('%s: is at most 1000 bytes', (locale) => {
  const file = JSON.stringify(valuesOf(loadLabels(locale))); // as the widget's build writes it
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  expect(brotliCompressSync(file, { params }).length).toBeLessThanOrEqual(1_000);
});
