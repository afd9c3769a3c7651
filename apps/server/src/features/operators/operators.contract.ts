import { z } from 'zod';
import { PlatformPermission } from '../../platform/access.contract.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { Email, Locale } from '../accounts/accounts.contract.ts';

export const PlatformRole = z.enum(['platform_admin', 'support', 'auditor']);
export type PlatformRole = z.infer<typeof PlatformRole>;

const assignedRoles = z
  .array(PlatformRole)
  .min(1)
  .max(PlatformRole.options.length)
  .refine((roles) => new Set(roles).size === roles.length, 'List each role only once.')
  .meta({ uniqueItems: true, description: 'Permissions of several roles add up.' });
const roles = z.array(PlatformRole).describe('In alphabetical order. Always empty for customers.');

const pool = z.enum(['customer', 'admin']).describe('`customer`: users of tenants. `admin`: operators.');
const reason = z.string().trim().min(3).max(500);

export const OperatorMe = z
  .object({
    userId: idOf('user'),
    email: z.string(),
    name: z.string(),
    roles,
    permissions: z.array(PlatformPermission),
    mfaEnabled: z.boolean().nullable().describe('null if you sign in through an external issuer.'),
  })
  .meta({ id: 'OperatorMe' });

export const Person = z
  .object({
    userId: idOf('user'),
    pool,
    email: z.string(),
    name: z.string(),
    roles,
    isDisabled: z.boolean().describe('Cannot sign in.'),
    mfaEnabled: z.boolean().describe('Two-factor authentication is on.'),
    createdAt: z.date(),
  })
  .meta({ id: 'Person' });
export type Person = z.infer<typeof Person>;

export const PersonId = z.object({ id: idOf('user') });
export const OnePerson = z.object({ user: Person });
export const OnePersonWithTenants = z.object({
  user: Person.extend({ tenantIds: z.array(idOf('tenant')).describe('Tenants they are a member of, up to 100.') }),
});
export const People = Page(Person);
export const PoolQuery = z.strictObject({ pool: pool.default('customer') });
export const ListPeople = ListQuery.extend({
  pool: pool.default('customer'),
  email: z.string().max(254).optional().describe('The full email address. Not case-sensitive.'),
});
export type ListPeople = z.infer<typeof ListPeople>;

export const CreateOperator = z.strictObject({
  email: Email,
  name: z.string().trim().min(1).max(120),
  roles: assignedRoles,
  locale: Locale,
});
export type CreateOperator = z.infer<typeof CreateOperator>;
export const ChangeOperator = z.strictObject({ roles: assignedRoles });

export const DisablePerson = z.strictObject({ pool, reason: reason.describe('Recorded in the pool’s audit log.') });
export const PoolInput = z.strictObject({ pool });

export const TenantId = z.object({ id: idOf('tenant') });
export const Impersonate = z.strictObject({
  userId: idOf('user').describe('The member to impersonate.'),
  reason: reason.describe('Visible to the member and their tenant.'),
});
export type Impersonate = z.infer<typeof Impersonate>;
export const Impersonation = z
  .object({
    accessToken: z.string().describe('Send it as `Authorization: Bearer …`. It can’t be refreshed.'),
    expiresIn: z.int().describe('Seconds until it expires.'),
    sessionId: idOf('session'),
    tenantId: idOf('tenant'),
    userId: idOf('user'),
  })
  .meta({ id: 'Impersonation' });
export const ImpersonationId = z.object({ sessionId: idOf('session') });

export const PoolAuditEntry = z
  .object({
    id: idOf('auditEntry'),
    action: z.string(),
    userId: z.string().nullable().describe('The user it is about. null if no account has that email address.'),
    actor: z.object({ type: z.enum(['user', 'api_key', 'operator', 'system', 'visitor']), id: z.string() }),
    ip: z.string().nullable(),
    requestId: z.string().nullable(),
    data: z.unknown(),
    createdAt: z.date(),
  })
  .meta({ id: 'PoolAuditEntry' });
export type PoolAuditEntry = z.infer<typeof PoolAuditEntry>;
export const PoolAuditEntries = Page(PoolAuditEntry);
export const ListPoolAuditEntries = ListQuery.extend({
  pool: pool.default('admin'),
  userId: idOf('user').optional().describe('The user it is about.'),
  action: z.string().max(80).optional(),
  since: z.iso.datetime().optional().describe('At or after this time.'),
  until: z.iso.datetime().optional().describe('Before this time.'),
});
export type ListPoolAuditEntries = z.infer<typeof ListPoolAuditEntries>;
