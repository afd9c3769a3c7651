import { expect, test } from 'vitest';
import { createSlots, type SlotUser } from './slots.ts';

const now = Date.parse('2026-01-02T03:04:05Z');
let users = 0;
const aUser = (more: Partial<SlotUser> = {}): SlotUser => ({
  tenantId: `ten_${users++}`,
  inFlight: 0,
  slow: 0,
  concurrency: 10,
  isFailing: false,
  lastSuccessMs: now - 1_000,
  ...more,
});
const fill = (slots: ReturnType<typeof createSlots>, user: SlotUser) => {
  const ends: (() => void)[] = [];
  while (slots.available(user) > 0) ends.push(slots.start(user));
  return ends;
};
const atNow = () => {
  let time = now;
  return { clock: () => time, wait: (ms: number) => (time += ms) };
};

test('gives a tenant at most a quarter', () => {
  const slots = createSlots(200, () => now);
  const tenant = Array.from({ length: 10 }, () => aUser({ tenantId: 'ten_same' }));
  for (const user of tenant) fill(slots, user);
  expect(tenant.reduce((sum, { inFlight }) => sum + inFlight, 0)).toBe(50);
  const [first] = tenant;
  expect(first?.inFlight).toBe(10);
});

test('gives endpoints that have not succeeded lately two each, and half in total', () => {
  const slots = createSlots(200, () => now);
  const unproven = Array.from({ length: 100 }, () => aUser({ lastSuccessMs: 0 }));
  for (const user of unproven) fill(slots, user);
  expect(Math.max(...unproven.map(({ inFlight }) => inFlight))).toBe(2);
  expect(unproven.reduce((sum, { inFlight }) => sum + inFlight, 0)).toBe(100);
  expect(slots.available(aUser())).toBe(10);
});

test('keeps a reserve for endpoints that have succeeded lately and have fewer than two requests in flight', () => {
  const slots = createSlots(200, () => now);
  const hanging = Array.from({ length: 30 }, () => aUser());
  for (const user of hanging) fill(slots, user);
  expect(slots.inUse()).toBeGreaterThanOrEqual(160);
  expect([slots.available(aUser()), slots.available(aUser({ lastSuccessMs: 0 }))]).toEqual([2, 0]);
});

test('requests that take more than a second leave their slots to others, but stay limited by endpoint', () => {
  const { clock, wait } = atNow();
  const slots = createSlots(200, clock);
  const hanging = Array.from({ length: 30 }, () => aUser());
  const ends = hanging.flatMap((user) => fill(slots, user));
  wait(1_500);
  slots.refresh();
  const good = aUser({ lastSuccessMs: now + 1_400 });
  expect(slots.available(good)).toBe(10);
  expect(hanging.map((user) => slots.available(user))).toEqual(hanging.map(() => 0));
  for (const end of ends) end();
  expect([slots.inUse(), ...hanging.map(({ inFlight, slow }) => inFlight + slow)]).toEqual([
    0,
    ...hanging.map(() => 0),
  ]);
});
