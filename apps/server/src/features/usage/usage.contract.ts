import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

export const UsageQuery = z.strictObject({
  from: z.iso.date().optional().describe('The first day, in UTC. A month back if you leave it out.'),
  to: z.iso.date().optional(),
  botId: idOf('bot').optional(),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

const amounts = z.object({
  messages: z.int().describe('From visitors.'),
  turns: z.int(),
  modelTurns: z.int().describe('Turns that a model answered.'),
  tokensIn: z.int(),
  tokensOut: z.int(),
  spend: z.number().describe('In US dollars, by the prices of the models.'),
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
