import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';

const count = z.int().nonnegative();

export const Erasure = z
  .object({
    id: idOf('erasure'),
    tenantHash: z.string().describe('Hexadecimal SHA-256 of the tenant’s id. Nothing else about the tenant is kept.'),
    requestedBy: z.enum(['owner', 'operator', 'unknown']),
    deletedAt: z.date(),
    startedAt: z.date(),
    erasedAt: z.date().nullable().describe('null while in progress.'),
    counts: z.object({
      rows: z.record(z.string(), count).describe('Deleted rows, by table.'),
      people: count.describe('Deleted accounts that belonged to no other tenant.'),
      invocations: count.describe('Deleted Restate invocations, with their journals.'),
      states: count.describe('Deleted Restate object states.'),
      keys: count.describe('Deleted Valkey keys.'),
    }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof Erasure>;
export const OneErasure = z.object({ erasure: Erasure });
export const ErasureId = z.object({ id: idOf('erasure') });
export const Erasures = Page(Erasure);
export const ListErasures = ListQuery.extend({
  tenantId: idOf('tenant').optional().describe('The id of an erased tenant.'),
});
