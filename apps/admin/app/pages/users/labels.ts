import type { Schemas } from '@parley/portal-kit/service';

export type Person = Schemas['Person'];
export type Pool = Person['pool'];
export type Role = Person['roles'][number];

export const isPool = (value: string | null | undefined): value is Pool => value === 'customer' || value === 'admin';

export const roleLabels: Record<Role, { label: string; description: string }> = {
  platform_admin: { label: 'Platform admin', description: 'Full access, including managing users and tenants.' },
  support: { label: 'Support', description: 'Read access, plus impersonating members with a reason.' },
  auditor: { label: 'Auditor', description: 'Read-only access, including the audit log.' },
};
export const roles = Object.keys(roleLabels) as Role[];
