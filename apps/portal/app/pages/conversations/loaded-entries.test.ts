import { expect, test } from 'vitest';
import { withEarlier, withNewest, type LoadedEntries } from './loaded-entries.ts';
import type { TimelineEntry } from './states.ts';

const page = (from: number, to: number, text = 'hello') =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ seq: to - n, data: { text } })) as unknown as TimelineEntry[];
const seqs = ({ entries }: LoadedEntries) => entries.map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const empty: LoadedEntries = { entries: [], before: null };

test('keeps loaded entries without duplicates when the newest page advances', () => {
  const first = withNewest(empty, page(11, 60), 11);
  const later = withNewest(first, page(31, 80), 31);
  expect(seqs(later)).toEqual(range(11, 80));
  expect(later.before).toBe(11);
  expect(seqs(withEarlier(later, page(1, 10), null))).toEqual(range(1, 80));
});

test('drops loaded entries when the newest page would leave a gap', () => {
  const first = withNewest(empty, page(11, 60), 11);
  const resumed = withNewest(first, page(151, 200), 151);
  expect(seqs(resumed)).toEqual(range(151, 200));
  expect(resumed.before).toBe(151);
});

test('replaces entries that were erased since', () => {
  const first = withNewest(empty, page(1, 3, 'secret'), null);
  expect(withNewest(first, page(1, 3, ''), null).entries.map(({ data }) => data['text'])).toEqual(['', '', '']);
});
