import { expect, test } from 'vitest';
import { shapesOf } from './tenant-queries.ts';

test.each<[typed: string, shapes: ReturnType<typeof shapesOf>]>([
  ['ten_01ja', { id: 'ten_01ja' }],
  [' TEN_01JABC ', { id: 'ten_01jabc' }],
  ['ten_01', { address: 'ten_01', name: 'ten_01' }], // too short to be looked for among ids
  ['pk_live_…aB3d', { key: { prefix: 'pk_live_', ending: 'aB3d' } }],
  ['sc_live_0a1bcdefgh', { key: { prefix: 'sc_live_', ending: 'efgh' } }],
  ['…aB3d', { key: { ending: 'aB3d' }, name: '…aB3d' }],
  ['...aB3d', { key: { ending: 'aB3d' }, address: '...ab3d', name: '...aB3d' }],
  ['Acme', { key: { ending: 'Acme' }, address: 'acme', name: 'Acme' }],
  ['shop.example', { host: 'shop.example', address: 'shop.example', name: 'shop.example' }],
  ['https://www.Shop.example:8443/cart?x=1', { host: 'shop.example', name: 'https://www.Shop.example:8443/cart?x=1' }],
  ['localhost', { host: 'localhost', address: 'localhost', name: 'localhost' }],
  ['Anna@Shop.example', { address: 'anna@shop.example' }],
  ['an', { name: 'an' }],
  ['Blue Hill Books', { name: 'Blue Hill Books' }],
  ['a', { name: 'a' }],
])('%s is looked for as what it can be', (typed, shapes) => {
  expect(shapesOf(typed)).toEqual(shapes);
});
