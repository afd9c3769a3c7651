import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { isTenantActive } from '../../tenants/index.ts';
import type { AssignmentSettings } from './assignment.contract.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

const columns = ['mode', 'maxOpen', 'teamId', 'escalation'] as const;

export const findSettings = (tx: Tx, workspaceId: string): Promise<AssignmentSettings | undefined> =>
  tx
    .selectFrom('assignmentSettings')
    .select(columns)
    .where('workspaceId', '=', workspaceId)
    .$narrowType<AssignmentSettings>()
    .executeTakeFirst();

/** Of the workspace that the bot belongs to. */
export const findSettingsOfBot = (tx: Tx, botId: string): Promise<AssignmentSettings | undefined> =>
  tx
    .selectFrom('assignmentSettings')
    .select(columns)
    .where('workspaceId', '=', (eb) => eb.selectFrom('bots').select('workspaceId').where('id', '=', botId))
    .$narrowType<AssignmentSettings>()
    .executeTakeFirst();

export async function saveSettings(
  tx: Tx,
  workspaceId: string,
  { escalation, ...settings }: AssignmentSettings,
): Promise<void> {
  const row = { ...settings, escalation: escalation && sql<string>`${JSON.stringify(escalation)}::jsonb` };
  await tx
    .insertInto('assignmentSettings')
    .values({ workspaceId, ...row })
    .onConflict((conflict) => conflict.columns(['tenantId', 'workspaceId']).doUpdateSet(row))
    .execute();
}

export const hasWorkspace = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;

export const usesRoundRobin = async (tx: Tx): Promise<boolean> =>
  (await tx
    .selectFrom('assignmentSettings')
    .select('workspaceId')
    .where('mode', '=', 'round_robin')
    .limit(1)
    .executeTakeFirst()) !== undefined;

/**
 * The conversation that has waited longest without an agent, of those that one of these agents has room for. Not one that
 * was escalated to everyone: it stays with everyone. One that is changed just now is waited for: if it were passed over, nothing
 * might come back to it.
 */
export async function lockOldestUnassigned(
  tx: Tx,
  agents: readonly { userId: string; open: number }[],
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c join bots b on b.id = c.bot_id
      join assignment_settings s on s.workspace_id = b.workspace_id and s.mode = 'round_robin'
    where c.waiting_since <= now() and c.state = 'waiting_human' and c.assignee_id is null and not c.is_test
      and (c.team_id is not null or c.escalated_at is null or c.escalated_at < c.waiting_since)
      and exists (
        select from unnest(${agents.map(({ userId }) => userId)}::text[], ${agents.map(({ open }) => open)}::int[])
          as agent (user_id, open)
        where agent.open < s.max_open and (coalesce(c.team_id, s.team_id) is null or exists (
          select from team_members t where t.team_id = coalesce(c.team_id, s.team_id) and t.user_id = agent.user_id)))
    order by c.waiting_since, c.id limit 1 for no key update of c`.execute(tx);
  return rows[0]?.id;
}

/** Open conversations of an assignee, locked in the order of their ids. */
export const lockAssigned = async (tx: Tx, assigneeId: string, max: number): Promise<string[]> => {
  const rows = await tx
    .selectFrom('conversations')
    .select('id')
    .where('assigneeId', '=', assigneeId)
    .where('state', 'in', ['waiting_human', 'human'])
    .orderBy('id')
    .limit(max)
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ id }) => id);
};

/** Conversations of a workspace whose visitors wait, after an id. */
export const waitingIn = async (
  tx: Tx,
  { workspaceId, after, max }: { workspaceId: string; after: string; max: number },
) => {
  const rows = await tx
    .selectFrom('conversations')
    .select('id')
    .where('waitingSince', 'is not', null)
    .where('botId', 'in', (eb) => eb.selectFrom('bots').select('id').where('workspaceId', '=', workspaceId))
    .where('id', '>', after)
    .orderBy('id')
    .limit(max)
    .$narrowType<{ id: Id<'conversation'> }>()
    .execute();
  return rows.map(({ id }) => id);
};

/** What was already done about a waiting conversation, and whether its tenant is active. The caller has locked it. */
export const findProgress = (tx: Tx, id: string) =>
  tx
    .selectFrom('conversations')
    .select(['waitingCheckedAt', 'escalatedAt', isTenantActive.as('isTenantActive')])
    .where('id', '=', id)
    .$narrowType<{ isTenantActive: boolean }>()
    .executeTakeFirst();

export const saveProgress = (tx: Tx, id: string, change: { waitingCheckedAt: Date; escalatedAt?: Date }) =>
  tx.updateTable('conversations').set(change).where('id', '=', id).execute();
