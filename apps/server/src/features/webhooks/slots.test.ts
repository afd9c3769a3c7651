import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

const soon = 50;

test('no tenant has more than a quarter, however much it wants', async () => {
  const slots = createSlots(200);
  expect(await slots.take('a', 500, false, 0)).toBe(50);
  expect(await slots.take('a', 1, false, 0)).toBe(0);
  expect(await slots.take('b', 500, false, 0)).toBe(50);
});

test('endpoints that fail leave a fifth to those that do not', async () => {
  const slots = createSlots(20);
  for (const tenant of ['a', 'b', 'c', 'd']) await slots.take(tenant, 5, true, 0);
  expect(await slots.take('e', 5, true, 0), 'sixteen of twenty are taken').toBe(0);
  expect(await slots.take('e', 5, false, 0)).toBe(4);
});

test('who waits gets it in turn, tenant by tenant, and as much as there is', async () => {
  const slots = createSlots(8);
  for (const tenant of ['a', 'b', 'c', 'd']) expect(await slots.take(tenant, 2, false, 0)).toBe(2);
  const order: string[] = [];
  const wait = (tenant: string) => slots.take(tenant, 1, false, 5_000).then(() => order.push(tenant));
  const all = Promise.all(['e', 'e', 'f', 'g'].map(wait));
  for (const tenant of ['a', 'b', 'c']) slots.giveBack(tenant, 1);
  await expect.poll(() => order).toEqual(['e', 'f', 'g']);
  slots.giveBack('d', 1);
  await all;
  expect(order).toEqual(['e', 'f', 'g', 'e']);
});

test('who has waited long enough goes on with nothing, and what comes later is not lost on them', async () => {
  const slots = createSlots(4);
  expect(await slots.take('a', 1, false, 0)).toBe(1);
  expect(await slots.take('a', 1, false, soon)).toBe(0);
  slots.giveBack('a', 1);
  expect(await slots.take('a', 1, false, 0)).toBe(1);
});

test('a tenant that has its quarter and waits for more is not in the way of another', async () => {
  const slots = createSlots(8);
  expect(await slots.take('a', 2, false, 0)).toBe(2);
  const waiting = slots.take('a', 1, false, 5_000);
  expect(await slots.take('b', 2, false, 0)).toBe(2);
  slots.giveBack('a', 1);
  expect(await waiting).toBe(1);
});
