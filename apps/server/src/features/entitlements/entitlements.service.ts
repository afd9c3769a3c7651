import type { Limit } from '../../platform/access.contract.ts';
import type { Context } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { ChangeEntitlements } from './entitlements.contract.ts';
import { entitlementsChanged } from './entitlements.events.ts';
import * as store from './entitlements.store.ts';
import { effective } from './plans.ts';

export async function readEntitlements({ tx }: Pick<Context, 'tx'>) {
  const plan = await store.planOf(tx);
  return { plan, entitlements: effective(plan, await store.overridesOf(tx)) };
}

/** The operator's. Acts on every node within five seconds: the caller drops the cached state after the commit. */
export async function changeEntitlements(ctx: Context, { plan, overrides }: ChangeEntitlements) {
  await store.lockPlan(ctx.tx);
  if (plan) await store.setPlan(ctx.tx, plan);
  for (const [name, value] of Object.entries(overrides)) {
    if (value !== undefined) await store.setOverride(ctx.tx, name, value);
  }
  const object = await readEntitlements(ctx);
  await emit(ctx, entitlementsChanged, ctx.tenantId, { object });
  return object;
}

/** Throws when the plan has no room for one more. `count` runs after the lock, never before. */
export async function requireRoom({ tx }: Context, limit: Limit, count: () => Promise<number>): Promise<void> {
  const plan = await store.lockPlan(tx);
  const most = effective(plan, await store.overridesOf(tx))[limit];
  if ((await count()) < most) return;
  throw conflict('plan_limit_reached', `Your plan '${plan}' allows ${most} ('${limit}'). Remove one, or ask for more.`);
}
