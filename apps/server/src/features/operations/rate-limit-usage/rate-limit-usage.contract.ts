import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';

export const ListRateLimitUsage = z.strictObject({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(48)
    .default(24)
    .describe('Period over which rate-limited requests are counted.'),
});

const tenant = { tenantId: idOf('tenant').nullable(), tenantName: z.string().nullable() };

export const RateLimitUsage = z
  .object({
    refusals: z
      .array(z.object({ ...tenant, policy: z.string(), refused: z.int() }))
      .nullable()
      .describe('Most rate-limited first, up to 50. null: Valkey, which counts them, is unavailable.'),
    budgets: z
      .array(
        z.object({
          ...tenant,
          plan: z.string(),
          limit: z.enum(['messages.per_month', 'model_spend.per_day']),
          period: z.string().describe('Its first day.'),
          used: z.number().describe('In messages or US dollars.'),
          reserved: z.number().describe('Reserved for work in progress.'),
          allowed: z.number(),
          percent: z.int(),
        }),
      )
      .describe('Budgets that are at least 80 % used, highest share first, up to 100.'),
  })
  .meta({ id: 'RateLimitUsage' });
export type RateLimitUsage = z.infer<typeof RateLimitUsage>;
