import { sql } from 'kysely';
import { asSystem, inTenant, type Context, type Services } from './context.ts';
import type { Id } from './ids.contract.ts';
import { prepared } from './prepared.ts';
import type { Log } from './telemetry.ts';

/**
 * Records work that is due at a time, in the transaction of the change. Restate's timer does the work on time; this row is
 * the fallback if Restate loses its data, and is cleared when the work is done.
 */
export const setTimer = ({ tx }: Context, kind: string, subjectId: string, dueAt: Date) =>
  sql`select directory.set_timer(${kind}, ${subjectId}, ${dueAt})`.execute(prepared(tx));

/** Returns whether the timer still existed, so that only one of two concurrent callers does the work. */
export async function clearTimer({ tx }: Context, kind: string, subjectId: string): Promise<boolean> {
  const call = sql<{ cleared: boolean }>`select directory.clear_timer(${kind}, ${subjectId}) as cleared`;
  return (await call.execute(prepared(tx))).rows[0]?.cleared ?? false;
}

export interface OverdueTimer {
  kind: string;
  tenantId: Id<'tenant'>;
  subjectId: string;
  dueAt: Date;
}

/** Runs the work of a timer in the same way as Restate. Keyed by kind; each feature defines its own. */
export type TimerHandlers = Readonly<Record<string, (timer: OverdueTimer) => Promise<void>>>;

/** How long a timer may be overdue before the sweeper runs it. */
export const sweeperGraceSeconds = 120;
/** A message on this channel makes every sweeper run immediately. Sent by operators. */
export const sweepChannel = 'sweep';

/** Runs the timers of a tenant that are due now or within minutes, after the tenant was resumed. */
export async function runTimersOf(services: Services, tenantId: Id<'tenant'>, handlers: TimerHandlers): Promise<void> {
  const kinds = Object.keys(handlers);
  for (let [kind, subject] = ['', '']; ;) {
    const { rows } = await inTenant(
      services,
      asSystem(tenantId, 'relay'),
      ({ tx }) =>
        sql<OverdueTimer>`select * from directory.timers_of_tenant(${kinds}, ${kind}, ${subject}, ${page})`.execute(tx),
      { readOnly: true },
    );
    for (let n = 0; n < rows.length; n += concurrency)
      await Promise.all(rows.slice(n, n + concurrency).map(async (timer) => handlers[timer.kind]?.(timer)));
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    [kind, subject] = [last.kind, last.subjectId];
  }
}
const page = 500;
const concurrency = 20;

interface SweeperDeps {
  services: Services;
  handlers: TimerHandlers;
  log: Log;
  everyMs?: number;
  graceSeconds?: number;
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
  onRecovered,
}: SweeperDeps) {
  const sweep = async () => {
    const { rows } = await sql<OverdueTimer>`select * from directory.overdue_timers(${graceSeconds}, 500)`.execute(
      services.db,
    );
    const recoveredByKind = new Map([['', 1]]); // the sweep itself
    for (const timer of rows) {
      onRecovered?.(timer.kind);
      recoveredByKind.set(timer.kind, (recoveredByKind.get(timer.kind) ?? 0) + 1);
      const handler = handlers[timer.kind];
      if (!handler) {
        log.error({ timer }, 'no handler for this kind of timer');
        continue;
      }
      log.warn({ timer }, 'timer overdue; running it from the sweeper');
      // A failed timer is retried with the next sweep and does not block the others.
      await handler(timer).catch((error: unknown) =>
        log.error({ err: error, timer }, 'sweeper could not run an overdue timer'),
      );
    }
    // For operators: recovered timers show that Restate was late.
    await sql`select directory.note_sweep(${[...recoveredByKind.keys()]}::text[], ${[...recoveredByKind.values()]}::int[])`.execute(
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
      clearInterval(timer);
      await running;
    },
  };
}
