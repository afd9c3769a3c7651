import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { NotificationSettings, PresenceStatus } from './agents.contract.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

/** How long an agent stays available without a heartbeat. */
export const presenceMinutes = 5;

const isAvailable = sql<boolean>`(agents.status = 'available'
  and agents.seen_at > now() - make_interval(mins => ${sql.lit(presenceMinutes)}))`;

/** Without a status, the last one is kept. Returns the status, and whether the agent was available until now. */
export async function savePresence(tx: Tx, userId: string, status: PresenceStatus | undefined, now: Date) {
  const before = await tx
    .selectFrom('agents')
    .select(['status', isAvailable.as('wasAvailable')])
    .where('userId', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const change = { ...(status && { status }), seenAt: now };
  const saved = await tx
    .insertInto('agents')
    .values({ userId, ...change })
    .onConflict((conflict) => conflict.columns(['tenantId', 'userId']).doUpdateSet(change))
    .returning('status')
    .$narrowType<{ status: PresenceStatus }>()
    .executeTakeFirstOrThrow();
  return { status: saved.status, wasAvailable: before?.wasAvailable ?? false };
}

/** Of these members: who is available, their open conversations and their teams. */
export async function describeAgents(tx: Tx, userIds: readonly string[]) {
  const { rows } = await sql<{ userId: string; isAvailable: boolean; openConversations: number; teamIds: string[] }>`
    select member.user_id, coalesce(${isAvailable}, false) as is_available,
      (select count(*)::int from conversations c where c.assignee_id = member.user_id and c.state <> 'closed') as open_conversations,
      array(select team_id from team_members t where t.user_id = member.user_id order by team_id) as team_ids
    from unnest(${userIds}::text[]) as member (user_id) left join agents on agents.user_id = member.user_id`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.userId, row]));
}

export interface Candidate {
  userId: string;
  roles: string[];
}
const available = (teamId: string | null) => sql`
  select agents.user_id, agents.assigned_at, memberships.roles
  from agents join memberships on memberships.user_id = agents.user_id
  where ${isAvailable} and (${teamId}::text is null
    or exists (select from team_members t where t.team_id = ${teamId} and t.user_id = agents.user_id))
  order by agents.user_id limit 1000`;

/**
 * The available agents, the one who has gone longest without a new conversation first. Locked until the commit, in the order
 * of their ids, so that two concurrent assignments see each other's.
 */
export async function lockAvailable(tx: Tx, teamId: string | null): Promise<Candidate[]> {
  const { rows } = await sql<Candidate & { assignedAt: Date | null }>`
    ${available(teamId)} for no key update of agents`.execute(tx);
  return rows.toSorted((a, b) => (a.assignedAt?.getTime() ?? 0) - (b.assignedAt?.getTime() ?? 0));
}

/** The same, of all teams and without a lock. */
export const readAvailable = async (tx: Tx): Promise<Candidate[]> =>
  (await sql<Candidate>`${available(null)}`.execute(tx)).rows;

export async function countOpen(tx: Tx, userIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ assigneeId: string; open: number }>`
    select assignee_id, count(*)::int as open from conversations
    where assignee_id = any (${userIds}::text[]) and state <> 'closed' group by assignee_id`.execute(tx);
  return new Map(rows.map(({ assigneeId, open }) => [assigneeId, open]));
}

/** Of these members. */
export async function listAvailable(tx: Tx, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select user_id from agents where user_id = any (${userIds}::text[]) and ${isAvailable}`.execute(tx);
  return rows.map(({ userId }) => userId);
}

/** No effect on someone who was never available, such as an API key. */
export const noteAssigned = (tx: Tx, userId: string, now: Date) =>
  tx.updateTable('agents').set({ assignedAt: now }).where('userId', '=', userId).execute();

const settings = ['emailAfterMinutes', 'wantsDigest', 'playsSound', 'showsDesktop'] as const;

export const findNotifications = (tx: Tx, userId: string): Promise<NotificationSettings | undefined> =>
  tx
    .selectFrom('agents')
    .select(settings)
    .where('userId', '=', userId)
    .$narrowType<NotificationSettings>()
    .executeTakeFirst();

export const saveNotifications = (tx: Tx, userId: string, change: NotificationSettings) =>
  tx
    .insertInto('agents')
    .values({ userId, ...change })
    .onConflict((conflict) => conflict.columns(['tenantId', 'userId']).doUpdateSet(change))
    .execute();

/** Members without a row have the default, which is 15 minutes. */
export async function emailAfterMinutesOf(tx: Tx, userIds: readonly string[]): Promise<Map<string, number | null>> {
  const rows = await tx
    .selectFrom('agents')
    .select(['userId', 'emailAfterMinutes'])
    .where('userId', 'in', [...userIds, ''])
    .execute();
  return new Map(rows.map(({ userId, emailAfterMinutes }) => [userId, emailAfterMinutes]));
}

export const listDigestReaders = async (tx: Tx): Promise<string[]> =>
  (await tx.selectFrom('agents').select('userId').where('wantsDigest', '=', true).limit(200).execute()).map(
    ({ userId }) => userId,
  );
