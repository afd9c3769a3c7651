import { describe, expect, test } from 'vitest';
import { measure, readPhrasings, shareOf, type Phrasing } from '../../../../../../eval/intents.ts';
import { intentLanguages, likelyIntent, recognizeIntent } from './intents.ts';
import { intents } from './rules.ts';

// `node eval/intents.ts` prints the figures.

const measured = await measure(readPhrasings());
const share = (those: typeof measured, intent: Phrasing['intent'], field?: 'likely') => {
  const { right, of } = shareOf(those, intent, field);
  return right / of;
};

test('the corpus has enough phrasings of every intent in every language', () => {
  for (const language of intentLanguages)
    for (const intent of intents) {
      const count = measured.filter((one) => one.language === language && one.intent === intent).length;
      expect(count, `${language} ${intent}`).toBeGreaterThanOrEqual(['en', 'de'].includes(language) ? 60 : 30);
    }
  expect(measured.filter(({ intent }) => intent === 'ordinary').length).toBeGreaterThanOrEqual(1_000);
});

describe.each(intentLanguages)('%s', (language) => {
  const those = measured.filter((one) => one.language === language);

  test('95 % of requests for a person are recognised before the search, and 90 % of those that the rules were not written for', () => {
    expect(share(those, 'human')).toBeGreaterThanOrEqual(0.95);
    const unseen = those.filter(({ split }) => split === 'held-out');
    expect(share(unseen, 'human')).toBeGreaterThanOrEqual(0.9);
  });

  test('at most 1 % of ordinary questions are taken for something else before the search', () => {
    expect(share(those, 'ordinary')).toBeGreaterThanOrEqual(0.99);
  });
});

test('messages are compared without case, accents, emphasis and single typing errors', async () => {
  for (const text of ['THANKS!!!', 'thaaanks', '  thanks. ', 'thansk', 'Thanks 😊'])
    expect((await recognizeIntent(text, ['en']))?.intent, text).toBe('thanks');
  expect((await recognizeIntent('Ich moechte mit einem Menschen sprechen', ['de']))?.intent).toBe('human');
});

test('several phrases in a row are recognised by the most specific one', async () => {
  expect((await recognizeIntent('hi, thanks a lot, bye', ['en']))?.intent).toBe('goodbye');
  expect((await recognizeIntent('hello there! are you a bot?', ['en']))?.intent).toBe('identity');
});

test('a language that the bot does not have is not recognised', async () => {
  expect(await recognizeIntent('vielen Dank', ['en'])).toBeUndefined();
  expect(await recognizeIntent('vielen Dank', ['en', 'de-AT'])).toEqual({ intent: 'thanks', language: 'de' });
});

test('a question is never taken for thanks, a greeting or a goodbye', async () => {
  for (const text of ['thanks but what does express cost', 'hello, open on Sundays?', 'bye the way, how much is it'])
    expect(await likelyIntent(text, ['en']), text).toBeUndefined();
});

test('time grows no faster than the length of the message', async () => {
  const fastest = async (text: string) => {
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      const startedAt = performance.now();
      await recognizeIntent(text, intentLanguages);
      times.push(performance.now() - startedAt);
    }
    return Math.min(...times);
  };
  const short = await fastest('please thank you '.repeat(100));
  const long = await fastest('please thank you '.repeat(10_000));
  expect(long / short).toBeLessThan(300); // 100 times as long
});
