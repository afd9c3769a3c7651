import type { Schemas } from '@parley/portal-kit/service';

export type Person = Schemas['Person'];
export type Pool = Person['pool'];
export type Role = Person['roles'][number];

export const isPool = (value: string | null | undefined): value is Pool => value === 'customer' || value === 'admin';

export const roleWords: Record<Role, { word: string; about: string }> = {
  platform_admin: { word: 'Platform admin', about: 'Everything, also managing people and tenants.' },
  support: { word: 'Support', about: 'Looks at everything, and acts in the place of a member with a reason.' },
  auditor: { word: 'Auditor', about: 'Looks at everything and at the audit log, and changes nothing.' },
};
export const roles = Object.keys(roleWords) as Role[];
