import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

export const UsageQuery = z.strictObject({
  from: z.iso.date().optional().describe('First day, in UTC. Defaults to one month ago.'),
  to: z.iso.date().optional(),
  botId: idOf('bot').optional(),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

const amounts = z.object({
  messages: z.int().describe('From visitors.'),
  turns: z.int(),
  modelTurns: z.int().describe('Turns answered by a model.'),
  tokensIn: z.int(),
  tokensOut: z.int(),
  spend: z.number().describe('In US dollars, based on model prices.'),
});
const allowance = z.object({ used: z.number(), reserved: z.number(), allowed: z.number(), period: z.iso.date() });

export const Usage = z
  .object({
    days: z.array(amounts.extend({ day: z.iso.date(), botId: idOf('bot') })),
    total: amounts,
    messagesThisMonth: allowance,
    modelSpendToday: allowance,
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;
