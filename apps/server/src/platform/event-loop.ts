import { Counter, type Registry } from 'prom-client';
import type { Log } from './telemetry.ts';

/** While the event loop is blocked for longer than this, every tenant of the process waits. */
const blockedMs = 250;
const checkMs = 5_000;
const sampleMs = 50;

/**
 * Says so when one piece of work kept all others waiting: a line in the log, and a counter to raise an alert on
 * (`parley_event_loop_blocked_total`). The delay itself is in `parley_nodejs_eventloop_lag_*`.
 */
export function watchEventLoop(log: Log, metrics: Registry, everyMs = checkMs) {
  let [last, maxMs] = [performance.now(), 0];
  const blocked = new Counter({
    name: 'parley_event_loop_blocked_total',
    help: `Number of checks, made every ${checkMs / 1_000} s, in which the event loop was blocked for more than ${blockedMs} ms.`,
    registers: [metrics],
  });
  // By how late a timer is, and not by `monitorEventLoopDelay`: its `reset` drops the sample that is due.
  const sampling = setInterval(() => {
    const now = performance.now();
    maxMs = Math.max(maxMs, now - last - sampleMs);
    last = now;
  }, sampleMs);
  sampling.unref();
  const timer = setInterval(() => {
    const longestMs = Math.round(maxMs);
    maxMs = 0;
    if (longestMs <= blockedMs) return;
    blocked.inc();
    log.warn({ maxMs: longestMs }, 'event loop blocked');
  }, everyMs);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      clearInterval(sampling);
    },
  };
}
