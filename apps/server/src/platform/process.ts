import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Log } from './telemetry.ts';

/**
 * Shuts down gracefully on the first signal. A second signal or the timeout ends the process immediately; interrupted
 * work is recovered from its database rows.
 */
export function stopOnSignal(stop: () => Promise<void>, { graceSeconds, log }: { graceSeconds: number; log: Log }) {
  let isStopping = false;
  const onSignal = (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ open: [...new Set(process.getActiveResourcesInfo())] }, 'shutdown timed out');
      process.exit(1);
    }, graceSeconds * 1_000).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, onSignal);
}

/** Node would print what ends the process, and its warnings, as text, with whatever is in the message. */
export function logCrashes(log: Log) {
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'crashed');
    process.exit(1);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name, problem: message }, 'Node.js warning'));
}

/**
 * Frees what only the start needed, about a quarter of the memory. V8 would keep it as room for new objects, even in a
 * process that gets few requests. Stops the process for a moment, so call it before the first request.
 *
 * It also shrinks that room to a minimum, which is too small for many requests and grows slowly: `parley-server api` raises it.
 */
export function collectStartupGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc'); // a cache of compiled code is valid only for the flags it was written with
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Keeps `process.nextTick` fast, which every request calls several times. V8 forgets the shape of Node's entries in the
 * queue of ticks with each garbage collection that finds the queue empty, and after a few of them no longer optimizes the code
 * that creates one: a call then takes five times as long, for as long as the process lives. One entry that is kept keeps the
 * shape. Call it before the first collection, so at the start.
 */
export function keepTickShape(): void {
  const hook = createHook({
    init(_id, type, _trigger, entry) {
      if (type === 'TickObject') kept.push(entry);
    },
  }).enable();
  process.nextTick(() => {});
  hook.disable();
}
const kept: object[] = [];
