import type { Schemas } from '@parley/portal-kit/service';
import { roleHasPermission, type Me, type Permission } from '../../../parts/rights.ts';

export type Role = Schemas['Member']['roles'][number];

/** From most to fewest permissions. */
export const roles: { role: Role; name: string; description: string }[] = [
  {
    role: 'owner',
    name: 'Owner',
    description: 'Full access, including transferring ownership and deleting the organisation.',
  },
  {
    role: 'admin',
    name: 'Admin',
    description: 'Full access except owner-only actions, such as changing the plan or deleting the organisation.',
  },
  { role: 'developer', name: 'Developer', description: 'Builds bots and manages knowledge, API keys and webhooks.' },
  { role: 'agent', name: 'Agent', description: 'Reads conversations, takes them over and replies to visitors.' },
  { role: 'viewer', name: 'Viewer', description: 'Read-only access to bots, conversations and insights.' },
];
export const nameOf = (role: string) => roles.find((entry) => entry.role === role)?.name ?? role;
export const sortRoles = (assigned: readonly string[]) => roles.filter(({ role }) => assigned.includes(role));

/** A label for each permission. Starts in lower case, because errors use it within a sentence. */
export const permissionGroups: { description: string; permissions: [permission: Permission, label: string][] }[] = [
  {
    description: 'Bots and knowledge',
    permissions: [
      ['bot.view', 'view bots'],
      ['bot.manage', 'create, publish and archive bots'],
      ['knowledge.manage', 'manage knowledge'],
    ],
  },
  {
    description: 'Conversations and insights',
    permissions: [
      ['conversation.view', 'view conversations'],
      ['conversation.reply', 'reply to visitors'],
      ['conversation.assign', 'take over conversations and hand them back'],
      ['contact.view', 'view contacts'],
      ['contact.update', 'edit contacts'],
      ['contact.manage', 'export and erase contacts'],
      ['analytics.view', 'view insights and usage'],
    ],
  },
  {
    description: 'Integrations',
    permissions: [
      ['integration.view', 'view models and actions'],
      ['integration.manage', 'manage models and actions'],
      ['session.create', 'create API keys that start widget sessions for signed-in users'],
      ['api_key.view', 'view API keys'],
      ['api_key.manage', 'create, rotate and revoke API keys'],
      ['webhook.view', 'view webhooks and deliveries'],
      ['webhook.manage', 'manage webhooks and replay deliveries'],
    ],
  },
  {
    description: 'Organisation',
    permissions: [
      ['tenant.view', 'view the organisation and its workspaces'],
      ['tenant.manage', 'rename the organisation and manage workspaces'],
      ['member.view', 'view members and invitations'],
      ['member.manage', 'invite and remove members and change their roles'],
      ['audit.view', 'view the audit log'],
      ['support_access.manage', 'manage support access'],
      ['policy.manage', 'manage security policies'],
      ['billing.view', 'view billing'],
      ['billing.manage', 'change the plan'],
      ['ownership.transfer', 'transfer ownership'],
      ['tenant.delete', 'delete the organisation'],
    ],
  },
];
const allPermissions = permissionGroups.flatMap(({ permissions }) => permissions);
const permissionLabels = new Map<string, string>(allPermissions);
export const permissionLabel = (permission: string) => permissionLabels.get(permission) ?? permission;

/** Permissions of a role that the member lacks. They can't assign or change such a role. */
const missingPermissions = (me: Me, role: string): string[] =>
  allPermissions
    .filter(([permission]) => roleHasPermission(role as Role, permission) && !me.permissions.includes(permission))
    .map(([, label]) => label);

const joinList = (items: readonly string[]) => new Intl.ListFormat('en-GB').format(items);

/** Why the member can't assign these roles or manage people who have them; undefined if they can. */
export function roleDenialReason(me: Me, assigned: readonly string[]): string | undefined {
  const role = assigned.find((one) => missingPermissions(me, one).length > 0);
  if (!role) return undefined;
  const missing = missingPermissions(me, role);
  const listed = missing.length > 3 ? [...missing.slice(0, 3), 'more'] : missing;
  return `The ${nameOf(role)} role has permissions you don’t have: ${joinList(listed)}. Ask someone with that role.`;
}
