import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { prepared } from '../../platform/prepared.ts';
import { policyColumns } from '../policies/index.ts';
import type { Environment, Tenant, Workspace } from './tenants.contract.ts';

// No `where tenantId` anywhere below: row-level security adds it, and a test proves it.

const tenantColumns = ['tenantId as id', 'name', 'plan', 'status', 'apiVersion', 'createdAt'] as const;

export const findTenant = (tx: Tx) =>
  tx.selectFrom('tenants').select(tenantColumns).$narrowType<Tenant>().executeTakeFirst();

/** The tenant data that every request needs, in one query. */
export const findTenantState = (tx: Tx) =>
  prepared(tx)
    .selectFrom('tenants')
    .select([...tenantColumns, ...policyColumns])
    .$narrowType<Tenant>()
    .executeTakeFirst();

/** Locks the tenant row. Read the tenant afterwards: it may have changed while waiting for the lock. */
export const lockTenant = (tx: Tx) => tx.selectFrom('tenants').select('tenantId').forNoKeyUpdate().executeTakeFirst();

/** For a deleted tenant: until when it can be restored, and whether that time is over. */
export async function findErasure(tx: Tx): Promise<{ erasedAfter: Date; isDue: boolean } | undefined> {
  const call = sql<{ erasedAfter: Date; isDue: boolean }>`
    select erased_after, erased_after <= clock_timestamp() as is_due
    from tenants, directory.erased_after(deleted_at) as erased_after where status = 'deleted'`;
  return (await call.execute(tx)).rows[0];
}

type NewTenant = Pick<Tenant, 'id' | 'name' | 'plan' | 'apiVersion'>;
export async function insertTenant(tx: Tx, { id, ...tenant }: NewTenant): Promise<Tenant> {
  const row = await tx
    .insertInto('tenants')
    .values({ ...tenant, tenantId: id })
    .returning(tenantColumns)
    .$narrowType<Tenant>()
    .executeTakeFirstOrThrow();
  await sql`select directory.add_tenant()`.execute(tx);
  return row;
}

export const updateTenant = (tx: Tx, change: Partial<Pick<Tenant, 'name' | 'status'>>) =>
  tx.updateTable('tenants').set(change).returning(tenantColumns).$narrowType<Tenant>().executeTakeFirst();

/** The id that was first reserved for this operator's idempotency key. */
export async function reserveTenantId(
  db: Db,
  operatorId: string,
  key: string,
  proposed: Id<'tenant'>,
): Promise<Id<'tenant'>> {
  const call = sql<{ id: Id<'tenant'> }>`select directory.reserve_tenant_id(${operatorId}, ${key}, ${proposed}) as id`;
  return (await call.execute(db)).rows[0]?.id ?? proposed;
}

const workspaceColumns = ['id', 'name', 'createdAt'] as const;

export const listWorkspaces = (tx: Tx, before: string | undefined, limit: number): Promise<Workspace[]> =>
  tx
    .selectFrom('workspaces')
    .select(workspaceColumns)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .$narrowType<Workspace>()
    .execute();
export const findWorkspace = (tx: Tx, id: string) =>
  tx.selectFrom('workspaces').select(workspaceColumns).where('id', '=', id).$narrowType<Workspace>().executeTakeFirst();
export const insertWorkspace = (tx: Tx, row: Pick<Workspace, 'id' | 'name'>): Promise<Workspace> =>
  tx
    .insertInto('workspaces')
    .values(row)
    .returning(workspaceColumns)
    .$narrowType<Workspace>()
    .executeTakeFirstOrThrow();
export const renameWorkspace = (tx: Tx, id: string, name: string) =>
  tx
    .updateTable('workspaces')
    .set({ name })
    .where('id', '=', id)
    .returning(workspaceColumns)
    .$narrowType<Workspace>()
    .executeTakeFirst();

const environmentColumns = ['id', 'workspaceId', 'name', 'createdAt'] as const;

interface EnvironmentFilter {
  before: string | undefined;
  workspaceId: string | undefined;
  limit: number;
}
export const listEnvironments = (tx: Tx, { before, workspaceId, limit }: EnvironmentFilter): Promise<Environment[]> =>
  tx
    .selectFrom('environments')
    .select(environmentColumns)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .$if(workspaceId !== undefined, (query) => query.where('workspaceId', '=', workspaceId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .$narrowType<Environment>()
    .execute();
export const findEnvironment = (tx: Tx, id: string) =>
  tx
    .selectFrom('environments')
    .select(environmentColumns)
    .where('id', '=', id)
    .$narrowType<Environment>()
    .executeTakeFirst();
export const insertEnvironment = (
  tx: Tx,
  row: Pick<Environment, 'id' | 'workspaceId' | 'name'>,
): Promise<Environment> =>
  tx
    .insertInto('environments')
    .values(row)
    .returning(environmentColumns)
    .$narrowType<Environment>()
    .executeTakeFirstOrThrow();
export const renameEnvironment = (tx: Tx, id: string, name: string) =>
  tx
    .updateTable('environments')
    .set({ name })
    .where('id', '=', id)
    .returning(environmentColumns)
    .$narrowType<Environment>()
    .executeTakeFirst();

/**
 * Whether work may start for the transaction's tenant. Use it in the statement that claims the work, to save a round trip.
 * The work of a suspended or deleted tenant stays queued until the tenant is active again.
 */
export const isTenantActive = sql<boolean>`exists (select from tenants where status = 'active')`;
