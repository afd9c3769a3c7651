import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { conflict, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { ListQuery } from '../../platform/lists.contract.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import { currentVersion } from '../../platform/version.ts';
import type { CreateTenant, Environment, Tenant } from './tenants.contract.ts';
import * as events from './tenants.events.ts';
import * as store from './tenants.store.ts';

/** A new tenant's id. The same for a repeated request, so that it finds the response of the first one. */
export const reserveTenantId = (db: Db, operatorId: string, key: string | undefined): Promise<Id<'tenant'>> =>
  key === undefined ? Promise.resolve(newId('tenant')) : store.reserveTenantId(db, operatorId, key, newId('tenant'));

/** Runs in the new tenant's context, so that row-level security applies to everything it writes. */
export async function createTenant(ctx: Context, { name, plan }: Pick<CreateTenant, 'name' | 'plan'>) {
  const tenant = await store.insertTenant(ctx.tx, { id: ctx.tenantId, name, plan, apiVersion: currentVersion });
  await emit(ctx, events.tenantCreated, tenant.id, { object: tenant });
  const { workspace } = await createWorkspace(ctx, { name: 'Default' });
  const environments: Environment[] = [];
  for (const name of ['live', 'test']) {
    environments.push((await createEnvironment(ctx, { workspaceId: workspace.id, name })).environment);
  }
  return { tenant, workspace, environments };
}

export const getTenant = async ({ tx }: Context) => ({ tenant: orNotFound('tenant', await store.findTenant(tx)) });

export async function renameTenant(ctx: Context, name: string) {
  await store.lockTenant(ctx.tx);
  const { tenant: before } = await getTenant(ctx);
  const tenant = orNotFound('tenant', await store.updateTenant(ctx.tx, { name }));
  await emit(ctx, events.tenantUpdated, tenant.id, { object: tenant, previous: { name: before.name } });
  return { tenant };
}

/** Idempotent. The reason is recorded in the audit log. */
export async function suspendTenant(ctx: Context, reason: string) {
  const before = await lockNotDeleted(ctx);
  if (before.status === 'suspended') return { tenant: before };
  const tenant = orNotFound('tenant', await store.updateTenant(ctx.tx, { status: 'suspended' }));
  await emit(ctx, events.tenantSuspended, tenant.id, { object: tenant, reason });
  return { tenant };
}

export async function resumeTenant(ctx: Context) {
  const before = await lockNotDeleted(ctx);
  if (before.status === 'active') return { tenant: before };
  const tenant = orNotFound('tenant', await store.updateTenant(ctx.tx, { status: 'active' }));
  await emit(ctx, events.tenantResumed, tenant.id, { object: tenant });
  return { tenant };
}

async function lockNotDeleted(ctx: Context): Promise<Tenant> {
  await store.lockTenant(ctx.tx);
  const { tenant } = await getTenant(ctx);
  if (tenant.status === 'deleted') throw conflict('tenant_deleted', 'This tenant is deleted. Restore it first.');
  return tenant;
}

export const listWorkspaces = async ({ tx }: Context, { cursor, limit }: ListQuery) =>
  toPage(await store.listWorkspaces(tx, readCursor(cursor), limit + 1), limit);

export const getWorkspace = async ({ tx }: Context, id: string) => ({
  workspace: orNotFound('workspace', await store.findWorkspace(tx, id)),
});

export async function createWorkspace(ctx: Context, { name }: { name: string }) {
  const workspace = await store.insertWorkspace(ctx.tx, { id: newId('workspace'), name });
  await emit(ctx, events.workspaceCreated, workspace.id, { object: workspace });
  return { workspace };
}

export async function renameWorkspace(ctx: Context, id: string, name: string) {
  const workspace = orNotFound('workspace', await store.renameWorkspace(ctx.tx, id, name));
  await emit(ctx, events.workspaceUpdated, workspace.id, { object: workspace });
  return { workspace };
}

export const listEnvironments = async (
  { tx }: Context,
  { cursor, limit, workspaceId }: ListQuery & { workspaceId?: string | undefined },
) => toPage(await store.listEnvironments(tx, { before: readCursor(cursor), workspaceId, limit: limit + 1 }), limit);

export const getEnvironment = async ({ tx }: Context, id: string) => ({
  environment: orNotFound('environment', await store.findEnvironment(tx, id)),
});

export async function createEnvironment(
  ctx: Context,
  { workspaceId, name }: Pick<Environment, 'workspaceId' | 'name'>,
) {
  const environment = await store.insertEnvironment(ctx.tx, { id: newId('environment'), workspaceId, name });
  await emit(
    ctx,
    events.environmentCreated,
    environment.id,
    { object: environment },
    { environmentId: environment.id },
  );
  return { environment };
}

export async function renameEnvironment(ctx: Context, id: string, name: string) {
  const environment = orNotFound('environment', await store.renameEnvironment(ctx.tx, id, name));
  await emit(
    ctx,
    events.environmentUpdated,
    environment.id,
    { object: environment },
    { environmentId: environment.id },
  );
  return { environment };
}
