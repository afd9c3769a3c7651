import type { Limit } from '../../platform/access.contract.ts';
import { withoutBindings, type Context } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import type { ChangeEntitlements } from './entitlements.contract.ts';
import { entitlementsChanged } from './entitlements.events.ts';
import * as store from './entitlements.store.ts';
import { effective, isKnown, plans } from './plans.ts';

export async function readEntitlements({ tx }: Pick<Context, 'tx'>) {
  const [plan, overrides] = await Promise.all([store.planOf(tx), store.overridesOf(tx)]);
  return { plan, entitlements: effective(plan, overrides) };
}

/**
 * Called by operators. Takes effect on all nodes within five seconds: the caller invalidates the cached state after the
 * commit.
 */
export async function changeEntitlements(ctx: Context, { plan, overrides }: ChangeEntitlements) {
  await store.lockPlan(ctx.tx);
  const previous = await readSettings(ctx);
  if (plan) await store.setPlan(ctx.tx, plan);
  for (const [name, value] of Object.entries(overrides)) {
    if (value !== undefined && value !== (previous.overrides[name] ?? null)) await store.setOverride(ctx, name, value);
  }
  const object = await readEntitlements(ctx);
  const { overrides: now } = await readSettings(ctx);
  await emit(ctx, entitlementsChanged, ctx.tenantId, { object, overrides: now, previous });
  return object;
}

async function readSettings({ tx }: Context) {
  const overrides = (await store.overridesOf(tx)).map(({ name, value }) => [name, value] as const);
  return { plan: await store.planOf(tx), overrides: Object.fromEntries(overrides) };
}

/** The plan, the effective values, and each override with who set it and when. */
export async function describeEntitlements({ tx }: Context) {
  const plan = await store.planOf(tx);
  const overrides = await store.overridesOf(tx);
  return { plan, entitlements: effective(plan, overrides), plans, overrides: overrides.filter(isKnown) };
}

/** Throws if the limit of the plan is reached. `count` runs after the lock, never before. */
export async function requireRoom(ctx: Context, limit: Limit, count: () => Promise<number>): Promise<void> {
  const plan = await store.lockPlan(ctx.tx);
  const max = effective(plan, await store.overridesOf(ctx.tx))[limit];
  if ((await withoutBindings(ctx, count)) < max) return;
  throw conflict(
    'plan_limit_reached',
    `Your plan '${plan}' includes ${max} ('${limit}'). Remove one or upgrade your plan.`,
  );
}
