import { Counter, type Registry } from 'prom-client';
import type { Log } from './telemetry.ts';

/** A blocked event loop delays every tenant of the process. */
const blockedMs = 250;
const checkMs = 5_000;
const sampleMs = 50;

/**
 * Logs and counts when the event loop was blocked, so that operators can alert on `parley_event_loop_blocked_total`.
 * The delay itself is in `parley_nodejs_eventloop_lag_*`.
 */
export function watchEventLoop(log: Log, metrics: Registry, everyMs = checkMs) {
  let [last, maxMs] = [performance.now(), 0];
  const blocked = new Counter({
    name: 'parley_event_loop_blocked_total',
    help: `Number of checks, made every ${checkMs / 1_000} s, in which the event loop was blocked for more than ${blockedMs} ms.`,
    registers: [metrics],
  });
  // Measures timer delay instead of using `monitorEventLoopDelay`, whose `reset` drops the sample in progress.
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
