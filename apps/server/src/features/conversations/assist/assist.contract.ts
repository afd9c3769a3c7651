import { z } from 'zod';
import { NoAnswerReason } from '../../answers/answers.contract.ts';

/** Text for an agent to read, edit and use. */
export const AssistResult = z
  .object({
    text: z.string().nullable().describe('null: see `reason`.'),
    reason: NoAnswerReason.nullable(),
    message: z.string().nullable().describe('An explanation of `reason` for people, with the next step.'),
    spend: z.number().nullable().describe('In US dollars, based on model prices. null if no model wrote a response.'),
  })
  .meta({ id: 'AssistResult' });
export type AssistResult = z.infer<typeof AssistResult>;
