import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Services } from './context.ts';
import { createHistogram, secondsSince } from './metrics/histogram.ts';
import { pollLoop } from './poll-loop.ts';
import type { Log } from './telemetry.ts';

/** Regular maintenance. Finds its work by an index; never visits what has none. */
export interface Chore {
  everySeconds: number;
  run(): Promise<unknown>;
}
export type Chores = Readonly<Record<string, Chore>>;

interface ChoresDeps {
  services: Pick<Services, 'db'>;
  chores: Chores;
  log: Log;
  pollMs?: number;
  leaseSeconds?: number;
}

const durations = createHistogram({
  name: 'parley_chore_duration_seconds',
  help: 'Time of a run of regular maintenance.',
  labelNames: ['chore', 'outcome'],
  buckets: [0.01, 0.1, 1, 10, 60, 300, 1_800],
});

/**
 * Runs each chore when it is due, in one worker of the cell at a time. If that worker dies, another one continues when the
 * lease has expired. A chore that fails is tried again after a minute.
 */
export function startChores({ services: { db }, chores, log, pollMs = 30_000, leaseSeconds = 120 }: ChoresDeps) {
  const worker = randomUUID();
  const running = new Set<string>();

  const run = async (name: string) => {
    running.add(name);
    const startedAt = performance.now();
    const renewal = setInterval(
      () => {
        sql`select directory.renew_chore(${worker}, ${name}, ${leaseSeconds})`
          .execute(db)
          .catch((error: unknown) => log.warn({ err: error, chore: name }, 'renewing the lease of a chore failed'));
      },
      (leaseSeconds * 1_000) / 3,
    );
    let nextSeconds = chores[name]?.everySeconds ?? 3_600;
    let isFailed = false;
    try {
      await chores[name]?.run();
      log.debug({ chore: name, ms: Math.round(performance.now() - startedAt) }, 'chore finished');
    } catch (error) {
      [nextSeconds, isFailed] = [Math.min(nextSeconds, 60), true];
      log.error({ err: error, chore: name }, 'chore failed; trying again in a minute');
    } finally {
      clearInterval(renewal);
      durations.with({ chore: name, outcome: isFailed ? 'failed' : 'succeeded' }).observe(secondsSince(startedAt));
      running.delete(name);
    }
    await sql`select directory.finish_chore(${worker}, ${name}, ${nextSeconds}, ${isFailed})`
      .execute(db)
      .catch((error: unknown) =>
        log.warn({ err: error, chore: name }, 'a chore will run again when its lease expires'),
      );
  };

  return pollLoop<string>({
    max: 2,
    everyMs: pollMs,
    lease: async (capacity) => {
      const names = Object.keys(chores).filter((name) => !running.has(name));
      const { rows } = await sql<{ name: string }>`
        select directory.lease_chores(${worker}, ${names}, ${leaseSeconds}, ${capacity}) as name`.execute(db);
      return rows.map(({ name }) => name);
    },
    keyOf: (name) => name,
    work: run,
    onError: (error) => log.warn({ err: error }, 'leasing chores failed; retrying'),
  });
}
