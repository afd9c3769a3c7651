import { expect, test } from 'vitest';
import type { Run } from '../../actions/index.ts';
import { describeRun } from './run-labels.ts';

test.each([
  ['Cancel the order?', 'OK, I won’t do that: Cancel the order.'],
  ['Pay $& now', 'OK, I won’t do that: Pay $& now.'],
])('ends the sentence with one punctuation mark for the title "%s"', (title, sentence) => {
  expect(describeRun({ state: 'declined', language: 'en', spec: { title } } as Run)).toBe(sentence);
});
