import { Permission, PlatformPermission } from '../../platform/access.contract.ts';

const basePermissions: Permission[] = [
  'tenant.view',
  'bot.view',
  'conversation.view',
  'contact.view',
  'integration.view',
];
const developerPermissions: Permission[] = [
  'bot.manage',
  'knowledge.manage',
  'integration.manage',
  'api_key.view',
  'api_key.manage',
  'webhook.view',
  'webhook.manage',
  'session.create',
  'analytics.view',
];
const agentPermissions: Permission[] = ['conversation.reply', 'conversation.assign', 'contact.update'];
const adminPermissions: Permission[] = [
  'tenant.manage',
  'member.view',
  'member.manage',
  'contact.manage',
  'billing.view',
  'audit.view',
];

/** Owners have every permission, including new ones. Other roles have only those listed here. */
export const rolePermissions = {
  owner: new Set(Permission.options),
  admin: new Set([...basePermissions, ...developerPermissions, ...agentPermissions, ...adminPermissions]),
  developer: new Set([...basePermissions, ...developerPermissions]),
  agent: new Set([...basePermissions, ...agentPermissions]),
  viewer: new Set<Permission>([...basePermissions, 'webhook.view', 'analytics.view']),
} satisfies Record<string, ReadonlySet<Permission>>;

/** The role can invite people or create keys that outlive the membership. Granting it requires a step-up. */
export const isPrivilegedRole = (role: keyof typeof rolePermissions): boolean =>
  rolePermissions[role].has('member.manage') || rolePermissions[role].has('api_key.manage');

const operatorPermissions: PlatformPermission[] = [
  'platform.tenant.view',
  'platform.user.view',
  'platform.system.view',
];

export const platformRolePermissions = {
  platform_admin: new Set(PlatformPermission.options),
  support: new Set<PlatformPermission>([...operatorPermissions, 'platform.impersonate.request']),
  auditor: new Set<PlatformPermission>([...operatorPermissions, 'platform.audit.view']),
} satisfies Record<string, ReadonlySet<PlatformPermission>>;

/** The union of the permissions of all roles. Unknown roles have none. */
export const permissionsOf = <P>(matrix: Record<string, ReadonlySet<P>>, roles: readonly string[]): ReadonlySet<P> =>
  new Set(roles.flatMap((role) => (Object.hasOwn(matrix, role) ? [...(matrix[role] ?? [])] : [])));
