import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';
import { AuditEntry, ListAuditEntries } from '../../audit/audit.contract.ts';
import { ListPoolAuditEntries } from '../operators.contract.ts';

const ActorType = AuditEntry.shape.actor.shape.type;

/** Without `data`, which belongs to the tenant. */
export const TenantAuditEntry = AuditEntry.omit({ data: true, actor: true })
  .extend({
    tenantId: idOf('tenant'),
    tenantName: z.string().nullable().describe('null after erasure.'),
    actor: z.object({
      type: ActorType,
      id: z.string(),
      email: z.string().nullable().describe('If the person is known.'),
    }),
  })
  .meta({ id: 'CrossTenantAuditEntry' });
export type TenantAuditEntry = z.infer<typeof TenantAuditEntry>;

export const TenantAuditEntries = Page(TenantAuditEntry).describe(
  'A page can be short or empty and still have a next one: a fixed number of entries is scanned at a time.',
);
export const ListTenantAuditEntries = ListAuditEntries.extend({
  tenantId: idOf('tenant').optional(),
  actorType: ActorType.optional(),
});
export type ListTenantAuditEntries = z.infer<typeof ListTenantAuditEntries>;

const cursor = ListQuery.shape.cursor.describe('`nextCursor` from the previous part. Leave it out to start an export.');
export const ExportTenantAudit = ListTenantAuditEntries.omit({ limit: true }).extend({ cursor });
export type ExportTenantAudit = z.infer<typeof ExportTenantAudit>;
export const ExportPoolAudit = ListPoolAuditEntries.omit({ limit: true }).extend({ cursor });
export type ExportPoolAudit = z.infer<typeof ExportPoolAudit>;
