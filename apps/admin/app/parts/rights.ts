import type { Schemas } from '@parley/portal-kit/service';

// What the service decides is said here in words only: who has a permission. It is never a gate.

export type Me = Schemas['OperatorMe'];
export type Permission = Me['permissions'][number];

const everybody = ['platform admins', 'support', 'auditors'];
const holders: Record<Permission, string[]> = {
  'platform.tenant.view': everybody,
  'platform.tenant.manage': ['platform admins'],
  'platform.user.view': everybody,
  'platform.user.manage': ['platform admins'],
  'platform.impersonate.request': ['platform admins', 'support'],
  'platform.audit.view': ['platform admins', 'auditors'],
  'platform.system.view': everybody,
  'platform.system.manage': ['platform admins'],
};

/** As the service names it in its refusal. */
export const permissionIn = (message = ''): string => /'(platform\.[a-z_.]+)'/.exec(message)?.[1] ?? '';

export const rolesWith = (permission: string): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(holders[permission as Permission] ?? ['another role']);

export const may = (me: Me, permission: Permission): boolean => me.permissions.includes(permission);

/** Why somebody cannot do this, to be said where the button is; undefined when they can. */
export const whyNot = (me: Me, permission: Permission): string | undefined =>
  may(me, permission) ? undefined : `Only ${rolesWith(permission)} can do this.`;
