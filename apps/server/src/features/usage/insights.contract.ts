import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { UsageQuery } from './usage.contract.ts';

export const InsightsQuery = UsageQuery;

const figures = z.object({
  messages: z.int().describe('From visitors.'),
  conversations: z.int().describe('Begun.'),
  handedOff: z.int().describe('Conversations that a person was asked for, or took on, for the first time.'),
  answered: z.int().describe('Questions that the bot had an answer to.'),
  unanswered: z.int().describe('Questions that it had none to. What a visitor stopped is in neither.'),
  closed: z.int().describe('Times that a conversation was closed.'),
  ratings: z.object({
    count: z.int().describe('Conversations that got one. A rating that is changed counts where it was given first.'),
    average: z.number().nullable(),
  }),
  helpful: z.object({ up: z.int(), down: z.int() }).describe('Replies that a visitor said this of: their last word.'),
  responseMs: z
    .object({ average: z.int().nullable(), p50: z.int().nullable(), p95: z.int().nullable() })
    .describe(
      'From a visitor’s message to the end of the bot’s reply. The percentiles are reckoned from a dozen buckets, up to a minute.',
    ),
  spend: z.number().describe('In US dollars, by the prices of the models.'),
});

export const Insights = z
  .object({
    days: z.array(figures.extend({ day: z.iso.date(), botId: idOf('bot') })),
    total: figures.extend({
      resolutionRate: z
        .number()
        .nullable()
        .describe(
          'The share of conversations that the bot carried alone: 1 − those that were handed off or had a question without an answer, each counted once and on the day it first happened, / those begun. null without conversations.',
        ),
    }),
    topSources: z
      .array(
        z.object({
          sourceId: idOf('knowledgeSource'),
          name: z.string(),
          citations: z.int().describe('Replies that cite it.'),
        }),
      )
      .describe('Those cited most, at most ten. One that was deleted is not among them.'),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof Insights>;

export const UnansweredQuery = ListQuery.extend(UsageQuery.shape);
export type UnansweredQuery = z.infer<typeof UnansweredQuery>;

export const UnansweredQuestion = z
  .object({
    botId: idOf('bot'),
    question: z.string().describe('As it was asked last, at most 300 characters.'),
    times: z.int(),
    lastAskedAt: z.date(),
    conversationId: idOf('conversation').describe('One in which it was asked.'),
  })
  .meta({ id: 'UnansweredQuestion' });
export const UnansweredQuestions = Page(UnansweredQuestion);
