import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { isTenantActive } from '../tenants/index.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

export const listWorkspaceIds = async (tx: Tx): Promise<string[]> =>
  (await tx.selectFrom('workspaces').select('id').limit(1_000).execute()).map(({ id }) => id);

interface Schedule {
  dueAt: Date;
  /** The last day that was reported, or needs no report. */
  reportedUntil: string;
}
/** Leaves one that is scheduled already as it is. */
export const schedule = (tx: Tx, workspaceId: string, next: Schedule) =>
  tx
    .insertInto('digests')
    .values({ workspaceId, ...next })
    .onConflict((conflict) => conflict.columns(['tenantId', 'workspaceId']).doNothing())
    .execute();

export const reschedule = (tx: Tx, workspaceId: string, next: Schedule) =>
  tx.updateTable('digests').set(next).where('workspaceId', '=', workspaceId).execute();

/** Across tenants, by an index. */
export const dueDigests = sql`select tenant_id from digests where due_at <= now() order by due_at`;

export const lockDue = (tx: Tx, now: Date) =>
  tx
    .selectFrom('digests')
    .select(['workspaceId', sql<string | null>`to_char(reported_until, 'YYYY-MM-DD')`.as('reportedUntil')])
    .where('dueAt', '<=', now)
    .orderBy('workspaceId')
    .limit(100)
    .forUpdate()
    .skipLocked()
    .execute();

export const removeAll = (tx: Tx) => tx.deleteFrom('digests').execute();

export interface Digest {
  workspaceName: string;
  /** Visitors who wait for an agent now. */
  waiting: number;
  /** On these days. */
  unanswered: number;
  ratings: number;
  ratingSum: number;
}
/** undefined while the tenant is not active. */
export async function readDigest(
  tx: Tx,
  workspaceId: string,
  { since, until }: { since: string; until: string },
): Promise<Digest | undefined> {
  const { rows } = await sql<Digest>`
    select workspaces.name as workspace_name,
      (select count(*)::int from conversations c join bots b on b.id = c.bot_id
        where c.waiting_since <= now() and not c.is_test and b.workspace_id = workspaces.id) as waiting,
      coalesce(sum(unanswered), 0)::int as unanswered, coalesce(sum(ratings), 0)::int as ratings,
      coalesce(sum(rating_sum), 0)::int as rating_sum
    from workspaces left join bots on bots.workspace_id = workspaces.id
      left join usage_days on usage_days.bot_id = bots.id and usage_days.day between ${since}::date and ${until}::date
    where workspaces.id = ${workspaceId} and ${isTenantActive} group by workspaces.id, workspaces.name`.execute(tx);
  return rows[0];
}
