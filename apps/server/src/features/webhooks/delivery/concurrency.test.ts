import { expect, test } from 'vitest';
import { createConcurrencyLimiter } from './concurrency.ts';

const soon = 50;

test('limits each tenant to a quarter of the slots', async () => {
  const limiter = createConcurrencyLimiter(200);
  expect(await limiter.acquire('a', 500, false, 0)).toBe(50);
  expect(await limiter.acquire('a', 1, false, 0)).toBe(0);
  expect(await limiter.acquire('b', 500, false, 0)).toBe(50);
});

test('reserves a fifth of the slots for healthy endpoints', async () => {
  const limiter = createConcurrencyLimiter(20);
  for (const tenant of ['a', 'b', 'c', 'd']) await limiter.acquire(tenant, 5, true, 0);
  expect(await limiter.acquire('e', 5, true, 0), '16 of 20 are in use').toBe(0);
  expect(await limiter.acquire('e', 5, false, 0)).toBe(4);
});

test('grants free slots to waiting tenants in turn', async () => {
  const limiter = createConcurrencyLimiter(8);
  for (const tenant of ['a', 'b', 'c', 'd']) expect(await limiter.acquire(tenant, 2, false, 0)).toBe(2);
  const order: string[] = [];
  const wait = (tenant: string) => limiter.acquire(tenant, 1, false, 5_000).then(() => order.push(tenant));
  const all = Promise.all(['e', 'e', 'f', 'g'].map(wait));
  for (const tenant of ['a', 'b', 'c']) limiter.release(tenant, 1);
  await expect.poll(() => order).toEqual(['e', 'f', 'g']);
  limiter.release('d', 1);
  await all;
  expect(order).toEqual(['e', 'f', 'g', 'e']);
});

test('resolves to 0 after the wait, and does not lose slots to waiters that timed out', async () => {
  const limiter = createConcurrencyLimiter(4);
  expect(await limiter.acquire('a', 1, false, 0)).toBe(1);
  expect(await limiter.acquire('a', 1, false, soon)).toBe(0);
  limiter.release('a', 1);
  expect(await limiter.acquire('a', 1, false, 0)).toBe(1);
});

test('a tenant that waits at its limit does not block another', async () => {
  const limiter = createConcurrencyLimiter(8);
  expect(await limiter.acquire('a', 2, false, 0)).toBe(2);
  const waiting = limiter.acquire('a', 1, false, 5_000);
  expect(await limiter.acquire('b', 2, false, 0)).toBe(2);
  limiter.release('a', 1);
  expect(await waiting).toBe(1);
});
