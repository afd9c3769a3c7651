import { expect, test } from 'vitest';
import { parseSearch } from './tenant-queries.ts';

test.each<[query: string, terms: ReturnType<typeof parseSearch>]>([
  ['ten_01ja', { id: 'ten_01ja' }],
  [' TEN_01JABC ', { id: 'ten_01jabc' }],
  ['ten_01', { email: 'ten_01', name: 'ten_01' }], // too short for an id
  ['pk_live_…aB3d', { key: { prefix: 'pk_live_', ending: 'aB3d' } }],
  ['sc_live_0a1bcdefgh', { key: { prefix: 'sc_live_', ending: 'efgh' } }],
  ['…aB3d', { key: { ending: 'aB3d' }, name: '…aB3d' }],
  ['...aB3d', { key: { ending: 'aB3d' }, email: '...ab3d', name: '...aB3d' }],
  ['Acme', { key: { ending: 'Acme' }, email: 'acme', name: 'Acme' }],
  ['shop.example', { host: 'shop.example', email: 'shop.example', name: 'shop.example' }],
  ['https://www.Shop.example:8443/cart?x=1', { host: 'shop.example', name: 'https://www.Shop.example:8443/cart?x=1' }],
  ['localhost', { host: 'localhost', email: 'localhost', name: 'localhost' }],
  ['Anna@Shop.example', { email: 'anna@shop.example' }],
  ['an', { name: 'an' }],
  ['Blue Hill Books', { name: 'Blue Hill Books' }],
  ['a', { name: 'a' }],
])('parses %s', (query, terms) => {
  expect(parseSearch(query)).toEqual(terms);
});
