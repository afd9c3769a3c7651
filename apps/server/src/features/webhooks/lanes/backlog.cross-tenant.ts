import { sql } from 'kysely';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import type { Db } from '../../../platform/db.ts';

/** Counting stops here: what a longer queue means is the same. */
const maxCounted = 10_000;
const maxEndpoints = 1_000;

export interface CellBacklog {
  /** Due deliveries, up to 10,000, those of paused endpoints included. */
  due: number;
  /** Endpoints that don't get everything, up to 1,000, by status. */
  endpoints: Record<string, number>;
}

/** For metrics. Both counts read an index of what waits or is unhealthy, and not what exists. */
export const cellBacklog = (db: Db): Promise<CellBacklog> =>
  acrossTenants(db, async (tx) => {
    await sql`set local statement_timeout = 2000`.execute(tx);
    const [due, unhealthy] = await Promise.all([
      sql<{ n: number }>`select count(*)::int as n from (
        select from webhook_queue where next_attempt_at <= now() order by next_attempt_at limit ${maxCounted}) as due`.execute(
        tx,
      ),
      sql<{ status: string; n: number }>`select status, count(*)::int as n from (
        select status from webhooks where status <> 'active' order by id limit ${maxEndpoints}) as unhealthy group by status`.execute(
        tx,
      ),
    ]);
    const none = { failing: 0, broken: 0, disabled: 0, paused: 0 };
    return {
      due: due.rows[0]?.n ?? 0,
      endpoints: { ...none, ...Object.fromEntries(unhealthy.rows.map(({ status, n }) => [status, n])) },
    };
  });
