import { asSystem, inTenant, type Context, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { enterPool, recordPoolAudit } from '../../../platform/pool.ts';
import * as store from './tenant-erasure.store.ts';

/** Where something of a tenant may be besides the database. Each may be asked again, and then finds less. */
export interface ExternalStores {
  /** Deletes the keys that name one of these ids. Says how many. */
  purgeKeys(theirs: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /** Ends and forgets calls and states under keys that begin so, for a while. Says whether nothing is left. */
  purgeInvocations(beginning: string): Promise<{ invocations: number; states: number; isDone: boolean }>;
}

/**
 * One step of erasing a tenant whose time has come, which may be taken again at any moment. First what only its rows can
 * name, then the rows, then what is left of its work; the row that says that it is deleted is the last, and its timer calls
 * until then. The receipt counts, and knows the tenant by a hash of its id.
 */
export async function eraseTenant(
  services: Services,
  externalStores: ExternalStores,
  tenantId: Id<'tenant'>,
): Promise<boolean> {
  const inside = <T>(work: (ctx: Context) => Promise<T>) => inTenant(services, asSystem(tenantId, 'erasure'), work);

  const keys = await externalStores.purgeKeys(async (ids) => {
    const theirs = await inside(({ tx }) => store.idsOfTenant(tx, ids));
    return new Set(ids.includes(tenantId) ? [...theirs, tenantId] : theirs);
  });
  const isGone = await inside(async ({ tx }) => {
    const isLast = await store.eraseRows(tx, newId('erasure'));
    await store.noteErased(tx, { keys });
    return isLast;
  });
  if (!isGone) return false;

  const { isDone, ...calls } = await externalStores.purgeInvocations(`${tenantId}/`);
  await inside(({ tx }) => store.noteErased(tx, calls));
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
