import type { Schemas } from '@parley/portal-kit/service';

// Labels only: which roles have a permission. The service enforces it.

export type Me = Schemas['OperatorMe'];
export type Permission = Me['permissions'][number];

const allRoles = ['Platform admin', 'Support', 'Auditor'];
const holders: Record<Permission, string[]> = {
  'platform.tenant.view': allRoles,
  'platform.tenant.manage': ['Platform admin'],
  'platform.user.view': allRoles,
  'platform.user.manage': ['Platform admin'],
  'platform.impersonate.request': ['Platform admin', 'Support'],
  'platform.audit.view': ['Platform admin', 'Auditor'],
  'platform.system.view': allRoles,
  'platform.system.manage': ['Platform admin'],
};

/** The role as the service names it in errors. */
export const permissionIn = (message = ''): string => /'(platform\.[a-z_.]+)'/.exec(message)?.[1] ?? '';

/** "the Platform admin or Auditor role" */
export const rolesWith = (permission: string): string => {
  const roles = holders[permission as Permission];
  return roles ? `the ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(roles)} role` : 'a different role';
};

export const hasPermission = (me: Me, permission: Permission): boolean => me.permissions.includes(permission);

/** Why the operator can't do this, shown at the button; undefined if they can. */
export const denialReason = (me: Me, permission: Permission): string | undefined =>
  hasPermission(me, permission) ? undefined : `Requires ${rolesWith(permission)}.`;
