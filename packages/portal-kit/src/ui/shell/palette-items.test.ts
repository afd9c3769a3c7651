import { expect, test } from 'vitest';
import { groupsOf, matchingItems } from './palette-items.ts';

const items = [
  { id: '1', group: 'Pages', label: 'Bots' },
  { id: '2', group: 'Pages', label: 'API keys', detail: 'Developers' },
  { id: '3', group: 'Actions', label: 'Create bot' },
  { id: '4', group: 'Pages', label: 'Home' },
];

test('finds items by parts of their label, detail and group, in any order', () => {
  expect(matchingItems(items, '  dev KEY ').map(({ id }) => id)).toEqual(['2']);
  expect(matchingItems(items, 'bot').map(({ id }) => id)).toEqual(['1', '3']);
  expect(matchingItems(items, '')).toHaveLength(4);
  expect(matchingItems(items, 'submarine')).toEqual([]);
});

test('groups items in the order in which the groups appear', () => {
  expect(groupsOf(items).map(([group, { length }]) => [group, length])).toEqual([
    ['Pages', 3],
    ['Actions', 1],
  ]);
});
