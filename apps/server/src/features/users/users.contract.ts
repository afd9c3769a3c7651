import { z } from 'zod';
import { Permission } from '../../platform/access.contract.ts';
import { idOf } from '../../platform/ids.contract.ts';
import { Locale } from '../accounts/accounts.contract.ts';
import { EntitlementSet } from '../entitlements/entitlements.contract.ts';

export const Me = z
  .object({
    tenantId: idOf('tenant'),
    tenantName: z.string(),
    plan: z.string(),
    actor: z.object({ type: z.enum(['user', 'api_key', 'operator']), id: z.string() }),
    userId: idOf('user').nullable().describe('null when a server key asks.'),
    email: z.string().nullable(),
    name: z.string().nullable(),
    locale: z.string().nullable().describe('Their language. null where another issuer, or a key, is asked.'),
    roles: z.array(z.string()),
    permissions: z.array(Permission),
    mfaEnabled: z.boolean().nullable().describe('null where another issuer, or a key, is asked.'),
    impersonation: z
      .object({ operatorName: z.string(), reason: z.string(), expiresAt: z.date() })
      .nullable()
      .describe('While an operator of this service acts in your place.'),
    entitlements: EntitlementSet.describe(
      'What your plan includes. A permission without its entitlement opens nothing.',
    ),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;

export const ChangeMe = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .regex(/^[^\n\r]*$/, 'One line, please.')
    .optional(),
  locale: Locale.unwrap().optional().describe('Of the portal and of letters to you.'),
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
