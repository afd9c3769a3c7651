import { sql } from 'kysely';
import type { PoolName, PoolTx } from '../../platform/pool.ts';
import type { LiveSession } from './sessions.store.ts';

/** A person with an account in this pool. */
export const findPerson = (tx: PoolTx, userId: string) =>
  tx
    .selectFrom('people')
    .innerJoin('accounts', 'accounts.userId', 'people.userId')
    .select(['people.email', 'people.name', 'people.locale', 'people.disabledAt'])
    .where('people.userId', '=', userId)
    .executeTakeFirst();

/** The tenants that a user is a member of. */
export async function tenantsOf(tx: PoolTx, pool: PoolName, userId: string): Promise<string[]> {
  const { rows } = await sql<{ tenantIds: string[] }>`
    select tenant_ids from directory.find_own_user(${pool}, ${userId})`.execute(tx);
  return rows[0]?.tenantIds ?? [];
}

/** The tenant of a new session: the last used one, if the user is still a member. */
export async function findInitialTenant(tx: PoolTx, pool: PoolName, userId: string): Promise<string | null> {
  if (pool === 'admin') return null;
  const { rows } = await sql<{ tenantIds: string[]; lastTenantId: string | null }>`
    select tenant_ids, (select last_tenant_id from accounts where user_id = ${userId})
    from directory.find_own_user(${pool}, ${userId})`.execute(tx);
  const { tenantIds = [], lastTenantId } = rows[0] ?? {};
  return tenantIds.find((id) => id === lastTenantId) ?? tenantIds[0] ?? null;
}

/** If the user was removed from the session's tenant, switches the session to another of their tenants. */
export async function resolveSessionTenant(
  tx: PoolTx,
  pool: PoolName,
  { id, userId, tenantId }: Pick<LiveSession, 'id' | 'userId' | 'tenantId'>,
): Promise<LiveSession['tenantId']> {
  if (tenantId === null || (await tenantsOf(tx, pool, userId)).includes(tenantId)) return tenantId;
  const another = await findInitialTenant(tx, pool, userId);
  await tx.updateTable('sessions').set({ tenantId: another }).where('id', '=', id).execute();
  return another as LiveSession['tenantId'];
}
