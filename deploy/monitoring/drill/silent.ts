import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillContext } from './run-fault.ts';

const everyMs = 15_000;

/** Steady load for as long. Returns what fired, and says what was about to. */
export async function staySilent({ monitoring, watch, log }: DrillContext, minutes: number): Promise<string[]> {
  log(`Steady load for ${minutes} minutes…`);
  const endsAt = Date.now() + minutes * 60_000;
  const pending = new Map<string, number>();
  for (let n = 1; Date.now() < endsAt; n++) {
    await sleep(Math.min(everyMs, Math.max(0, endsAt - Date.now())));
    const active = await monitoring.activeRules();
    for (const name of active) pending.set(name, (pending.get(name) ?? 0) + 1);
    if (n % 20 === 0)
      log(
        `${Math.round((endsAt - Date.now()) / 60_000)} minutes left; firing or about to: ${active.join(', ') || 'none'}`,
      );
  }
  const fired = [...watch.seen().keys()];
  const missing = await monitoring.missingTargets();
  log(
    `In ${minutes} minutes of steady load, ${fired.length} alerts fired${fired.length > 0 ? `: ${fired.join(', ')}` : ''}.`,
  );
  for (const [name, count] of pending)
    log(`${name} was pending or firing in ${count} of the readings, made every ${everyMs / 1_000} s.`);
  return [...fired, ...missing.map((target) => `no metrics from ${target}`)];
}
