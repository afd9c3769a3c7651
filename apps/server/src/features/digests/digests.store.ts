import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { isTenantActive } from '../tenants/index.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

export const listWorkspaceIds = async (tx: Tx): Promise<string[]> =>
  (await tx.selectFrom('workspaces').select('id').limit(1_000).execute()).map(({ id }) => id);

/** Leaves one that is scheduled already as it is. */
export const schedule = (tx: Tx, workspaceId: string, dueAt: Date) =>
  tx
    .insertInto('digests')
    .values({ workspaceId, dueAt })
    .onConflict((conflict) => conflict.columns(['tenantId', 'workspaceId']).doNothing())
    .execute();

export const reschedule = (tx: Tx, workspaceId: string, dueAt: Date) =>
  tx.updateTable('digests').set({ dueAt }).where('workspaceId', '=', workspaceId).execute();

/** Across tenants, by an index. */
export const dueDigests = sql`select tenant_id from digests where due_at <= now() order by due_at`;

export const lockDue = async (tx: Tx, now: Date): Promise<string[]> => {
  const due = await tx
    .selectFrom('digests')
    .select('workspaceId')
    .where('dueAt', '<=', now)
    .orderBy('workspaceId')
    .limit(100)
    .forUpdate()
    .skipLocked()
    .execute();
  return due.map(({ workspaceId }) => workspaceId);
};

export const removeAll = (tx: Tx) => tx.deleteFrom('digests').execute();

export interface Digest {
  workspaceName: string;
  /** Conversations that wait for an agent now. */
  waiting: number;
  /** On the day. */
  unanswered: number;
  ratings: number;
  ratingSum: number;
}
/** undefined while the tenant is not active. */
export async function readDigest(tx: Tx, workspaceId: string, day: string): Promise<Digest | undefined> {
  const { rows } = await sql<Digest>`
    select workspaces.name as workspace_name,
      (select count(*)::int from conversations c join bots b on b.id = c.bot_id
        where c.state = 'waiting_human' and not c.is_test and b.workspace_id = workspaces.id) as waiting,
      coalesce(sum(unanswered), 0)::int as unanswered, coalesce(sum(ratings), 0)::int as ratings,
      coalesce(sum(rating_sum), 0)::int as rating_sum
    from workspaces left join bots on bots.workspace_id = workspaces.id
      left join usage_days on usage_days.bot_id = bots.id and usage_days.day = ${day}::date
    where workspaces.id = ${workspaceId} and ${isTenantActive} group by workspaces.id, workspaces.name`.execute(tx);
  return rows[0];
}
