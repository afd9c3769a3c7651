import { Permission, PlatformPermission } from '../../platform/access.contract.ts';

const everyone: Permission[] = ['tenant.view', 'bot.view', 'conversation.view', 'integration.view'];
const building: Permission[] = [
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
const answering: Permission[] = ['conversation.reply', 'conversation.assign'];
const leading: Permission[] = ['tenant.manage', 'member.view', 'member.manage', 'billing.view', 'audit.view'];

/** Who may do what. A new permission is held by owners from the start, and by others when a line here says so. */
export const rolePermissions = {
  owner: new Set(Permission.options),
  admin: new Set([...everyone, ...building, ...answering, ...leading]),
  developer: new Set([...everyone, ...building]),
  agent: new Set([...everyone, ...answering]),
  viewer: new Set<Permission>([...everyone, 'webhook.view', 'analytics.view']),
} satisfies Record<string, ReadonlySet<Permission>>;

/** Whoever holds it can let others in, or a machine that stays when they have gone. Giving it wants a step-up. */
export const isPowerful = (role: keyof typeof rolePermissions): boolean =>
  rolePermissions[role].has('member.manage') || rolePermissions[role].has('api_key.manage');

const looking: PlatformPermission[] = ['platform.tenant.view', 'platform.user.view', 'platform.system.view'];

export const platformRolePermissions = {
  platform_admin: new Set(PlatformPermission.options),
  support: new Set<PlatformPermission>([...looking, 'platform.impersonate.request']),
  auditor: new Set<PlatformPermission>([...looking, 'platform.audit.view']),
} satisfies Record<string, ReadonlySet<PlatformPermission>>;

/** What somebody with these roles holds: the union. A role we do not know gives nothing. */
export const permissionsOf = <P>(matrix: Record<string, ReadonlySet<P>>, roles: readonly string[]): ReadonlySet<P> =>
  new Set(roles.flatMap((role) => (Object.hasOwn(matrix, role) ? [...(matrix[role] ?? [])] : [])));
