import { expect, test } from 'vitest';
import type { Run } from '../../actions/index.ts';
import { describeRun } from './run-labels.ts';

test.each([
  ['Cancel the order?', 'OK, I won’t do that: Cancel the order.'],
  ['Pay $& now', 'OK, I won’t do that: Pay $& now.'],
])('a title of "%s" ends the sentence with one mark', (title, sentence) => {
  expect(describeRun({ state: 'declined', language: 'en', spec: { title } } as Run)).toBe(sentence);
});
