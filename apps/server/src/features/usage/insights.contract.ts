import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { UsageQuery } from './usage.contract.ts';

export const InsightsQuery = UsageQuery;

const figures = z.object({
  messages: z.int().describe('From visitors.'),
  conversations: z.int().describe('Conversations started.'),
  handedOff: z.int().describe('Conversations handed off for the first time: an agent was requested or claimed it.'),
  answered: z.int().describe('Questions the bot answered.'),
  unanswered: z.int().describe('Questions the bot could not answer. Replies that a visitor stopped count as neither.'),
  closed: z.int().describe('Number of times a conversation was closed.'),
  ratings: z.object({
    count: z.int().describe('Rated conversations. A changed rating counts on the day it was first given.'),
    average: z.number().nullable(),
  }),
  helpful: z.object({ up: z.int(), down: z.int() }).describe('Replies rated helpful, by the visitor’s latest rating.'),
  responseMs: z
    .object({ average: z.int().nullable(), p50: z.int().nullable(), p95: z.int().nullable() })
    .describe(
      'From a visitor’s message to the end of the bot’s reply. Percentiles are estimated from twelve buckets, up to one minute.',
    ),
  spend: z.number().describe('In US dollars, based on model prices.'),
});

export const Insights = z
  .object({
    days: z.array(figures.extend({ day: z.iso.date(), botId: idOf('bot') })),
    total: figures,
    previous: figures
      .extend({ from: z.iso.date(), to: z.iso.date() })
      .describe('The total of the period of the same length right before.'),
    topSources: z
      .array(
        z.object({
          sourceId: idOf('knowledgeSource'),
          name: z.string(),
          citations: z.int().describe('Replies that cite it.'),
        }),
      )
      .describe('Most cited sources, up to ten. Excludes deleted sources.'),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof Insights>;

export const UnansweredQuery = ListQuery.extend(UsageQuery.shape);
export type UnansweredQuery = z.infer<typeof UnansweredQuery>;

export const UnansweredQuestion = z
  .object({
    botId: idOf('bot'),
    question: z.string().describe('As last asked, up to 300 characters.'),
    times: z.int(),
    lastAskedAt: z.date(),
    conversationId: idOf('conversation').describe('A conversation in which it was asked.'),
  })
  .meta({ id: 'UnansweredQuestion' });
export const UnansweredQuestions = Page(UnansweredQuestion);
