import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { enterPool, recordPoolAudit } from '../../../platform/pool.ts';
import * as store from './tenant-erasure.store.ts';

/** Stores outside the database that contain tenant data. All methods are idempotent. */
export interface ExternalStores {
  /** Deletes the keys that contain an id of the tenant, as decided by `filterOwn`. Returns how many. */
  purgeKeys(filterOwn: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /** Kills and purges invocations and states by key prefix, for a limited time. `isDone` is true when nothing is left. */
  purgeInvocations(keyPrefix: string): Promise<{ invocations: number; states: number; isDone: boolean }>;
}

/**
 * One idempotent step of erasing a tenant. First it deletes Valkey keys, which only the rows can identify, then the rows,
 * then Restate's data. The tenant row goes last, and its timer repeats this function until then. The receipt has counts,
 * and identifies the tenant by a hash of its id.
 */
export async function eraseTenant(
  services: Services,
  externalStores: ExternalStores,
  tenantId: Id<'tenant'>,
): Promise<boolean> {
  const inside = <T>(work: (ctx: Context) => Promise<T>) => inTenant(services, asSystem(tenantId, 'erasure'), work);

  const keys = await externalStores.purgeKeys(async (ids) => {
    const ownIds = await inside(({ tx }) => store.idsOfTenant(tx, ids));
    return new Set(ids.includes(tenantId) ? [...ownIds, tenantId] : ownIds);
  });
  const areRowsErased = await inside(async ({ tx }) => {
    const isLast = await store.eraseRows(tx, newId('erasure'));
    await store.addToReceipt(tx, { keys });
    return isLast;
  });
  if (!areRowsErased) return false;

  const { isDone, ...calls } = await externalStores.purgeInvocations(`${tenantId}/`);
  await inside(({ tx }) => store.addToReceipt(tx, calls));
  if (!isDone) return false;

  await inside(async ({ tx, actor }) => {
    const erasureId = await store.finishErasure(tx);
    if (erasureId)
      await enterPool(tx, 'admin', (pool) =>
        recordPoolAudit(pool, { action: 'tenant.erased', userId: null, actor, data: { erasureId } }),
      );
  });
  return true;
}
