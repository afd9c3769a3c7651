import { sql } from 'kysely';
import type { Services } from './context.ts';
import type { Log } from './telemetry.ts';
import type { OverdueTimer, TimerHandlers } from './timers.ts';

/** How long a timer may be overdue before the sweeper runs it. */
export const sweeperGraceSeconds = 120;
/** A message on this channel makes every sweeper run immediately. Sent by operators. */
export const sweepChannel = 'sweep';

interface SweeperDeps {
  services: Services;
  handlers: TimerHandlers;
  log: Log;
  everyMs?: number;
  graceSeconds?: number;
  /** Whether Restate can run the work. Otherwise, the timers would only be leased for nothing. */
  isReady?: () => boolean;
  /** Called for each recovered timer. */
  onRecovered?: (kind: string) => void;
}

/** Runs overdue timers, so that work is late at worst if Restate fails, but never lost. */
export function startSweeper({
  services,
  handlers,
  log,
  everyMs = 30_000,
  graceSeconds = sweeperGraceSeconds,
  isReady = () => true,
  onRecovered,
}: SweeperDeps) {
  const stopping = new AbortController();

  /** Returns whether it succeeded. A failed timer is retried when its lease has expired. */
  const run = async (timer: OverdueTimer): Promise<boolean> => {
    const handler = handlers[timer.kind];
    if (!handler) {
      log.error({ timer }, 'no handler for this kind of timer');
      return false;
    }
    try {
      await handler({ ...timer, callKey: callKeyOf(timer, new Date()) });
      onRecovered?.(timer.kind);
      return true;
    } catch (error) {
      log.error({ err: error, timer }, 'sweeper could not run an overdue timer');
      return false;
    }
  };

  const sweep = async () => {
    if (!isReady()) return;
    let last: Position = start;
    const recovered = new Map<string, number>();
    while (!stopping.signal.aborted) {
      const timers = await leaseOverdue(services, graceSeconds, last);
      const succeeded = await runConcurrently(timers, run);
      for (const { kind } of timers) recovered.set(kind, (recovered.get(kind) ?? 0) + 1);
      const next = timers.at(-1);
      if (!next) break;
      last = next;
      // Restate is down, or does not know the worker yet: the others would only lose time to their leases.
      if (succeeded === 0) break;
    }
    if (recovered.size > 0) log.warn({ timers: Object.fromEntries(recovered) }, 'ran overdue timers');
    recovered.set('', 1); // the sweep itself
    // For operators: recovered timers show that Restate was late.
    await sql`select directory.note_sweep(${[...recovered.keys()]}::text[], ${[...recovered.values()]}::int[])`.execute(
      services.db,
    );
  };

  const sweepAndLog = () => sweep().catch((error: unknown) => log.warn({ err: error }, 'sweep failed; retrying'));
  let running: Promise<unknown> = sweepAndLog();
  let isQueued = false;
  const wake = () => {
    // One more sweep is enough for any number of wakes during a sweep.
    if (isQueued) return;
    isQueued = true;
    running = running.then(() => {
      isQueued = false;
      return sweepAndLog();
    });
  };
  const timer = setInterval(wake, everyMs);
  return {
    wake,
    stop: async () => {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}

/**
 * Changes each time the delay has doubled. Until then, another call has no effect: Restate has the last one, which may be
 * waiting behind an invocation that is stuck, and more calls would only pile up. Restate forgets completed calls too rarely
 * for a key that never changes.
 */
export function callKeyOf({ subjectId, dueAt }: Pick<OverdueTimer, 'subjectId' | 'dueAt'>, now: Date): string {
  const overdueSeconds = Math.max(1, (now.getTime() - dueAt.getTime()) / 1_000);
  return `sweep/${subjectId}/${dueAt.getTime()}/${Math.floor(Math.log2(overdueSeconds))}`;
}

type Position = Pick<OverdueTimer, 'kind' | 'subjectId'> & { tenantId: string; dueAt: Date | '-infinity' };
const start: Position = { kind: '', tenantId: '', subjectId: '', dueAt: '-infinity' };
const page = 500;

/** A timer that stays overdue is run again after as long as it was allowed to be overdue. */
async function leaseOverdue(
  { db }: Services,
  graceSeconds: number,
  { dueAt, kind, tenantId, subjectId }: Position,
): Promise<OverdueTimer[]> {
  const { rows } = await sql<OverdueTimer>`
    select * from directory.lease_overdue_timers(
      ${graceSeconds}, ${Math.max(1, graceSeconds)}, ${dueAt}, ${kind}, ${tenantId}, ${subjectId}, ${page})`.execute(
    db,
  );
  return rows;
}

const concurrency = 50;

/** Returns how many succeeded. */
async function runConcurrently<T>(items: readonly T[], work: (item: T) => Promise<boolean>): Promise<number> {
  const queue = items.values();
  let succeeded = 0;
  await Promise.all(
    Array.from({ length: Math.min(concurrency, items.length) }, async () => {
      for (const item of queue) if (await work(item)) succeeded++;
    }),
  );
  return succeeded;
}
