import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';

export const ListBusiestTenants = z.strictObject({
  by: z
    .enum(['messages', 'deliveries', 'model_spend'])
    .default('messages')
    .describe('Visitors’ messages, attempts to deliver webhooks, or the cost of models in US dollars.'),
  hours: z.coerce.number().int().min(1).max(48).default(24).describe('Period that is counted.'),
});
export type ListBusiestTenants = z.infer<typeof ListBusiestTenants>;

export const BusiestTenants = z
  .object({
    tenants: z
      .array(
        z.object({
          tenantId: idOf('tenant'),
          tenantName: z.string().nullable().describe('null: the tenant has been erased.'),
          value: z.number(),
        }),
      )
      .nullable()
      .describe('Busiest first, up to 50. null: Valkey, which counts, is unavailable.'),
  })
  .meta({ id: 'BusiestTenants' });
export type BusiestTenants = z.infer<typeof BusiestTenants>;
