import type { Log } from './telemetry.ts';

/**
 * Stops once, on the first signal: `stop` lets what was begun come to an end. A second signal, or the time running out,
 * ends the process at once; whatever that cuts is found again by its row.
 */
export function stopOnSignal(stop: () => Promise<void>, { graceSeconds, log }: { graceSeconds: number; log: Log }) {
  let isStopping = false;
  const onSignal = (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('shutdown timed out');
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
