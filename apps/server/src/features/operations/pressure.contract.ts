import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

export const AskPressure = z.strictObject({
  hours: z.coerce.number().int().min(1).max(48).default(24).describe('How far back refusals are counted.'),
});

const tenant = { tenantId: idOf('tenant').nullable(), tenantName: z.string().nullable() };

export const Pressure = z
  .object({
    refusals: z
      .array(z.object({ ...tenant, policy: z.string(), refused: z.int() }))
      .nullable()
      .describe('The most refused first, at most fifty. null: Valkey is away, which counts them.'),
    budgets: z
      .array(
        z.object({
          ...tenant,
          plan: z.string(),
          limit: z.enum(['messages.per_month', 'model_spend.per_day']),
          period: z.string().describe('The first day of it.'),
          used: z.number().describe('Messages, or US dollars.'),
          reserved: z.number().describe('Set aside for what runs now.'),
          allowed: z.number(),
          percent: z.int(),
        }),
      )
      .describe('Those who have used four fifths or more, the nearest to their limit first, at most a hundred.'),
  })
  .meta({ id: 'Pressure' });
export type Pressure = z.infer<typeof Pressure>;
