import type { Schemas } from '@parley/portal-kit/service';

// Labels only: which roles have a permission and which plans a feature. The service enforces both.

export type Me = Schemas['Me'];
export type Permission = Me['permissions'][number];

const owner = ['owner'];
const leaders = ['owner', 'admin'];
const builders = ['owner', 'admin', 'developer'];
const talkers = ['owner', 'admin', 'agent'];
const watchers = ['owner', 'admin', 'developer', 'viewer'];

const holders: Partial<Record<Permission, string[]>> = {
  'tenant.manage': leaders,
  'tenant.delete': owner,
  'ownership.transfer': owner,
  'member.view': leaders,
  'member.manage': leaders,
  'billing.view': leaders,
  'billing.manage': owner,
  'bot.manage': builders,
  'knowledge.manage': builders,
  'conversation.reply': talkers,
  'conversation.assign': talkers,
  'session.create': builders,
  'integration.manage': builders,
  'api_key.view': builders,
  'api_key.manage': builders,
  'webhook.view': watchers,
  'webhook.manage': builders,
  'analytics.view': watchers,
  'audit.view': leaders,
  'support_access.manage': owner,
  'policy.manage': owner,
};

/** Whether the role has the permission. Every role has those not listed above. */
export const isHeldBy = (role: string, permission: Permission): boolean => holders[permission]?.includes(role) ?? true;

const list = (words: readonly string[]) => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);

/** "owners, admins or developers" */
export const rolesWith = (permission: string): string =>
  list((holders[permission as Permission] ?? []).map((role) => `${role}s`));

/** The start of the sentence, and the plans that include it. Features of the free plan are not listed. */
const features: Record<string, [subject: string, plans: string]> = {
  live_webhooks: ['Live webhooks are', 'the Team and Enterprise plans'],
  private_actions: ['Private actions are', 'the Team and Enterprise plans'],
  custom_model: ['Custom models are', 'the Enterprise plan'],
  human_handoff: ['Human handoff is', 'the Team and Enterprise plans'],
};
export const planWith = (feature: string): string => {
  const [subject, plans] = features[feature] ?? ['This feature is', 'another plan'];
  return `${subject} available on ${plans}.`;
};

export const may = (me: Me, permission: Permission): boolean => me.permissions.includes(permission);

/** Why the member can't do this, shown at the button; undefined if they can. */
export function whyNot(me: Me, permission: Permission, feature?: keyof Me['entitlements']): string | undefined {
  if (!may(me, permission))
    return `Only ${rolesWith(permission)} can do this. Ask one of them, or ask an owner to change your role.`;
  if (feature && !me.entitlements[feature]) return planWith(feature);
  return undefined;
}
