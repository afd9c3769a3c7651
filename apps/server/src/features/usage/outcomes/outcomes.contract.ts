import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';
import { UsageQuery } from '../usage.contract.ts';

export const Outcome = z.enum(['resolved_confirmed', 'resolved_assumed', 'handed_off', 'abandoned']);
export type Outcome = z.infer<typeof Outcome>;

export const Channel = z.enum(['website', 'api']);
export type Channel = z.infer<typeof Channel>;

/** `und` is the standard code for a language that is not known. */
export const Language = z.string().regex(/^(?:[a-z]{2}|und)$/, 'Must be a language code such as `en`.');

const definitions = {
  conversations: 'Conversations started in the period. Equals the sum of the five counts below.',
  open: 'Neither closed nor silent for 24 hours. Its outcome is decided then.',
  resolvedConfirmed:
    'No agent joined or was requested in vain, and the visitor said that it helped: a rating of 4 or 5 or, without a clear rating, a thumbs-up for the last answer.',
  resolvedAssumed:
    'No agent joined, the bot answered the last question, and the visitor did not say otherwise: no rating of 1 or 2, and no thumbs-down for the last answer.',
  handedOff: 'An agent joined: claimed the conversation or sent a message.',
  abandoned:
    'No agent joined, and the visitor left without help: the last question has no answer, nothing was asked, an agent was requested but none came, or the visitor said that it did not help. A request in vain counts more than any rating, unless the bot has answered another question since.',
  cameBack:
    'Conversations after which the same visitor started another one with the bot within 7 days of the last message. Counted in addition to the outcome.',
} as const;

const duration = z.object({
  count: z.int(),
  average: z.int().nullable().describe('In milliseconds.'),
  p50: z.int().nullable().describe('In milliseconds, estimated from buckets up to three days.'),
  p95: z.int().nullable(),
});

const figures = z.object({
  conversations: z.int().describe(definitions.conversations),
  open: z.int().describe(definitions.open),
  resolvedConfirmed: z.int().describe(definitions.resolvedConfirmed),
  resolvedAssumed: z.int().describe(definitions.resolvedAssumed),
  handedOff: z.int().describe(definitions.handedOff),
  abandoned: z.int().describe(definitions.abandoned),
  cameBack: z.int().describe(definitions.cameBack),
  resolutionRate: z
    .number()
    .nullable()
    .describe('(resolvedConfirmed + resolvedAssumed) ÷ (conversations − open). null without a decided conversation.'),
  csat: z
    .object({
      ratings: z.int().describe('Rated conversations, by their latest rating.'),
      satisfied: z.int().describe('Ratings of 4 or 5.'),
      score: z.number().nullable().describe('satisfied ÷ ratings. null without a rating.'),
    })
    .describe('Customer satisfaction.'),
});

const agentFigures = figures.extend({
  firstResponse: duration.describe('From the first handoff request to the first message of an agent after it.'),
  handling: duration.describe('From when an agent joined to the last time the conversation was closed.'),
});
export type OutcomeFigures = z.infer<typeof agentFigures>;

const timeZone = z
  .string()
  .max(60)
  .refine(isTimeZone, 'Must be an IANA time zone such as `Europe/Berlin`.')
  .default('UTC')
  .describe('For `busiestHours`. Days are always in UTC.');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

const filters = { channel: Channel.optional(), language: Language.optional() };
export const OutcomesQuery = UsageQuery.extend({ ...filters, timeZone });
export type OutcomesQuery = z.infer<typeof OutcomesQuery>;

export const Outcomes = z
  .object({
    total: agentFigures,
    previous: agentFigures
      .extend({ from: z.iso.date(), to: z.iso.date() })
      .describe('The period of the same length right before.'),
    days: z.array(figures.extend({ day: z.iso.date() })).describe('Days on which a conversation started.'),
    previousDays: z.array(figures.extend({ day: z.iso.date() })),
    bots: z.array(agentFigures.extend({ botId: idOf('bot') })).describe('Most conversations first.'),
    channels: z.array(agentFigures.extend({ channel: Channel })),
    languages: z.array(agentFigures.extend({ language: z.string() })),
    busiestHours: z.object({
      timeZone: z.string(),
      counts: z
        .array(z.array(z.int()))
        .describe('Conversations started: seven days from Monday, each with 24 hours. Counted by full hours in UTC.'),
    }),
  })
  .meta({ id: 'Outcomes' });
export type Outcomes = z.infer<typeof Outcomes>;

export const OutcomeListQuery = ListQuery.extend({
  ...UsageQuery.shape,
  ...filters,
  limit: z.coerce.number().int().min(1).max(1_000).default(25).describe('Maximum number of results.'),
});
export type OutcomeListQuery = z.infer<typeof OutcomeListQuery>;

export const ConversationOutcome = z
  .object({
    id: idOf('conversation'),
    botId: idOf('bot'),
    channel: Channel,
    language: z.string(),
    outcome: z.enum(['open', ...Outcome.options]),
    cameBack: z.boolean(),
    messageCount: z.int(),
    rating: z.int().nullable(),
    comment: z.string().nullable(),
    startedAt: z.date(),
    lastMessageAt: z.date(),
    closedAt: z.date().nullable(),
    firstResponseMs: z.int().nullable(),
    handlingMs: z.int().nullable(),
  })
  .meta({ id: 'ConversationOutcome' });
export type ConversationOutcome = z.infer<typeof ConversationOutcome>;
export const ConversationOutcomes = Page(ConversationOutcome);

export const CommentsQuery = ListQuery.extend({ ...UsageQuery.shape, ...filters });
export type CommentsQuery = z.infer<typeof CommentsQuery>;

export const RatingComment = z
  .object({
    conversationId: idOf('conversation'),
    botId: idOf('bot'),
    rating: z.int(),
    comment: z.string(),
    ratedAt: z.date(),
  })
  .meta({ id: 'RatingComment' });
export const RatingComments = Page(RatingComment);
