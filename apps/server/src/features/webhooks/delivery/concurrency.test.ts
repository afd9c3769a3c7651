import { expect, test } from 'vitest';
import { createConcurrencyLimiter } from './concurrency.ts';

const soon = 50;

test('no tenant has more than a quarter, however much it wants', async () => {
  const concurrency = createConcurrencyLimiter(200);
  expect(await concurrency.take('a', 500, false, 0)).toBe(50);
  expect(await concurrency.take('a', 1, false, 0)).toBe(0);
  expect(await concurrency.take('b', 500, false, 0)).toBe(50);
});

test('endpoints that fail leave a fifth to those that do not', async () => {
  const concurrency = createConcurrencyLimiter(20);
  for (const tenant of ['a', 'b', 'c', 'd']) await concurrency.take(tenant, 5, true, 0);
  expect(await concurrency.take('e', 5, true, 0), 'sixteen of twenty are taken').toBe(0);
  expect(await concurrency.take('e', 5, false, 0)).toBe(4);
});

test('who waits gets it in turn, tenant by tenant, and as much as there is', async () => {
  const concurrency = createConcurrencyLimiter(8);
  for (const tenant of ['a', 'b', 'c', 'd']) expect(await concurrency.take(tenant, 2, false, 0)).toBe(2);
  const order: string[] = [];
  const wait = (tenant: string) => concurrency.take(tenant, 1, false, 5_000).then(() => order.push(tenant));
  const all = Promise.all(['e', 'e', 'f', 'g'].map(wait));
  for (const tenant of ['a', 'b', 'c']) concurrency.giveBack(tenant, 1);
  await expect.poll(() => order).toEqual(['e', 'f', 'g']);
  concurrency.giveBack('d', 1);
  await all;
  expect(order).toEqual(['e', 'f', 'g', 'e']);
});

test('who has waited long enough goes on with nothing, and what comes later is not lost on them', async () => {
  const concurrency = createConcurrencyLimiter(4);
  expect(await concurrency.take('a', 1, false, 0)).toBe(1);
  expect(await concurrency.take('a', 1, false, soon)).toBe(0);
  concurrency.giveBack('a', 1);
  expect(await concurrency.take('a', 1, false, 0)).toBe(1);
});

test('a tenant that has its quarter and waits for more is not in the way of another', async () => {
  const concurrency = createConcurrencyLimiter(8);
  expect(await concurrency.take('a', 2, false, 0)).toBe(2);
  const waiting = concurrency.take('a', 1, false, 5_000);
  expect(await concurrency.take('b', 2, false, 0)).toBe(2);
  concurrency.giveBack('a', 1);
  expect(await waiting).toBe(1);
});
