import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { AuditEntry } from '../audit/audit.contract.ts';
import { PlanName } from '../entitlements/entitlements.contract.ts';
import { Invitation, Member } from '../members/members.contract.ts';
import { OneTenant, Tenant, TenantStatus } from './tenants.contract.ts';

// What operators see of tenants.

export const ListTenants = ListQuery.extend({
  query: z
    .string()
    .trim()
    .min(1)
    .max(254)
    .optional()
    .describe(
      'Words of the name; the id, or at least 8 characters of its beginning; a key as it is shown, or its last four characters; a domain that a bot may appear on; the address of a member, or at least 3 characters of its beginning. The best 25 are shown, without a next page.',
    ),
  status: TenantStatus.optional(),
  plan: PlanName.optional(),
});
export type ListTenants = z.infer<typeof ListTenants>;

export const TenantHit = Tenant.omit({ apiVersion: true })
  .extend({
    foundBy: z
      .array(z.object({ kind: z.enum(['id', 'key', 'domain', 'member', 'name']), text: z.string() }))
      .describe('What of it is like your query, at most five. Empty without one.'),
  })
  .meta({ id: 'TenantHit' });
export type TenantHit = z.infer<typeof TenantHit>;
export const TenantHits = Page(TenantHit);

const Who = AuditEntry.shape.actor.extend({
  email: z.string().nullable().describe('Of a person whose account is still there.'),
});
export type Who = z.infer<typeof Who>;

export const InspectedTenant = OneTenant.extend({
  overview: z.object({
    owners: z.array(Member.pick({ userId: true, email: true, name: true, isDisabled: true })),
    ownerInvitation: Invitation.nullable().describe('To somebody who has not come yet, also if it has expired.'),
    members: z.int(),
    bots: z.int().describe('Without archived ones.'),
    lastActivityAt: z.date().nullable().describe('The last message of a visitor, or change by a member or a key.'),
    state: z
      .object({ since: z.date(), reason: z.string().nullable(), by: Who })
      .nullable()
      .describe('How it came to its status. null if it always had it.'),
    erasedAfter: z.date().nullable().describe('Of a deleted tenant: until then it can be restored.'),
  }),
}).meta({ id: 'InspectedTenant' });

const value = z.union([z.string(), z.number()]).nullable();
export const TenantChange = z
  .object({
    id: idOf('auditEntry'),
    action: z.string(),
    actor: Who,
    reason: z.string().nullable(),
    changes: z
      .array(z.object({ name: z.string(), from: value, to: value }))
      .describe('null for a value that is not set: what the plan gives holds.'),
    requestId: z.string().nullable(),
    createdAt: z.date(),
  })
  .meta({ id: 'TenantChange' });
export type TenantChange = z.infer<typeof TenantChange>;
export const TenantChanges = Page(TenantChange);

export const UsageDays = z.strictObject({
  days: z.coerce.number().int().min(1).max(400).default(30).describe('How many, today the last.'),
});

export const TenantMembers = Page(
  Member.extend({ lastSeenAt: z.date().nullable().describe('In this tenant, as far as sessions are kept.') }).meta({
    id: 'TenantMember',
  }),
);

export const TenantAuditEntries = Page(
  AuditEntry.omit({ data: true }).extend({ actor: Who }).meta({ id: 'TenantAuditEntry' }),
);

const atMost = z.int().describe('Counted to 10,000.');
export const SuspensionEffects = z
  .object({
    liveBots: z.int().describe('Deployed somewhere, and neither paused nor archived.'),
    widgetKeys: z.int(),
    serverKeys: z.int(),
    endpoints: z.int().describe('Webhook endpoints that are not off.'),
    waitingEndpoints: z.int().describe('Those of them with deliveries that wait.'),
    waitingDeliveries: atMost,
    openConversations: atMost,
    runningSyncs: z.int(),
    members: z.int().describe('Who could sign in until now.'),
  })
  .meta({ id: 'SuspensionEffects' });
export type SuspensionEffects = z.infer<typeof SuspensionEffects>;
