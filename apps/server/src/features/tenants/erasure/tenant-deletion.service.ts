import type { Context } from '../../../platform/context.ts';
import { AppError, conflict, orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import { clearTimer, setTimer } from '../../../platform/timers.ts';
import type { Tenant } from '../tenants.contract.ts';
import * as events from '../tenants.events.ts';
import { getTenant } from '../tenants.service.ts';
import * as store from '../tenants.store.ts';

export const erasureTimer = 'tenant-erasure'; // stored: renaming it abandons timers already set

/** By an owner, who must confirm the tenant's name. */
export async function deleteOwnTenant(ctx: Context, name: string) {
  const before = await lock(ctx);
  if (name !== before.name)
    throw new AppError('UNPROCESSABLE', 'name_mismatch', 'This doesn’t match the name of your tenant.');
  return remove(ctx, before);
}

/** By an operator. The reason is recorded in the audit log. */
export const deleteTenant = async (ctx: Context, reason: string) => remove(ctx, await lock(ctx), reason);

/** Idempotent: a repeated deletion does not restart the 30 days. */
async function remove(ctx: Context, before: Tenant, reason?: string) {
  if (before.status === 'deleted') return { tenant: before, erasedAfter: (await erasure(ctx)).erasedAfter };
  const tenant = orNotFound('tenant', await store.updateTenant(ctx.tx, { status: 'deleted' }));
  const { erasedAfter } = await erasure(ctx);
  await setTimer(ctx, erasureTimer, tenant.id, erasedAfter);
  await emit(ctx, events.tenantDeleted, tenant.id, { object: tenant, erasedAfter, reason });
  return { tenant, erasedAfter };
}

/** Idempotent. */
export async function restoreTenant(ctx: Context, reason: string) {
  const before = await lock(ctx);
  if (before.status !== 'deleted') return { tenant: before };
  if ((await erasure(ctx)).isDue)
    throw conflict('restore_window_expired', 'The 30 days have passed and this tenant is being erased.');
  const tenant = orNotFound('tenant', await store.updateTenant(ctx.tx, { status: 'active' }));
  await clearTimer(ctx, erasureTimer, tenant.id);
  await emit(ctx, events.tenantRestored, tenant.id, { object: tenant, reason });
  return { tenant };
}

async function lock(ctx: Context): Promise<Tenant> {
  await store.lockTenant(ctx.tx);
  return (await getTenant(ctx)).tenant;
}

async function erasure({ tx, tenantId }: Context) {
  const found = await store.findErasure(tx);
  if (!found) throw new Error(`tenant ${tenantId} is not deleted`);
  return found;
}
