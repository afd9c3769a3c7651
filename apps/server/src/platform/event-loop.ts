import { performance } from 'node:perf_hooks';
import { Counter, type Registry } from 'prom-client';
import { readGauge } from './metrics/gauges.ts';
import type { Log } from './telemetry.ts';

/** A blocked event loop delays every tenant of the process. */
const blockedMs = 250;
const checkMs = 5_000;
const sampleMs = 50;
/** What the gauges describe, independent of readers. */
const windowMs = 15_000;

/**
 * Logs and counts when the event loop was blocked, so that operators can alert on `parley_event_loop_blocked_total`.
 * The delay of the last 15 s is in `nodejs_eventloop_delay_*`.
 */
export function watchEventLoop(log: Log, metrics: Registry, everyMs = checkMs) {
  let [last, maxMs] = [performance.now(), 0];
  const delays = createDelays(metrics);
  const blocked = new Counter({
    name: 'parley_event_loop_blocked_total',
    help: `Number of checks, made every ${checkMs / 1_000} s, in which the event loop was blocked for more than ${blockedMs} ms.`,
    registers: [metrics],
  });
  // Measures timer delay instead of using `monitorEventLoopDelay`, whose `reset` drops the sample in progress.
  const sampling = setInterval(() => {
    const now = performance.now();
    const delayMs = Math.max(0, now - last - sampleMs);
    maxMs = Math.max(maxMs, delayMs);
    delays.record(now, delayMs);
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

/** The delays of the last samples, in a ring. */
function createDelays(metrics: Registry) {
  const size = windowMs / sampleMs;
  const [times, delays] = [new Float64Array(size).fill(-Infinity), new Float64Array(size)];
  const loads = Array(size).fill(performance.eventLoopUtilization()) as ReturnType<
    typeof performance.eventLoopUtilization
  >[];
  let next = 0;

  const sorted = () => {
    const from = performance.now() - windowMs;
    return delays.filter((_delay, index) => (times[index] ?? 0) >= from).sort();
  };
  const quantile = (share: number) => {
    const recent = sorted();
    return (recent[Math.max(0, Math.ceil(recent.length * share) - 1)] ?? 0) / 1_000;
  };
  for (const [name, share] of Object.entries({ p50: 0.5, p90: 0.9, p99: 0.99, max: 1 }))
    readGauge(
      metrics,
      `nodejs_eventloop_delay_${name}_seconds`,
      `Delay of timers in the last ${windowMs / 1_000} s, sampled every ${sampleMs} ms: ${name}.`,
      () => quantile(share),
    );
  readGauge(
    metrics,
    'nodejs_eventloop_utilization_ratio',
    `Share of the last ${windowMs / 1_000} s in which the event loop was busy; 1 is saturated.`,
    () => performance.eventLoopUtilization(loads[next]).utilization,
  );
  return {
    record: (now: number, delayMs: number) => {
      times[next] = now;
      delays[next] = delayMs;
      loads[next] = performance.eventLoopUtilization();
      next = (next + 1) % size;
    },
  };
}
