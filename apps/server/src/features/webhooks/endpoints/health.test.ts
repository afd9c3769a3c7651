import { expect, test } from 'vitest';
import { evaluate, newHealth, nextAction, type Evaluation, type Outcome } from './health.ts';
import { brokenProbeMs, disabledProbeMs, readRetryAfter, retryAfterMs } from '../delivery/schedule.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const t0 = Date.parse('2026-01-01T00:00:00Z');
const middle = () => 0.5;
const outcome = (result: Outcome['result'], n = 0, more: Partial<Outcome> = {}): Outcome => ({
  deliveryId: `dlv_${n}`,
  eventId: `evt_${n}`,
  result,
  problem: 'Your endpoint returned 500.',
  isOverload: false,
  ...more,
});
const fresh = (): Evaluation => ({
  status: 'active',
  disabledReason: null,
  health: newHealth(),
  statusChanges: [],
  emails: [],
});
const after = (state: Evaluation, outcomes: Outcome[], ms: number) =>
  evaluate({ ...state, autoRecover: true }, outcomes, new Date(t0 + ms), middle);

/** Fails `times` times in a row, once per step. */
function failing(times: number, everyMs: number) {
  let state = fresh();
  const [statusChanges, emails]: [string[], string[]] = [[], []];
  for (let n = 0; n < times; n++) {
    state = after(state, [outcome('failed', n)], n * everyMs);
    statusChanges.push(...state.statusChanges);
    emails.push(...state.emails);
  }
  return { state, statusChanges, emails };
}

test('is failing after five consecutive failures, broken after ten, and active after one success', () => {
  expect(failing(4, 1_000).state.status).toBe('active');
  expect(failing(5, 1_000)).toMatchObject({ state: { status: 'failing' }, statusChanges: ['failing'] });
  const { state, statusChanges } = failing(10, 1_000);
  expect([state.status, statusChanges]).toEqual(['broken', ['failing']]);
  const back = after(state, [outcome('succeeded')], 40_000);
  expect(back).toMatchObject({
    status: 'active',
    statusChanges: ['recovered'],
    health: { failures: 0, concurrency: 2 },
  });
});

test('is broken after seven failures out of ten within five minutes', () => {
  let state = fresh();
  for (let n = 0; n < 10; n++) state = after(state, [outcome(n % 10 < 3 ? 'succeeded' : 'failed', n)], n * 1_000);
  expect(state.status).toBe('broken');
});

test('probes a broken endpoint after 30 s, 1, 2, 5, 10 and then every 15 minutes; when half open, one failure breaks it again', () => {
  expect([0, 1, 2, 3, 4, 5, 9].map((n) => brokenProbeMs(n, () => 0))).toEqual(
    [0.5, 1, 2, 5, 10, 15, 15].map((minutes) => minutes * minute),
  );
  const { state } = failing(10, 1_000);
  expect(nextAction({ ...state, autoRecover: true }, new Date(t0 + 10_000))).toMatchObject({ at: expect.any(Date) });
  expect(nextAction({ ...state, autoRecover: true }, new Date(t0 + minute))).toEqual({ action: 'probe' });
  const back = after(state, [outcome('succeeded')], minute);
  expect(after(back, [outcome('failed')], minute + 1_000).status).toBe('broken');
});

test('is disabled after five days without a success, with one email each after 1 h, 24 h, 3 d, 4 d and when disabled', () => {
  const { state, emails, statusChanges } = failing(121, hour);
  expect(state).toMatchObject({ status: 'disabled', disabledReason: 'failures' });
  expect(emails).toEqual(['failing', 'failing', 'failing', 'failing', 'disabled']);
  expect(statusChanges).toEqual(['failing', 'disabled']);
  const one = fresh();
  let poisoned = one;
  for (let n = 0; n < 200; n++) poisoned = after(poisoned, [outcome('failed', 1)], n * hour);
  expect(poisoned.status, 'a single event does not disable an endpoint').toBe('broken');
});

test('pings a disabled endpoint hourly for a day, then every six hours for a month, and recovers after two successes a minute apart', () => {
  expect(disabledProbeMs(hour, () => 0)).toBe(hour);
  expect(disabledProbeMs(2 * day, () => 0)).toBe(6 * hour);
  expect(disabledProbeMs(31 * day)).toBeUndefined();
  const { state } = failing(121, hour);
  const later = 130 * hour;
  expect(nextAction({ ...state, autoRecover: true }, new Date(t0 + later))).toEqual({ action: 'ping' });
  expect(nextAction({ ...state, autoRecover: false }, new Date(t0 + later))).toEqual({ at: null });
  const first = after(state, [outcome('succeeded')], later);
  expect([first.status, first.statusChanges]).toEqual(['disabled', []]);
  const second = after(first, [outcome('succeeded')], later + minute + 2_000);
  expect(second).toMatchObject({
    status: 'active',
    statusChanges: ['recovered'],
    emails: ['recovered'],
    health: { isPaced: true },
  });
});

test('is disabled without probes after 410 or `disable`, and does not count errors on our side', () => {
  const gone = after(fresh(), [outcome('failed', 0, { disables: 'gone' })], 0);
  expect(gone).toMatchObject({ status: 'disabled', disabledReason: 'gone', health: { probeAt: null } });
  expect(nextAction({ ...gone, autoRecover: true }, new Date(t0 + 40 * day))).toEqual({ at: null });
  const ours = after(
    fresh(),
    Array.from({ length: 50 }, (_none, n) => outcome('unsent', n)),
    0,
  );
  expect(ours).toMatchObject({ status: 'active', health: { failures: 0 } });
});

test('raises concurrency on success and halves it after a timeout, 429 or 503, between 1 and 50', () => {
  let state = fresh();
  for (let n = 0; n < 40; n++) state = after(state, [outcome('succeeded', n)], n);
  expect(state.health.concurrency).toBe(50);
  state = after(state, [outcome('failed', 0, { isOverload: true })], 100);
  expect(state.health.concurrency).toBe(25);
  for (let n = 0; n < 9; n++) state = after(state, [outcome('failed', n, { isOverload: true })], 200 + n);
  expect(state.health.concurrency).toBe(1);
});

test('makes 13 attempts in about 72 hours, delayed by at most a fifth', () => {
  const waits = Array.from({ length: 13 }, (_none, n) => retryAfterMs(n + 1, () => 0));
  expect(waits.slice(0, 12).reduce((sum: number, ms) => sum + (ms ?? 0), 0)).toBe(71 * hour + 42 * minute + 35_000);
  expect(waits[12]).toBeUndefined();
  for (let n = 1; n <= 12; n++) {
    const [min, max] = [retryAfterMs(n, () => 0) ?? 0, retryAfterMs(n, () => 1) ?? 0];
    expect(max - min).toBeLessThanOrEqual(Math.max(1_000, Math.min(min / 5, 15 * minute)));
  }
});

test('reads Retry-After in seconds and as a date, up to a day, and ignores past and invalid values', () => {
  const now = new Date(t0);
  expect(readRetryAfter('120', now)?.getTime()).toBe(t0 + 120_000);
  expect(readRetryAfter('Thu, 01 Jan 2026 00:05:00 GMT', now)?.getTime()).toBe(t0 + 5 * minute);
  expect(readRetryAfter('999999999', now)?.getTime()).toBe(t0 + day);
  for (const odd of ['', '0', '-5', '1.5', 'soon', 'Wed, 31 Dec 2025 00:00:00 GMT', '2026-01-02T00:00:00Z', undefined])
    expect(readRetryAfter(odd, now), String(odd)).toBeUndefined();
});
