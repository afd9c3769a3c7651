import { sql } from 'kysely';
import { asSystem, inTenant, type Context, type Services } from './context.ts';
import type { Id } from './ids.contract.ts';
import type { Log } from './telemetry.ts';

/**
 * What must happen at a time, written with the change that wants it. The engine's own timer does the work on time; this
 * row is what is left of it when the engine has lost everything, and goes when the work is done.
 */
export const setTimer = ({ tx }: Context, kind: string, subjectId: string, dueAt: Date) =>
  sql`select directory.set_timer(${kind}, ${subjectId}, ${dueAt})`.execute(tx);

/** Says whether it was still there: of two that come to do the work, one finds it gone. */
export async function clearTimer({ tx }: Context, kind: string, subjectId: string): Promise<boolean> {
  const call = sql<{ cleared: boolean }>`select directory.clear_timer(${kind}, ${subjectId}) as cleared`;
  return (await call.execute(tx)).rows[0]?.cleared ?? false;
}

export interface OverdueTimer {
  kind: string;
  tenantId: Id<'tenant'>;
  subjectId: string;
  dueAt: Date;
}

/** Does what the timer was for, by the same door as the engine. Keyed by kind; each feature brings its own. */
export type TimerHandlers = Readonly<Record<string, (timer: OverdueTimer) => Promise<void>>>;

/** How long the engine may be late before the sweeper steps in. */
export const sweeperGraceSeconds = 120;
/** A message on this channel, from an operator who does not want to wait, makes every sweeper look at once. */
export const sweepChannel = 'sweep';

/** Calls at once for what a tenant has due now or within minutes: it was held, and goes on. */
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
  /** Counts what it steps in for. */
  onRecovered?: (kind: string) => void;
}

/** Calls again for what is overdue. A late engine makes work late, never lost. */
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
    const recoveredByKind = new Map([['', 1]]); // this round
    for (const timer of rows) {
      onRecovered?.(timer.kind);
      recoveredByKind.set(timer.kind, (recoveredByKind.get(timer.kind) ?? 0) + 1);
      const handler = handlers[timer.kind];
      if (!handler) {
        log.error({ timer }, 'no handler for this kind of timer');
        continue;
      }
      log.warn({ timer }, 'timer overdue; running it from the sweeper');
      // One that fails comes again with the next sweep, and does not stand in the way of the others.
      await handler(timer).catch((error: unknown) =>
        log.error({ err: error, timer }, 'sweeper could not run an overdue timer'),
      );
    }
    // For operators: what had to be stepped in for is what the engine was late with.
    await sql`select directory.note_sweep(${[...recoveredByKind.keys()]}::text[], ${[...recoveredByKind.values()]}::int[])`.execute(
      services.db,
    );
  };
  const sweepAndLog = () => sweep().catch((error: unknown) => log.warn({ err: error }, 'sweep failed; retrying'));
  let running: Promise<unknown> = sweepAndLog();
  let isQueued = false;
  const wake = () => {
    // However many ask while it looks: one more look finds it all.
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
