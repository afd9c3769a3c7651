import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Member } from './members.contract.ts';
import { sortRoles } from './rank.ts';

// No `where tenantId` below: row-level security adds it, which a test verifies.

/**
 * Locks the tenant's memberships until the transaction ends; otherwise two owners could demote each other concurrently.
 * Plan limits use the same lock, so that the two are never taken in different orders.
 */
export const lock = (tx: Tx) => tx.selectFrom('tenants').select('tenantId').forNoKeyUpdate().executeTakeFirstOrThrow();

/** Names and email addresses come from the directory, which returns only people of this tenant. */
async function read(tx: Tx, condition: RawBuilder<unknown>, limit: number): Promise<Member[]> {
  const { rows } = await sql<Member>`
    with page as (select user_id, roles, created_at from memberships where ${condition} order by user_id desc limit ${limit})
    select user_id, email, name, roles, disabled as is_disabled, created_at
    from page join directory.people_of_tenant(array(select user_id from page)) as people using (user_id)
    order by user_id desc`.execute(tx);
  return rows.map((row) => ({ ...row, roles: sortRoles(row.roles) }));
}

export const list = (tx: Tx, before: string | undefined, limit: number): Promise<Member[]> =>
  read(tx, before === undefined ? sql`true` : sql`user_id < ${before}`, limit);

export const listOwners = (tx: Tx, limit: number): Promise<Member[]> => read(tx, sql`'owner' = any (roles)`, limit);

/** Members whose name or email address starts with this text. */
export const search = (tx: Tx, start: string, before: string | undefined, limit: number): Promise<Member[]> => {
  const matches = sql`user_id in (select user_id from directory.search_people(${start}))`;
  return read(tx, before === undefined ? matches : sql`${matches} and user_id < ${before}`, limit);
};

export const find = async (tx: Tx, userId: string): Promise<Member | undefined> =>
  (await read(tx, sql`user_id = ${userId}`, 1))[0];

export async function isMember(tx: Tx, email: string): Promise<boolean> {
  const { rows } = await sql`select from directory.people_of_tenant(array(select user_id from memberships))
    where lower(email) = ${email}`.execute(tx);
  return rows.length > 0;
}

/** Whether there is another owner who is not disabled. */
export async function hasOtherOwner(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql`select from directory.people_of_tenant(
    array(select user_id from memberships where 'owner' = any (roles) and user_id <> ${userId}))
    where not disabled`.execute(tx);
  return rows.length > 0;
}

export async function insert(tx: Tx, userId: string, roles: string[]): Promise<void> {
  await tx.insertInto('memberships').values({ userId, roles }).execute();
  await sql`select directory.join_tenant(${userId})`.execute(tx);
}

export const setRoles = (tx: Tx, userId: string, roles: string[]) =>
  tx.updateTable('memberships').set({ roles }).where('userId', '=', userId).execute();

export async function remove(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('memberships').where('userId', '=', userId).execute();
  await sql`select directory.leave_tenant(${userId})`.execute(tx);
}
