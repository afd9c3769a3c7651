import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTurnQueue, type QueuedMessage, type TurnQueue } from './turn-queue.ts';

// How full it may be. That a full one refuses messages, and loses none, is in test/chat/overload.int.test.ts.

let nowMs = 0;
let queue: TurnQueue;
let metrics: Registry;
beforeEach(() => {
  nowMs = 0;
  metrics = new Registry();
  queue = createTurnQueue(metrics, () => nowMs);
});
const enter = (count: number, tenantId = 'one') => Array.from({ length: count }, () => queue.enter(tenantId));
const refusal = expect.objectContaining({ status: 503, reason: 'busy' }) as Error;
/** Starts as many per second as were accepted, for ten seconds. */
function workersStart(perSecond: number, tenantId = 'one') {
  for (let seconds = 0; seconds < 10; seconds++) {
    const places = enter(perSecond, tenantId);
    nowMs += 1_000;
    for (const queued of places) queued.started();
  }
}
/** How many more are accepted, up to 2,000. */
function room(tenantId = 'one'): number {
  for (let accepted = 0; accepted < 2_000; accepted++)
    try {
      queue.enter(tenantId);
    } catch {
      return accepted;
    }
  return 2_000;
}

describe('a message', () => {
  test('is accepted whatever the number that wait, as long as each is started within a second', () => {
    enter(1_000);
    nowMs = 999;
    expect(() => queue.enter('one')).not.toThrow();
  });

  test('is refused with 503 `busy` when 50 wait and the oldest has waited for a second, and then asked for 3 to 8 s later', () => {
    enter(50);
    nowMs = 1_000;
    for (let times = 0; times < 100; times++) {
      expect(() => queue.enter('one')).toThrow(refusal);
      try {
        queue.enter('one');
      } catch (error) {
        const { retryAfterSeconds } = error as { retryAfterSeconds: number };
        expect([3, 4, 5, 6, 7, 8]).toContain(retryAfterSeconds);
      }
    }
  });

  test('is accepted again as soon as one of those has started', () => {
    const [first] = enter(50);
    nowMs = 1_000;
    expect(() => queue.enter('one')).toThrow(refusal);
    first?.started();
    expect(() => queue.enter('one')).not.toThrow();
  });

  test('that was started twice, or has left as well, leaves the queue once', async () => {
    const [first] = enter(51);
    for (let times = 0; times < 3; times++) first?.started();
    first?.leave();
    nowMs = 1_000;
    expect(() => queue.enter('one')).toThrow(refusal);
    expect(await metrics.getSingleMetricAsString('parley_messages_waiting')).toContain('parley_messages_waiting 50');
  });
});

describe('the queue', () => {
  test.each([100, 200, 400])('has room for two seconds of what the workers start: %i per second', (perSecond) => {
    workersStart(perSecond);
    enter(50);
    nowMs += 1_000; // in which nothing starts, so the rate falls by a quarter
    expect(50 + room()).toBeGreaterThan(1.2 * perSecond);
    expect(50 + room()).toBeLessThan(2.2 * perSecond);
  });

  test('has no more room for those that leave without having been started', () => {
    for (let seconds = 0; seconds < 10; seconds++) {
      const places: QueuedMessage[] = enter(400);
      nowMs += 1_000;
      for (const queued of places) queued.leave();
    }
    enter(50);
    nowMs += 1_000;
    expect(room()).toBe(0);
  });

  test('has room for a tenant with few messages in it while one with many is refused, up to twice its size', () => {
    enter(60, 'many');
    nowMs = 1_000;
    expect(() => queue.enter('many')).toThrow(refusal);
    expect(room('few')).toBeGreaterThan(10);
    for (let tenant = 0; tenant < 100; tenant++) room(`tenant ${tenant}`);
    expect(() => queue.enter('another')).toThrow(refusal);
  });
});
