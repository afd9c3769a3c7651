import type { Schemas } from '@parley/portal-kit/service';
import { isHeldBy, type Me, type Permission } from '../../../parts/rights.ts';

export type Role = Schemas['Member']['roles'][number];

/** From most to least, with what each is for. */
export const roles: { role: Role; name: string; about: string }[] = [
  { role: 'owner', name: 'Owner', about: 'Everything, also deleting the organisation and handing it over.' },
  { role: 'admin', name: 'Admin', about: 'Everything but ownership, changing the plan and deletion.' },
  { role: 'developer', name: 'Developer', about: 'Builds bots and knowledge, and connects them by keys and webhooks.' },
  { role: 'agent', name: 'Agent', about: 'Reads conversations, takes them over and answers.' },
  { role: 'viewer', name: 'Viewer', about: 'Looks at bots, conversations and figures. Changes nothing.' },
];
export const nameOf = (role: string) => roles.find((known) => known.role === role)?.name ?? role;
export const inOrder = (held: readonly string[]) => roles.filter(({ role }) => held.includes(role));

/** What a permission lets somebody do: "People who are agents can …". */
export const abilities: { about: string; permissions: [permission: Permission, words: string][] }[] = [
  {
    about: 'Bots and knowledge',
    permissions: [
      ['bot.view', 'see bots'],
      ['bot.manage', 'build, publish and remove bots'],
      ['knowledge.manage', 'change what bots know'],
    ],
  },
  {
    about: 'Conversations and figures',
    permissions: [
      ['conversation.view', 'read conversations'],
      ['conversation.reply', 'answer visitors'],
      ['conversation.assign', 'take conversations over and hand them back'],
      ['analytics.view', 'see insights and usage'],
    ],
  },
  {
    about: 'Connecting',
    permissions: [
      ['integration.view', 'see models and actions'],
      ['integration.manage', 'change models and actions'],
      ['session.create', 'let API keys open widget sessions for signed-in users'],
      ['api_key.view', 'see API keys'],
      ['api_key.manage', 'make, rotate and revoke API keys'],
      ['webhook.view', 'see webhooks and their deliveries'],
      ['webhook.manage', 'make, change and replay webhooks'],
    ],
  },
  {
    about: 'Organisation',
    permissions: [
      ['tenant.view', 'see the organisation and its workspaces'],
      ['tenant.manage', 'rename it, and change its workspaces'],
      ['member.view', 'see members and invitations'],
      ['member.manage', 'invite and remove people, and change their roles'],
      ['audit.view', 'read the audit log'],
      ['support_access.manage', 'decide about support access'],
      ['policy.manage', 'set security policies'],
      ['billing.view', 'see what the plan costs'],
      ['billing.manage', 'change the plan'],
      ['ownership.transfer', 'hand over the ownership'],
      ['tenant.delete', 'delete the organisation'],
    ],
  },
];
const everything = abilities.flatMap(({ permissions }) => permissions);
const words = new Map<string, string>(everything);
export const wordsFor = (permission: string) => words.get(permission) ?? permission;

/** Of a role, what somebody cannot do themselves: such a role they neither give nor touch. */
const above = (me: Me, role: string): string[] =>
  everything
    .filter(([permission]) => isHeldBy(role as Role, permission) && !me.permissions.includes(permission))
    .map(([, can]) => can);

const and = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts);

/** Why somebody cannot give these roles, or change a person who has them; undefined when they can. */
export function whyAbove(me: Me, held: readonly string[]): string | undefined {
  const role = held.find((one) => above(me, one).length > 0);
  if (!role) return undefined;
  const more = above(me, role);
  const named = more.length > 3 ? [...more.slice(0, 3), 'more'] : more;
  return `${nameOf(role)}s can do what you cannot: ${and(named)}. Ask one of them.`;
}
