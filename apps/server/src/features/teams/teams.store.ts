import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Team } from './teams.contract.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

const teams = (tx: Tx) =>
  tx
    .selectFrom('teams')
    .select([
      'id',
      'name',
      'createdAt',
      sql<string[]>`array(select user_id from team_members where team_id = teams.id order by user_id)`.as('memberIds'),
    ])
    .$narrowType<Team>();

/** Newest first. */
export const list = (tx: Tx, before: string | undefined, limit: number): Promise<Team[]> => {
  const query = teams(tx).orderBy('id', 'desc').limit(limit);
  return (before === undefined ? query : query.where('id', '<', before)).execute();
};

export const find = (tx: Tx, id: string): Promise<Team | undefined> =>
  teams(tx).where('id', '=', id).executeTakeFirst();

export const lock = (tx: Tx, id: string) =>
  tx.selectFrom('teams').select('id').where('id', '=', id).forUpdate().executeTakeFirst();

/** It can't be deleted until the commit. */
export const lockShared = (tx: Tx, id: string) =>
  tx.selectFrom('teams').select('id').where('id', '=', id).forKeyShare().executeTakeFirst();

export const insert = (tx: Tx, team: { id: Id<'team'>; name: string }) => tx.insertInto('teams').values(team).execute();

export const rename = (tx: Tx, id: string, name: string) =>
  tx.updateTable('teams').set({ name }).where('id', '=', id).execute();

export async function setMembers(tx: Tx, teamId: string, userIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('teamMembers').where('teamId', '=', teamId).execute();
  if (userIds.length === 0) return;
  await tx
    .insertInto('teamMembers')
    .values(userIds.map((userId) => ({ teamId, userId })))
    .execute();
}

/** Whether all of them are members of the tenant. */
export async function areMembers(tx: Tx, userIds: readonly string[]): Promise<boolean> {
  if (userIds.length === 0) return true;
  const found = await tx.selectFrom('memberships').select('userId').where('userId', 'in', userIds).execute();
  return found.length === userIds.length;
}

/** Whether the assignment settings of a workspace name this team. */
export async function isInSettings(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('assignmentSettings')
    .select('workspaceId')
    .where(({ eb, or }) => or([eb('teamId', '=', id), sql<boolean>`escalation #>> '{to,teamId}' = ${id}`]))
    .executeTakeFirst();
  return row !== undefined;
}

export const remove = (tx: Tx, id: string) => tx.deleteFrom('teams').where('id', '=', id).execute();

/** Open conversations of a deleted team then belong to no team; closed ones keep its id. Returns how many were changed. */
export async function leaveTeam(tx: Tx, id: string, max: number): Promise<number> {
  const changed = await sql`
    update conversations set team_id = null where id in (
      select id from conversations where team_id = ${id} and state <> 'closed' order by id limit ${max} for no key update)`.execute(
    tx,
  );
  return Number(changed.numAffectedRows ?? 0);
}

export const membersOf = async (tx: Tx, teamId: string): Promise<string[]> =>
  (await tx.selectFrom('teamMembers').select('userId').where('teamId', '=', teamId).execute()).map(
    ({ userId }) => userId,
  );
