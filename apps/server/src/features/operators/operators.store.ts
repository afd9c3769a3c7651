import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { PoolTx } from '../../platform/pool.ts';
import type { TenantImpersonation } from './impersonation/portal-sign-in.contract.ts';
import { PlatformRole, type Person } from './operators.contract.ts';

// A PoolTx sees only one pool, in the view `people` and in all tables.

const sortedRoles = PlatformRole.options.toSorted();

/** Sorted, without duplicates and unknown roles. */
export const sortRoles = (roles: readonly string[]): PlatformRole[] =>
  sortedRoles.filter((role) => roles.includes(role));

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

const withSortedRoles = (person: Person): Person => ({ ...person, roles: sortRoles(person.roles) });

interface PeopleFilter {
  before: string | undefined;
  email: string | undefined;
  limit: number;
}
export async function listPeople(tx: PoolTx, { before, email, limit }: PeopleFilter): Promise<Person[]> {
  let query = people(tx).orderBy('userId', 'desc').limit(limit);
  if (before !== undefined) query = query.where('userId', '<', before);
  if (email !== undefined) query = query.where(sql`lower(email)`, '=', email.toLowerCase());
  return (await query.execute()).map(withSortedRoles);
}

export async function findPerson(tx: PoolTx, userId: string): Promise<Person | undefined> {
  const row = await people(tx).where('userId', '=', userId).executeTakeFirst();
  return row && withSortedRoles(row);
}

export const setRoles = (tx: PoolTx, userId: string, platformRoles: string[]) =>
  tx.updateTable('people').set({ platformRoles }).where('userId', '=', userId).execute();

/**
 * Locks all active platform admins until the transaction ends, always in the same order. A transaction that waited reads
 * the remaining ones. `for no key update` does not block sign-ins, which insert rows that reference these.
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

/** An active operator, locked so that a concurrent disable waits, and then ends what this transaction created. */
export const lockActiveOperator = (tx: PoolTx, userId: string) =>
  tx
    .selectFrom('people')
    .select(['email', 'name', 'platformRoles as roles'])
    .where('userId', '=', userId)
    .where('disabledAt', 'is', null)
    .forShare()
    .$narrowType<{ email: string; name: string; roles: string[] }>()
    .executeTakeFirst();

// ---- impersonation sessions in the customer pool

export interface ImpersonationSession {
  id: Id<'session'>;
  userId: Id<'user'>;
  tenantId: Id<'tenant'>;
  operatorId: string;
  isOver: boolean;
}
const impersonationSessions = (tx: PoolTx) =>
  tx
    .selectFrom('sessions')
    .select(['id', 'userId', 'tenantId', 'operatorId'])
    .select(sql<boolean>`ended_at is not null or expires_at <= now()`.as('isOver'))
    .where('operatorId', 'is not', null)
    .$narrowType<ImpersonationSession>();

export const findImpersonationSession = (tx: PoolTx, id: string) =>
  impersonationSessions(tx).where('id', '=', id).executeTakeFirst();
export const listImpersonationsBy = (tx: PoolTx, operatorId: string) =>
  impersonationSessions(tx).where('operatorId', '=', operatorId).where('endedAt', 'is', null).execute();

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

// ---- one tenant, by row-level security

export const findTenant = (tx: Tx) => tx.selectFrom('tenants').select(['status', 'name']).executeTakeFirst();

export async function findMember(tx: Tx, userId: string): Promise<{ isDisabled: boolean } | undefined> {
  const { rows } = await sql<{ isDisabled: boolean }>`select people.disabled as is_disabled
    from memberships join directory.people_of_tenant(array[${userId}]) as people using (user_id)`.execute(tx);
  return rows[0];
}

// ---- the pool's audit log

/** Ids start with their timestamp, so a time becomes an id, for a range scan. A pool's own role can't call this. */
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
