import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

const count = z.int().nonnegative();

export const Erasure = z
  .object({
    id: idOf('erasure'),
    tenantHash: z.string().describe('SHA-256 of the id that the tenant had, in hex. Nothing else of it is kept.'),
    requestedBy: z.enum(['owner', 'operator', 'unknown']),
    deletedAt: z.date(),
    beganAt: z.date(),
    erasedAt: z.date().nullable().describe('null while it is under way.'),
    counts: z.object({
      rows: z.record(z.string(), count).describe('By table.'),
      people: count.describe('Accounts that belonged to no other tenant.'),
      invocations: count.describe('Calls in Restate, with their journals.'),
      states: count.describe('States of objects in Restate.'),
      keys: count.describe('Keys in Valkey.'),
    }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof Erasure>;
export const OneErasure = z.object({ erasure: Erasure });
export const ErasureId = z.object({ id: idOf('erasure') });
export const Erasures = Page(Erasure);
export const ListErasures = ListQuery.extend({
  tenantId: idOf('tenant').optional().describe('The id that a tenant had.'),
});
