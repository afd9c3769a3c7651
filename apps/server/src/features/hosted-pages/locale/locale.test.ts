import { expect, test } from 'vitest';
import { costOf } from '../../../../test/cost.ts';
import { chooseLocale, languageLinks, textsOf } from './locale.ts';

test.each([
  // requested explicitly
  ['de', 'en', 'de'],
  ['de-AT', undefined, 'de'],
  ['DE', undefined, 'de'],
  ['fr-CA de en', 'en', 'de'],
  ['fr', 'de', 'de'],
  ['', 'de', 'de'],
  ['../../etc/passwd', 'de', 'de'],
  ['constructor', undefined, 'en'],
  // preferred by the browser
  [undefined, undefined, 'en'],
  [undefined, '', 'en'],
  [undefined, 'de-DE,de;q=0.9,en;q=0.8', 'de'],
  [undefined, 'en;q=0.8, de;q=0.9', 'de'],
  [undefined, 'de;q=0.5,en;q=0.500', 'de'],
  [undefined, 'fr, de;q=0.3', 'de'],
  [undefined, 'de;q=0, en;q=0.1', 'en'],
  [undefined, 'fr, de;q=0', 'en'],
  [undefined, 'de ; q=1.000 , en', 'de'],
  [undefined, 'zh-Hant-TW, de-CH-1996;q=0.2', 'de'],
  // the wildcard matches every language that is not listed
  [undefined, '*', 'en'],
  [undefined, 'en;q=0, *', 'de'],
  [undefined, '*;q=0.5, de;q=0.4', 'en'],
  [undefined, '*;q=0, de', 'de'],
  // malformed parts are ignored
  [undefined, 'de;q=2, en;q=0.1', 'en'],
  [undefined, 'de;q=, en;q=0.1', 'en'],
  [undefined, 'de;q=0.1234, en;q=0.1', 'en'],
  [undefined, 'd€, ;;;, de', 'de'],
] as const)('requested %j, browser %j: %s', (requested, header, locale) => {
  expect(chooseLocale(requested, header)).toBe(locale);
});

test('takes no longer for a very long header', () => {
  const costOfLength = (length: number) => {
    const [requested, header] = ['x '.repeat(length), 'a-'.repeat(length)];
    return costOf(() => expect(chooseLocale(requested, header)).toBe('en'));
  };
  expect(costOfLength(1e6) / costOfLength(1e3)).toBeLessThan(50);
});

test('labels each language link in its own language', () => {
  expect(languageLinks((locale) => `?lang=${locale}`)).toEqual([
    { locale: 'de', label: 'Deutsch', url: '?lang=de' },
    { locale: 'en', label: 'English', url: '?lang=en' },
  ]);
  for (const { locale } of languageLinks(() => '')) expect(textsOf(locale).locale).toBe(locale);
});
