import type { Log } from './telemetry.ts';

/** What is left of a shutdown after the last request or job, or after the wait for them. Covers the limits of its steps. */
export const closeSeconds = 6;

/**
 * Waits for a step of a shutdown, but not forever: after `seconds`, logs which one it was and what is still open, and the
 * shutdown continues with the next.
 */
export async function waitAtMost(
  step: string,
  work: Promise<unknown>,
  { seconds, log }: { seconds: number; log: Pick<Log, 'error'> },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      const open = [...new Set(process.getActiveResourcesInfo())];
      log.error({ step, seconds, open }, 'a step of the shutdown did not finish; continuing without it');
      resolve();
    }, seconds * 1_000);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
