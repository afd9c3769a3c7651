import { z } from 'zod';
import { Feature, Limit } from '../../platform/access.contract.ts';

export const PlanName = z.enum(['free', 'team', 'enterprise']);

const amount = z.int().min(0).max(1_000_000_000);
const isOn = z.union([z.literal(0), z.literal(1)]).describe('1: on, 0: off.');

/** The effective value of every feature and limit. */
export const EntitlementSet = z
  .object({
    ...(Object.fromEntries(Feature.options.map((name) => [name, z.int()])) as Record<Feature, z.ZodInt>),
    ...(Object.fromEntries(Limit.options.map((name) => [name, z.int()])) as Record<Limit, z.ZodInt>),
  })
  .meta({ id: 'Entitlements' });

export const TenantEntitlements = z.object({ plan: PlanName, entitlements: EntitlementSet });

/** Overrides of one tenant. null removes an override: the plan's value applies again. */
export const ChangeEntitlements = z.strictObject({
  plan: PlanName.optional(),
  overrides: z
    .strictObject({
      ...(Object.fromEntries(Feature.options.map((name) => [name, isOn.nullable().optional()])) as Record<
        Feature,
        z.ZodOptional<z.ZodNullable<typeof isOn>>
      >),
      ...(Object.fromEntries(Limit.options.map((name) => [name, amount.nullable().optional()])) as Record<
        Limit,
        z.ZodOptional<z.ZodNullable<typeof amount>>
      >),
    })
    .default({}),
});
export type ChangeEntitlements = z.infer<typeof ChangeEntitlements>;

const PlanValues = z.object(
  Object.fromEntries(PlanName.options.map((name) => [name, EntitlementSet])) as Record<
    z.infer<typeof PlanName>,
    typeof EntitlementSet
  >,
);

/** What each plan includes, and where to ask for another one. */
export const Plans = z
  .object({
    plan: PlanName.describe('Your plan.'),
    plans: PlanValues.describe('What each plan includes, without the overrides of your tenant.'),
    upgradeUrl: z
      .string()
      .nullable()
      .describe('Where to ask for another plan: an `https:` or `mailto:` URL. null if the deployment has none.'),
  })
  .meta({ id: 'Plans' });

/** For operators: also the values of each plan, and the overrides with who changed them. */
export const EntitlementsInFull = TenantEntitlements.extend({
  plans: PlanValues,
  overrides: z.array(
    z.object({
      name: z.union([Feature, Limit]),
      value: z.int(),
      changedBy: z.string().nullable().describe('Id of the operator. null if it was changed before this was recorded.'),
      changedByEmail: z.string().nullable(),
      changedAt: z.date().nullable(),
    }),
  ),
}).meta({ id: 'EntitlementsInFull' });
