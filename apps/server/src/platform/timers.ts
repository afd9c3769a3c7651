import { sql } from 'kysely';
import type { Context, Ground } from './context.ts';
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

interface SweeperParts {
  ground: Ground;
  handlers: TimerHandlers;
  log: Log;
  everyMs?: number;
  /** How long the engine may be late before the sweeper steps in. */
  graceSeconds?: number;
}

/** Calls again for what is overdue. A late engine makes work late, never lost. */
export function startSweeper({ ground, handlers, log, everyMs = 30_000, graceSeconds = 120 }: SweeperParts) {
  const sweep = async () => {
    const { rows } = await sql<OverdueTimer>`select * from directory.overdue_timers(${graceSeconds}, 500)`.execute(
      ground.db,
    );
    for (const timer of rows) {
      const handler = handlers[timer.kind];
      if (!handler) {
        log.error({ timer }, 'no one answers to this kind of timer');
        continue;
      }
      log.warn({ timer }, 'overdue: the sweeper steps in');
      // One that fails comes again with the next sweep, and does not stand in the way of the others.
      await handler(timer).catch((error: unknown) => log.error({ err: error, timer }, 'the sweeper could not do it'));
    }
    return rows.length;
  };
  const quietly = () =>
    sweep().catch((error: unknown) => log.warn({ err: error }, 'the sweeper failed; it tries again'));
  let running: Promise<unknown> = quietly();
  const timer = setInterval(() => {
    running = running.then(quietly);
  }, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
