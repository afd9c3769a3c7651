import { setTimeout as sleep } from 'node:timers/promises';

/** For counters per UTC day: waits for midnight if it is close. */
export async function withinOneDay(seconds = 90): Promise<void> {
  const leftMs = 86_400_000 - (Date.now() % 86_400_000);
  if (leftMs < seconds * 1_000) await sleep(leftMs + 100);
}
