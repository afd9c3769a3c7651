import type { Schemas } from '@parley/portal-kit/service';

// What the service decides is said here in words only: who has a permission. It is never a gate.

export type Me = Schemas['OperatorMe'];
export type Permission = Me['permissions'][number];

const everybody = ['Platform admin', 'Support', 'Auditor'];
const holders: Record<Permission, string[]> = {
  'platform.tenant.view': everybody,
  'platform.tenant.manage': ['Platform admin'],
  'platform.user.view': everybody,
  'platform.user.manage': ['Platform admin'],
  'platform.impersonate.request': ['Platform admin', 'Support'],
  'platform.audit.view': ['Platform admin', 'Auditor'],
  'platform.system.view': everybody,
  'platform.system.manage': ['Platform admin'],
};

/** As the service names it in its refusal. */
export const permissionIn = (message = ''): string => /'(platform\.[a-z_.]+)'/.exec(message)?.[1] ?? '';

/** "the Platform admin or Auditor role" */
export const rolesWith = (permission: string): string => {
  const roles = holders[permission as Permission];
  return roles ? `the ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(roles)} role` : 'a different role';
};

export const may = (me: Me, permission: Permission): boolean => me.permissions.includes(permission);

/** Why somebody cannot do this, to be said where the button is; undefined when they can. */
export const whyNot = (me: Me, permission: Permission): string | undefined =>
  may(me, permission) ? undefined : `Requires ${rolesWith(permission)}.`;
