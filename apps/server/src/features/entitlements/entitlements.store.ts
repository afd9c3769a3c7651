import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/db.ts';
import { prepared } from '../../platform/prepared.ts';
import type { Plan } from './plans.ts';

export const planOf = async (tx: Tx): Promise<Plan> =>
  (await prepared(tx).selectFrom('tenants').select('plan').executeTakeFirstOrThrow()).plan as Plan;

/** Locks the tenant's plan until the transaction ends, so that concurrent requests cannot exceed a limit. */
export const lockPlan = async (tx: Tx): Promise<Plan> =>
  (await tx.selectFrom('tenants').select('plan').forNoKeyUpdate().executeTakeFirstOrThrow()).plan as Plan;

export const setPlan = (tx: Tx, plan: Plan) => tx.updateTable('tenants').set({ plan }).execute();

export async function overridesOf(tx: Tx) {
  const columns = ['name', 'value', 'changedBy', 'changedAt'] as const;
  const rows = await prepared(tx).selectFrom('entitlementOverrides').select(columns).orderBy('name').execute();
  return rows.map((row) => ({ ...row, value: Number(row.value) })); // the driver returns a bigint as text
}

export async function setOverride({ tx, actor, now }: Context, name: string, value: number | null): Promise<void> {
  if (value === null) {
    await tx.deleteFrom('entitlementOverrides').where('name', '=', name).execute();
    return;
  }
  const changed = { value, changedBy: actor.id, changedAt: now };
  await tx
    .insertInto('entitlementOverrides')
    .values({ name, ...changed })
    .onConflict((same) => same.columns(['tenantId', 'name']).doUpdateSet(changed))
    .execute();
}
