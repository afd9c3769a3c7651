import { sql } from 'kysely';
import { asSystem, inTenant, type Context, type Services } from './context.ts';
import type { Id } from './ids.contract.ts';
import { prepared } from './prepared.ts';

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

/** Lets the sweeper run the tenant's overdue timers again immediately. */
export const releaseTimers = ({ tx }: Context) => sql`select directory.release_timers()`.execute(tx);

export interface OverdueTimer {
  kind: string;
  tenantId: Id<'tenant'>;
  subjectId: string;
  dueAt: Date;
  /** Idempotency key for the call to Restate, if the sweeper makes it. */
  callKey?: string;
}

/** Runs the work of a timer in the same way as Restate. Keyed by kind; each feature defines its own. */
export type TimerHandlers = Readonly<Record<string, (timer: OverdueTimer) => Promise<void>>>;

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
