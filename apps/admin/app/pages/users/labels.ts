import type { Schemas } from '@parley/portal-kit/service';

export type Person = Schemas['Person'];
export type Pool = Person['pool'];
export type Role = Person['roles'][number];

export const isPool = (value: string | null | undefined): value is Pool => value === 'customer' || value === 'admin';

export const roleWords: Record<Role, { word: string; about: string }> = {
  platform_admin: { word: 'Platform admin', about: 'Full access, including managing users and tenants.' },
  support: { word: 'Support', about: 'Read access, plus impersonating members with a reason.' },
  auditor: { word: 'Auditor', about: 'Read-only access, including the audit log.' },
};
export const roles = Object.keys(roleWords) as Role[];
