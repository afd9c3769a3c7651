import type { Schemas } from '@parley/portal-kit/service';

export type Tenant = Schemas['Tenant'];
export type TenantStatus = Tenant['status'];
export type InspectedTenant = Schemas['InspectedTenant'];
export type Change = Schemas['TenantChange'];
export type Entitlement = keyof Schemas['Entitlements'];

export const statuses: Record<TenantStatus, { label: string; tone: 'good' | 'warn' | 'bad' }> = {
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warn' },
  deleted: { label: 'Deleted', tone: 'bad' },
};

export const plans = [
  { value: 'free', label: 'Free' },
  { value: 'team', label: 'Team' },
  { value: 'enterprise', label: 'Enterprise' },
] as const;
export type Plan = (typeof plans)[number]['value'];
export const planLabel = (plan: string): string => plans.find(({ value }) => value === plan)?.label ?? plan;
export const isPlan = (text: string | null): text is Plan => plans.some(({ value }) => value === text);
export const isStatus = (text: string | null): text is TenantStatus => text !== null && Object.hasOwn(statuses, text);

const count = new Intl.NumberFormat('en');
export const amount = (n: number): string => count.format(n);
export const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
/** "1 bot", "2 bots". */
export const pluralize = (n: number, singular: string, plural = `${singular}s`): string =>
  n === 1 ? `1 ${singular}` : `${count.format(n)} ${plural}`;

/** Features are on or off, limits are numbers. */
export const entitlements: Record<Entitlement, { label: string; isFeature: boolean }> = {
  api_keys: { label: 'API keys', isFeature: true },
  webhooks: { label: 'Webhooks', isFeature: true },
  live_webhooks: { label: 'Live webhooks', isFeature: true },
  private_actions: { label: 'Private actions', isFeature: true },
  knowledge: { label: 'Knowledge', isFeature: true },
  custom_model: { label: 'Custom models', isFeature: true },
  human_handoff: { label: 'Human handoff', isFeature: true },
  'bots.max': { label: 'Bots', isFeature: false },
  'members.max': { label: 'Seats', isFeature: false },
  'api_keys.max': { label: 'API key limit', isFeature: false },
  'webhooks.max': { label: 'Webhook endpoints', isFeature: false },
  'messages.per_month': { label: 'Messages per month', isFeature: false },
  'model_spend.per_day': { label: 'Daily AI budget (USD)', isFeature: false },
  'knowledge_megabytes.per_bot': { label: 'Knowledge storage per bot (MB)', isFeature: false },
  'reads.per_minute': { label: 'API reads per minute', isFeature: false },
};
export const entitlementNames = Object.keys(entitlements) as Entitlement[];
const isEntitlement = (name: string): name is Entitlement => Object.hasOwn(entitlements, name);

/** The display value of an entitlement. */
export const formatEntitlement = (name: Entitlement, value: number): string =>
  entitlements[name].isFeature ? (value > 0 ? 'On' : 'Off') : amount(value);

const fields: Record<string, { label: string; format(value: string): string }> = {
  plan: { label: 'Plan', format: planLabel },
  status: { label: 'Status', format: (status) => (isStatus(status) ? statuses[status].label : status) },
  name: { label: 'Name', format: String },
};

/** Describes one changed field. */
export function describeChange({ name, from, to }: Change['changes'][number]): string {
  if (!isEntitlement(name)) {
    const { label, format } = fields[name] ?? { label: name, format: String };
    return from === null
      ? `${label}: ${format(String(to))}`
      : `${label}: ${format(String(from))} → ${format(String(to))}`;
  }
  const format = (value: string | number | null) =>
    value === null ? 'plan default' : formatEntitlement(name, Number(value));
  return `${entitlements[name].label}: ${format(from)} → ${format(to)}`;
}

const actions: Record<string, string> = {
  'tenant.created': 'Created',
  'tenant.updated': 'Renamed',
  'tenant.suspended': 'Suspended',
  'tenant.resumed': 'Resumed',
  'tenant.deleted': 'Deleted',
  'tenant.restored': 'Restored',
  'entitlements.changed': 'Plan or limits changed',
};
export const actionLabel = (action: string): string => actions[action] ?? action;

const actors: Record<string, string> = {
  operator: 'A platform admin',
  user: 'A member',
  api_key: 'An API key',
  system: 'System',
  bot: 'A bot',
  visitor: 'A visitor',
  contact: 'A contact',
};
export const actorLabel = ({ type, email }: Change['actor']): string => email ?? actors[type] ?? type;

export const day = (at: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at));
