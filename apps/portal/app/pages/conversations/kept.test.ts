import { expect, test } from 'vitest';
import { withEarlier, withNewest, type Kept } from './kept.ts';
import type { Message } from './states.ts';

const page = (from: number, to: number, text = 'said') =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ seq: to - n, text })) as unknown as Message[];
const places = ({ messages }: Kept) => messages.map(({ seq }) => seq);
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const nothing: Kept = { messages: [], before: null };

test('what was read stays when the newest page moves on, and each message is there once', () => {
  const first = withNewest(nothing, page(11, 60), 11);
  const later = withNewest(first, page(31, 80), 31);
  expect(places(later)).toEqual(upTo(11, 80));
  expect(later.before).toBe(11);
  expect(places(withEarlier(later, page(1, 10), null))).toEqual(upTo(1, 80));
});

test('after a long sleep nothing is missing in between: what would leave a gap is let go, and read again on demand', () => {
  const first = withNewest(nothing, page(11, 60), 11);
  const woken = withNewest(first, page(151, 200), 151);
  expect(places(woken)).toEqual(upTo(151, 200));
  expect(woken.before).toBe(151);
});

test('what was erased meanwhile is shown as it is now', () => {
  const first = withNewest(nothing, page(1, 3, 'secret'), null);
  expect(withNewest(first, page(1, 3, ''), null).messages.map(({ text }) => text)).toEqual(['', '', '']);
});
