import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { PoolTx } from '../../platform/pool.ts';
import type { TenantImpersonation } from './impersonation/portal-sign-in.contract.ts';
import { PlatformRole, type Person } from './operators.contract.ts';

// The view `people` and every table of a PoolTx are those of one pool; nobody of the other is found here.

const inOrder = PlatformRole.options.toSorted();

/** Each once, in one order. A role we do not know gives nothing, and is not shown. */
export const sortRoles = (roles: readonly string[]): PlatformRole[] => inOrder.filter((role) => roles.includes(role));

const people = (tx: PoolTx) =>
  tx
    .selectFrom('people')
    .select(['userId', 'pool', 'email', 'name', 'platformRoles as roles', 'createdAt'])
    .select([
      sql<boolean>`disabled_at is not null`.as('isDisabled'),
      sql<boolean>`(exists (select from totp where totp.user_id = people.user_id and confirmed_at is not null)
        or exists (select from passkeys where passkeys.user_id = people.user_id))`.as('mfaEnabled'),
    ])
    .$narrowType<Person>();

const shaped = (person: Person): Person => ({ ...person, roles: sortRoles(person.roles) });

interface PeopleFilter {
  before: string | undefined;
  email: string | undefined;
  limit: number;
}
export async function listPeople(tx: PoolTx, { before, email, limit }: PeopleFilter): Promise<Person[]> {
  let query = people(tx).orderBy('userId', 'desc').limit(limit);
  if (before !== undefined) query = query.where('userId', '<', before);
  if (email !== undefined) query = query.where(sql`lower(email)`, '=', email.toLowerCase());
  return (await query.execute()).map(shaped);
}

export async function findPerson(tx: PoolTx, userId: string): Promise<Person | undefined> {
  const row = await people(tx).where('userId', '=', userId).executeTakeFirst();
  return row && shaped(row);
}

export const setRoles = (tx: PoolTx, userId: string, platformRoles: string[]) =>
  tx.updateTable('people').set({ platformRoles }).where('userId', '=', userId).execute();

/**
 * Everybody who manages people now, locked until the transaction ends and always in one order. Whoever waited sees who
 * is left. In the admin pool; not a lock that a sign-in, which points at its person, would wait for.
 */
export async function lockAdmins(tx: PoolTx): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('people')
    .select('userId')
    .where(sql<boolean>`'platform_admin' = any (platform_roles)`)
    .where('disabledAt', 'is', null)
    .orderBy('userId')
    .forNoKeyUpdate()
    .execute();
  return new Set(rows.map(({ userId }) => userId ?? ''));
}

/** An operator who can sign in, kept so until the transaction ends: who disables them waits, and then sees what it made. */
export const holdOperator = (tx: PoolTx, userId: string) =>
  tx
    .selectFrom('people')
    .select(['email', 'name', 'platformRoles as roles'])
    .where('userId', '=', userId)
    .where('disabledAt', 'is', null)
    .forShare()
    .$narrowType<{ email: string; name: string; roles: string[] }>()
    .executeTakeFirst();

// ---- sessions of customers in which an operator is in their place

export interface LentSession {
  id: Id<'session'>;
  userId: Id<'user'>;
  tenantId: Id<'tenant'>;
  operatorId: string;
  isOver: boolean;
}
const lent = (tx: PoolTx) =>
  tx
    .selectFrom('sessions')
    .select(['id', 'userId', 'tenantId', 'operatorId'])
    .select(sql<boolean>`ended_at is not null or expires_at <= now()`.as('isOver'))
    .where('operatorId', 'is not', null)
    .$narrowType<LentSession>();

export const findLent = (tx: PoolTx, id: string) => lent(tx).where('id', '=', id).executeTakeFirst();
export const listLentTo = (tx: PoolTx, operatorId: string) =>
  lent(tx).where('operatorId', '=', operatorId).where('endedAt', 'is', null).execute();

/** Who is in whose place at this moment. */
export const listRunning = (tx: PoolTx, tenantId: string | undefined): Promise<TenantImpersonation[]> =>
  tx
    .selectFrom('sessions')
    .innerJoin('people', 'people.userId', 'sessions.userId')
    .select(['sessions.id as sessionId', 'sessions.userId', 'sessions.tenantId', 'operatorId', 'reason', 'people.name'])
    .select([
      sql<string>`coalesce(operator_name, 'An operator')`.as('operatorName'),
      'sessions.createdAt as startedAt',
      'expiresAt',
    ])
    .where('operatorId', 'is not', null)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .$if(tenantId !== undefined, (query) => query.where('sessions.tenantId', '=', tenantId ?? ''))
    .orderBy('sessions.id', 'desc')
    .limit(100)
    .$castTo<TenantImpersonation>()
    .execute();

// ---- of one tenant: row-level security sees to it

export const findTenant = (tx: Tx) => tx.selectFrom('tenants').select(['status', 'name']).executeTakeFirst();

export async function findMember(tx: Tx, userId: string): Promise<{ isDisabled: boolean } | undefined> {
  const { rows } = await sql<{ isDisabled: boolean }>`select people.disabled as is_disabled
    from memberships join directory.people_of_tenant(array[${userId}]) as people using (user_id)`.execute(tx);
  return rows[0];
}

// ---- the pool's audit log

/** Ids begin with their time, so a time becomes an id, and only that part of the log is read. Not for a pool's own role. */
export async function firstId(tx: Tx, time: string | undefined): Promise<string | undefined> {
  if (time === undefined) return undefined;
  const call = sql<{ id: string }>`select directory.first_id('aud', ${time}::timestamptz) as id`;
  return (await call.execute(tx)).rows[0]?.id;
}

interface EntryFilter {
  userId: string | undefined;
  action: string | undefined;
  from: string | undefined;
  to: string | undefined;
  before: string | undefined;
  limit: number;
}
export function listEntries(tx: PoolTx, { userId, action, from, to, before, limit }: EntryFilter) {
  let query = tx.selectFrom('auditEntries').selectAll().orderBy('id', 'desc').limit(limit);
  if (userId !== undefined) query = query.where('userId', '=', userId);
  if (action !== undefined) query = query.where('action', '=', action);
  if (from !== undefined) query = query.where('id', '>=', from);
  if (to !== undefined) query = query.where('id', '<', to);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}
