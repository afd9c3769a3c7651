import type { Tx } from '../../platform/db.ts';
import type { Plan } from './plans.ts';

export const planOf = async (tx: Tx): Promise<Plan> =>
  (await tx.selectFrom('tenants').select('plan').executeTakeFirstOrThrow()).plan as Plan;

/** Locks the tenant's plan until the transaction ends, so two requests cannot both take the last place. */
export const lockPlan = async (tx: Tx): Promise<Plan> =>
  (await tx.selectFrom('tenants').select('plan').forNoKeyUpdate().executeTakeFirstOrThrow()).plan as Plan;

export const setPlan = (tx: Tx, plan: Plan) => tx.updateTable('tenants').set({ plan }).execute();

export async function overridesOf(tx: Tx) {
  const rows = await tx.selectFrom('entitlementOverrides').select(['name', 'value']).execute();
  return rows.map(({ name, value }) => ({ name, value: Number(value) })); // a bigint, which the driver hands over as text
}

export async function setOverride(tx: Tx, name: string, value: number | null): Promise<void> {
  if (value === null) {
    await tx.deleteFrom('entitlementOverrides').where('name', '=', name).execute();
    return;
  }
  await tx
    .insertInto('entitlementOverrides')
    .values({ name, value })
    .onConflict((same) => same.columns(['tenantId', 'name']).doUpdateSet({ value }))
    .execute();
}
