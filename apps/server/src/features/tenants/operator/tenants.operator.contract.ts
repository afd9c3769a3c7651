import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';
import { AuditEntry } from '../../audit/audit.contract.ts';
import { PlanName } from '../../entitlements/entitlements.contract.ts';
import { Invitation, Member } from '../../members/members.contract.ts';
import { OneTenant, Tenant, TenantStatus } from '../tenants.contract.ts';

export const ListTenants = ListQuery.extend({
  query: z
    .string()
    .trim()
    .min(1)
    .max(254)
    .optional()
    .describe(
      'Search by name, by id (at least its first 8 characters), by key hint or its last four characters, by an allowed domain of a bot, or by a member’s email address (at least its first 3 characters). Returns the best 25 matches, without further pages.',
    ),
  status: TenantStatus.optional(),
  plan: PlanName.optional(),
});
export type ListTenants = z.infer<typeof ListTenants>;

export const TenantHit = Tenant.omit({ apiVersion: true })
  .extend({
    foundBy: z
      .array(z.object({ kind: z.enum(['id', 'key', 'domain', 'member', 'name']), text: z.string() }))
      .describe('What matched your query, up to five. Empty without a query.'),
  })
  .meta({ id: 'TenantHit' });
export type TenantHit = z.infer<typeof TenantHit>;
export const TenantHits = Page(TenantHit);

const ActorWithEmail = AuditEntry.shape.actor.extend({
  email: z.string().nullable().describe('If the account still exists.'),
});
export type ActorWithEmail = z.infer<typeof ActorWithEmail>;

export const InspectedTenant = OneTenant.extend({
  overview: z.object({
    owners: z.array(Member.pick({ userId: true, email: true, name: true, isDisabled: true })),
    ownerInvitation: Invitation.nullable().describe(
      'An owner invitation that was not accepted yet, even if it has expired.',
    ),
    members: z.int(),
    bots: z.int().describe('Excluding archived ones.'),
    lastActivityAt: z.date().nullable().describe('The last message from a visitor, or change by a member or key.'),
    state: z
      .object({ since: z.date(), reason: z.string().nullable(), by: ActorWithEmail })
      .nullable()
      .describe('When, why and by whom its status was set. null if it never changed.'),
    erasedAfter: z.date().nullable().describe('For a deleted tenant: until then it can be restored.'),
  }),
}).meta({ id: 'InspectedTenant' });

const value = z.union([z.string(), z.number()]).nullable();
export const TenantChange = z
  .object({
    id: idOf('auditEntry'),
    action: z.string(),
    actor: ActorWithEmail,
    reason: z.string().nullable(),
    changes: z
      .array(z.object({ name: z.string(), from: value, to: value }))
      .describe('null: not set, so the plan’s value applied.'),
    requestId: z.string().nullable(),
    createdAt: z.date(),
  })
  .meta({ id: 'TenantChange' });
export type TenantChange = z.infer<typeof TenantChange>;
export const TenantChanges = Page(TenantChange);

export const UsageDays = z.strictObject({
  days: z.coerce.number().int().min(1).max(400).default(30).describe('Number of days, ending today.'),
});

export const TenantMembers = Page(
  Member.extend({ lastSeenAt: z.date().nullable().describe('In this tenant, as far as sessions are kept.') }).meta({
    id: 'TenantMember',
  }),
);

export const TenantAuditEntries = Page(
  AuditEntry.omit({ data: true }).extend({ actor: ActorWithEmail }).meta({ id: 'TenantAuditEntry' }),
);

const cappedCount = z.int().describe('Counted up to 10,000.');
export const SuspensionEffects = z
  .object({
    liveBots: z.int().describe('Deployed, and neither paused nor archived.'),
    widgetKeys: z.int(),
    serverKeys: z.int(),
    endpoints: z.int().describe('Webhook endpoints that are not disabled.'),
    waitingEndpoints: z.int().describe('Endpoints with pending deliveries.'),
    waitingDeliveries: cappedCount,
    openConversations: cappedCount,
    runningSyncs: z.int(),
    members: z.int().describe('Members who can currently sign in.'),
  })
  .meta({ id: 'SuspensionEffects' });
export type SuspensionEffects = z.infer<typeof SuspensionEffects>;
