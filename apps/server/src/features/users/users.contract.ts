import { z } from 'zod';
import { Permission } from '../../platform/access.contract.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { nameOf } from '../../platform/names.contract.ts';
import { Locale } from '../accounts/accounts.contract.ts';
import { EntitlementSet } from '../entitlements/entitlements.contract.ts';

export const Me = z
  .object({
    tenantId: idOf('tenant'),
    tenantName: z.string(),
    plan: z.string(),
    actor: z.object({ type: z.enum(['user', 'api_key', 'operator']), id: z.string() }),
    userId: idOf('user').nullable().describe('null for a server key.'),
    email: z.string().nullable(),
    name: z.string().nullable(),
    locale: z.string().nullable().describe('Preferred language. null for users of an external issuer and for keys.'),
    roles: z.array(z.string()),
    permissions: z.array(Permission),
    mfaEnabled: z.boolean().nullable().describe('null for users of an external issuer and for keys.'),
    refusedBy: z
      .enum(['two_factor_required', 'session_too_old', 'ip_not_allowed'])
      .nullable()
      .describe('The security policy of the tenant that denies you access to everything but your own account.'),
    impersonation: z
      .object({ operatorName: z.string(), reason: z.string(), expiresAt: z.date() })
      .nullable()
      .describe('Set while an operator of this service is impersonating you.'),
    entitlements: EntitlementSet.describe(
      'What your plan includes. A permission has no effect without its entitlement.',
    ),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;

export const ChangeMe = z.strictObject({
  name: nameOf(120).optional(),
  locale: Locale.unwrap().optional().describe('Language of the portal and of emails to you.'),
});
export type ChangeMe = z.infer<typeof ChangeMe>;

export const Profile = z
  .object({ userId: idOf('user'), email: z.string(), name: z.string(), locale: z.string() })
  .meta({ id: 'Profile' });
export type Profile = z.infer<typeof Profile>;

export const MyTenants = z.object({
  data: z.array(z.object({ tenantId: idOf('tenant'), name: z.string(), roles: z.array(z.string()) })),
  nextCursor: z.null(),
});
