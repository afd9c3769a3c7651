import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery } from '../../platform/lists.contract.ts';

export const AuditEntry = z
  .object({
    id: idOf('auditEntry'),
    eventId: idOf('event'),
    action: z.string().describe('What was done, as an event type.'),
    subjectId: z.string().describe('What it was done to.'),
    actor: z.object({
      type: z.enum(['user', 'api_key', 'operator', 'system', 'visitor', 'contact', 'bot']),
      id: z.string(),
    }),
    requestId: z.string().nullable(),
    data: z.unknown(),
    createdAt: z.date(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const ListAuditEntries = ListQuery.extend({
  action: z.string().max(80).optional(),
  subjectId: z.string().max(80).optional(),
  actorId: z.string().max(80).optional(),
  since: z.iso.datetime().optional().describe('At or after this time.'),
  until: z.iso.datetime().optional().describe('Before this time.'),
});
export type ListAuditEntries = z.infer<typeof ListAuditEntries>;
