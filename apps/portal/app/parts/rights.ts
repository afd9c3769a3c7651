import type { Schemas } from '@parley/portal-kit/service';

// Labels only: which roles have a permission and which plans a feature. The service enforces both.

export type Me = Schemas['Me'];
export type Permission = Me['permissions'][number];

const ownerRole = ['owner'];
const adminRoles = ['owner', 'admin'];
const developerRoles = ['owner', 'admin', 'developer'];
const agentRoles = ['owner', 'admin', 'agent'];
const viewerRoles = ['owner', 'admin', 'developer', 'viewer'];

const rolesByPermission: Partial<Record<Permission, string[]>> = {
  'tenant.manage': adminRoles,
  'tenant.delete': ownerRole,
  'ownership.transfer': ownerRole,
  'member.view': adminRoles,
  'member.manage': adminRoles,
  'billing.view': adminRoles,
  'billing.manage': ownerRole,
  'bot.manage': developerRoles,
  'knowledge.manage': developerRoles,
  'conversation.reply': agentRoles,
  'conversation.assign': agentRoles,
  'contact.update': agentRoles,
  'contact.manage': adminRoles,
  'session.create': developerRoles,
  'integration.manage': developerRoles,
  'api_key.view': developerRoles,
  'api_key.manage': developerRoles,
  'webhook.view': viewerRoles,
  'webhook.manage': developerRoles,
  'analytics.view': viewerRoles,
  'audit.view': adminRoles,
  'support_access.manage': ownerRole,
  'policy.manage': ownerRole,
};

/** Whether the role has the permission. Every role has those not listed above. */
export const roleHasPermission = (role: string, permission: Permission): boolean =>
  rolesByPermission[permission]?.includes(role) ?? true;

const list = (items: readonly string[]) => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(items);

/** "owners, admins or developers" */
export const rolesWith = (permission: string): string =>
  list((rolesByPermission[permission as Permission] ?? []).map((role) => `${role}s`));

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

export const hasPermission = (me: Me, permission: Permission): boolean => me.permissions.includes(permission);

/** Why the member can't do this, shown at the button; undefined if they can. */
export function denialReason(me: Me, permission: Permission, feature?: keyof Me['entitlements']): string | undefined {
  if (!hasPermission(me, permission))
    return `Only ${rolesWith(permission)} can do this. Ask one of them, or ask an owner to change your role.`;
  if (feature && !me.entitlements[feature]) return planWith(feature);
  return undefined;
}
