import { Feature, Limit } from '../../platform/access.contract.ts';

/** Features (1 or 0) and limits (a number). */
export type Entitlements = Readonly<Record<Feature | Limit, number>>;

const allFeatures = Object.fromEntries(Feature.options.map((name) => [name, 1])) as Record<Feature, number>;

/** The plans. Operators can override single values for a tenant. */
export const plans = {
  free: {
    ...allFeatures,
    live_webhooks: 0,
    private_actions: 0,
    custom_model: 0,
    human_handoff: 0,
    'bots.max': 1,
    'members.max': 3,
    'api_keys.max': 5,
    'webhooks.max': 2,
    'messages.per_month': 1_000,
    'model_spend.per_day': 1,
    'knowledge_megabytes.per_bot': 50,
    'reads.per_minute': 1_200,
  },
  team: {
    ...allFeatures,
    custom_model: 0,
    'bots.max': 10,
    'members.max': 25,
    'api_keys.max': 50,
    'webhooks.max': 20,
    'messages.per_month': 50_000,
    'model_spend.per_day': 25,
    'knowledge_megabytes.per_bot': 500,
    'reads.per_minute': 6_000,
  },
  enterprise: {
    ...allFeatures,
    'bots.max': 1_000,
    'members.max': 5_000,
    'api_keys.max': 1_000,
    'webhooks.max': 500,
    'messages.per_month': 10_000_000,
    'model_spend.per_day': 5_000,
    'knowledge_megabytes.per_bot': 10_000,
    'reads.per_minute': 60_000,
  },
} satisfies Record<string, Entitlements>;
export type Plan = keyof typeof plans;

const names: ReadonlySet<string> = new Set([...Feature.options, ...Limit.options]);

/** Whether the name of an override still exists. */
export const isKnown = <T extends { name: string }>(override: T): override is T & { name: Feature | Limit } =>
  names.has(override.name);

/** The values of the plan with overrides applied. Unknown names are ignored. */
export function effective(plan: Plan, overrides: readonly { name: string; value: number }[]): Entitlements {
  const changed = overrides.filter(isKnown).map(({ name, value }) => [name, value]);
  return { ...plans[plan], ...(Object.fromEntries(changed) as Partial<Entitlements>) };
}

export const featuresOf = (entitlements: Entitlements): ReadonlySet<Feature> =>
  new Set(Feature.options.filter((name) => entitlements[name] > 0));
