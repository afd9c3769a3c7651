import type { Schemas } from '@parley/portal-kit/service';
import { isHeldBy, type Me, type Permission } from '../../../parts/rights.ts';

export type Role = Schemas['Member']['roles'][number];

/** From most to fewest permissions. */
export const roles: { role: Role; name: string; about: string }[] = [
  {
    role: 'owner',
    name: 'Owner',
    about: 'Full access, including transferring ownership and deleting the organisation.',
  },
  {
    role: 'admin',
    name: 'Admin',
    about: 'Full access except owner-only actions, such as changing the plan or deleting the organisation.',
  },
  { role: 'developer', name: 'Developer', about: 'Builds bots and manages knowledge, API keys and webhooks.' },
  { role: 'agent', name: 'Agent', about: 'Reads conversations, takes them over and replies to visitors.' },
  { role: 'viewer', name: 'Viewer', about: 'Read-only access to bots, conversations and insights.' },
];
export const nameOf = (role: string) => roles.find((known) => known.role === role)?.name ?? role;
export const inOrder = (held: readonly string[]) => roles.filter(({ role }) => held.includes(role));

/** A label for each permission. Starts in lower case, because errors use it within a sentence. */
export const abilities: { about: string; permissions: [permission: Permission, words: string][] }[] = [
  {
    about: 'Bots and knowledge',
    permissions: [
      ['bot.view', 'view bots'],
      ['bot.manage', 'create, publish and archive bots'],
      ['knowledge.manage', 'manage knowledge'],
    ],
  },
  {
    about: 'Conversations and insights',
    permissions: [
      ['conversation.view', 'view conversations'],
      ['conversation.reply', 'reply to visitors'],
      ['conversation.assign', 'take over conversations and hand them back'],
      ['analytics.view', 'view insights and usage'],
    ],
  },
  {
    about: 'Integrations',
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
    about: 'Organisation',
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
const everything = abilities.flatMap(({ permissions }) => permissions);
const words = new Map<string, string>(everything);
export const wordsFor = (permission: string) => words.get(permission) ?? permission;

/** Permissions of a role that the member lacks. They can't assign or change such a role. */
const above = (me: Me, role: string): string[] =>
  everything
    .filter(([permission]) => isHeldBy(role as Role, permission) && !me.permissions.includes(permission))
    .map(([, can]) => can);

const and = (parts: readonly string[]) => new Intl.ListFormat('en-GB').format(parts);

/** Why the member can't assign these roles or manage people who have them; undefined if they can. */
export function whyAbove(me: Me, held: readonly string[]): string | undefined {
  const role = held.find((one) => above(me, one).length > 0);
  if (!role) return undefined;
  const more = above(me, role);
  const named = more.length > 3 ? [...more.slice(0, 3), 'more'] : more;
  return `The ${nameOf(role)} role has permissions you don’t have: ${and(named)}. Ask someone with that role.`;
}
