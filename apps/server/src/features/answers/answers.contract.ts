import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ModelName } from '../bots/bot-content.contract.ts';
import { AskBot, DraftAnswer } from '../knowledge/knowledge.contract.ts';

export const BotId = z.object({ id: idOf('bot') });

export const AskModel = AskBot.extend({
  models: z.array(ModelName).min(1).max(4).optional().describe('Tried in this order. Defaults to those of the draft.'),
});
export type AskModel = z.infer<typeof AskModel>;

export const NoAnswerReason = z.enum([
  'no_answer',
  'model_missing',
  'budget_spent',
  'timeout',
  'unavailable',
  'rate_limited',
  'refused',
  'invalid_response',
]);
export type NoAnswerReason = z.infer<typeof NoAnswerReason>;

export const AskedModel = z
  .object({
    answer: DraftAnswer.nullable().describe('What the model writes now. null: see `reason`.'),
    reason: NoAnswerReason.nullable().describe('Why there is no answer; null if there is one.'),
    message: z.string().nullable().describe('An explanation of `reason` for people, with the next step.'),
    spend: z.number().nullable().describe('In US dollars, based on model prices. null if no model wrote a response.'),
  })
  .meta({ id: 'AskedModel' });
export type AskedModel = z.infer<typeof AskedModel>;

export const BotModels = z.object({
  data: z
    .array(z.object({ id: ModelName, name: z.string() }).meta({ id: 'BotModel' }))
    .describe('`default` is the deployment’s model; the others are your own, up to 100.'),
});
