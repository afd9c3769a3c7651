import { z } from 'zod';
import { PlatformPermission } from '../../platform/access.contract.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { Email, Locale } from '../accounts/accounts.contract.ts';

export const PlatformRole = z.enum(['platform_admin', 'support', 'auditor']);
export type PlatformRole = z.infer<typeof PlatformRole>;

const wantedRoles = z
  .array(PlatformRole)
  .min(1)
  .max(PlatformRole.options.length)
  .refine((roles) => new Set(roles).size === roles.length, 'Name each role once.')
  .meta({ uniqueItems: true, description: 'What they hold is the union.' });
const roles = z.array(PlatformRole).describe('In the order of the alphabet. Customers have none here.');

const pool = z.enum(['customer', 'admin']).describe('People of tenants, or people of the platform.');
const reason = z.string().trim().min(3).max(500);

export const OperatorMe = z
  .object({
    userId: idOf('user'),
    email: z.string(),
    name: z.string(),
    roles,
    permissions: z.array(PlatformPermission),
    mfaEnabled: z.boolean().nullable().describe('null where you sign in with another issuer.'),
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
    mfaEnabled: z.boolean().describe('Has a second factor here.'),
    createdAt: z.date(),
  })
  .meta({ id: 'Person' });
export type Person = z.infer<typeof Person>;

export const PersonId = z.object({ id: idOf('user') });
export const OnePerson = z.object({ user: Person });
export const OnePersonInFull = z.object({
  user: Person.extend({ tenantIds: z.array(idOf('tenant')).describe('Where they are a member: the first hundred.') }),
});
export const People = Page(Person);
export const InPool = z.strictObject({ pool: pool.default('customer') });
export const ListPeople = ListQuery.extend({
  pool: pool.default('customer'),
  email: z.string().max(254).optional().describe('The whole address; case does not matter.'),
});
export type ListPeople = z.infer<typeof ListPeople>;

export const CreateOperator = z.strictObject({
  email: Email,
  name: z.string().trim().min(1).max(120),
  roles: wantedRoles,
  locale: Locale,
});
export type CreateOperator = z.infer<typeof CreateOperator>;
export const ChangeOperator = z.strictObject({ roles: wantedRoles });

export const DisablePerson = z.strictObject({ pool, reason: reason.describe('Stands in the audit log of the pool.') });
export const WhichPool = z.strictObject({ pool });

export const TenantId = z.object({ id: idOf('tenant') });
export const Impersonate = z.strictObject({
  userId: idOf('user').describe('The member in whose place.'),
  reason: reason.describe('They and their tenant see it.'),
});
export type Impersonate = z.infer<typeof Impersonate>;
export const Impersonation = z
  .object({
    accessToken: z.string().describe('For `Authorization: Bearer …`. There is nothing to renew it with.'),
    expiresIn: z.int().describe('Seconds until it ends.'),
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
    userId: z.string().nullable().describe('Whom it is about; null where nobody of that address is known.'),
    actor: z.object({ type: z.enum(['user', 'api_key', 'operator', 'system', 'visitor']), id: z.string() }),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    data: z.unknown(),
    createdAt: z.date(),
  })
  .meta({ id: 'PoolAuditEntry' });
export type PoolAuditEntry = z.infer<typeof PoolAuditEntry>;
export const PoolAuditEntries = Page(PoolAuditEntry);
export const ListPoolAuditEntries = ListQuery.extend({
  pool: pool.default('admin'),
  userId: idOf('user').optional().describe('Whom it is about.'),
  action: z.string().max(80).optional(),
  since: z.iso.datetime().optional().describe('Not before this time.'),
  until: z.iso.datetime().optional().describe('Before this time.'),
});
export type ListPoolAuditEntries = z.infer<typeof ListPoolAuditEntries>;
