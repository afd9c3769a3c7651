import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { Contact } from '../contacts/contacts.contract.ts';
import { Channel, Language } from '../usage/outcomes/outcomes.contract.ts';

export const State = z.enum(['bot', 'waiting_human', 'human', 'closed']);
export type State = z.infer<typeof State>;

export const Citation = z.object({
  n: z.int().describe('The number in the text, such as [1].'),
  title: z.string(),
  heading: z.string(),
  url: z.string().nullable(),
  documentId: idOf('knowledgeDocument'),
});
export type Citation = z.infer<typeof Citation>;

export const Finish = z.enum(['complete', 'length', 'cut', 'stopped']);

/** A message from a visitor, the bot, an agent or the system. */
export const Message = z
  .object({
    id: idOf('message'),
    seq: z.int(),
    role: z.enum(['visitor', 'bot', 'agent', 'system']),
    text: z.string().describe('Markdown if sent by the bot or an agent; plain text if sent by the visitor.'),
    clientMessageId: z.string().nullable(),
    turnId: idOf('turn').nullable(),
    agent: z.object({ id: z.string(), name: z.string() }).nullable(),
    citations: z.array(Citation),
    isAnswer: z
      .boolean()
      .nullable()
      .describe(
        'For replies of the bot: whether an answer was found. null for other messages, and for replies to messages that are not questions.',
      ),
    isHandoffOffered: z.boolean(),
    finish: Finish.nullable().describe(
      'For bot messages: `cut` if the model stopped early, `stopped` if the visitor stopped it.',
    ),
    createdAt: z.date(),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

export const Turn = z
  .object({
    id: idOf('turn'),
    status: z.enum(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']),
    mode: z.enum(['extractive', 'model', 'fallback']).nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;

export const SendMessage = z.strictObject({
  sessionToken: z.string().min(1).max(4_000),
  message: z.string().trim().min(1).max(4_000),
  clientMessageId: z
    .string()
    .regex(/^[\w.:-]{1,80}$/)
    .optional()
    .describe('Your id for this message. Sending the same id again returns the first response and doesn’t ask twice.'),
  context: z
    .strictObject({
      pageUrl: z
        .url({ protocol: /^https?$/ })
        .max(2_000)
        .optional(),
      language: z.string().max(35).optional(),
      name: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe('What an anonymous visitor entered before the chat. Not verified.'),
      email: z
        .string()
        .trim()
        .max(254)
        .regex(/^[^\s@]+@[^\s@]+$/, 'Use an email address.')
        .optional()
        .describe('What an anonymous visitor entered before the chat. Not verified.'),
    })
    .optional(),
});
export type SendMessage = z.infer<typeof SendMessage>;

export const SentMessage = z.object({
  conversationId: idOf('conversation'),
  message: Message,
  reply: Message.nullable().describe('null while waiting for an agent, or while the turn is running.'),
  turn: Turn.nullable(),
});

export const ConversationId = z.object({ id: idOf('conversation') });
export const BotId = z.object({ botId: z.string().min(1).max(80) });

const seq = z.coerce.number().int().min(0).max(2_000_000_000);
export const FollowQuery = z.strictObject({
  after: seq.default(0).describe('The last `id` you received.'),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(25)
    .default(0)
    .describe('Without a stream: seconds to wait for something new.'),
});
export const SeqQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  before: seq.optional().describe('Messages before this position, newest first.'),
});
export const Messages = z.object({ data: z.array(Message), before: z.int().nullable() });
/** As shown to staff. */
export const StaffMessage = Message.extend({
  isNote: z.boolean().describe('Internal note. Never shown to the visitor.'),
}).meta({ id: 'StaffMessage' });
export const StaffMessages = z.object({ data: z.array(StaffMessage), before: z.int().nullable() });

/** One entry of a conversation's log, as streams show it. */
export const LogEntry = z
  .object({ seq: z.int(), type: z.string(), data: z.record(z.string(), z.unknown()), createdAt: z.date() })
  .meta({ id: 'ConversationEvent' });
export type LogEntry = z.infer<typeof LogEntry>;
export const LogEntries = z.object({ data: z.array(LogEntry), lastSeq: z.int() });

export const Rate = z.strictObject({
  rating: z.int().min(1).max(5).optional(),
  comment: z.string().trim().max(1_000).optional(),
  messageId: idOf('message').optional().describe('Set this to rate a single answer.'),
  isHelpful: z.boolean().optional(),
});
export type Rate = z.infer<typeof Rate>;
export const AskForPerson = z.strictObject({ reason: z.string().trim().max(500).default('') });

const runId = z.string().min(1).max(80);
const argsHash = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 hash in hexadecimal.');

/** What the visitor must confirm before an action runs: the data of `confirmation.required` in the log. */
export const Confirmation = z.object({
  runId,
  argsHash,
  title: z.string().min(1).max(200),
  fields: z.array(z.object({ label: z.string().max(100), value: z.string().max(2_000) })).max(50),
  confirmLabel: z.string().min(1).max(60).optional(),
  expiresAt: z.iso.datetime(),
});

/** The visitor's response, and the data of `confirmation.answered`. */
export const AnswerConfirmation = z.strictObject({
  runId,
  argsHash: argsHash.describe('Hash of what was shown to the visitor. If it differs, the confirmation is rejected.'),
  isConfirmed: z.boolean(),
});
export type AnswerConfirmation = z.infer<typeof AnswerConfirmation>;

export const Conversation = z
  .object({
    id: idOf('conversation'),
    environmentId: idOf('environment'),
    botId: idOf('bot'),
    versionId: idOf('botVersion'),
    visitorId: idOf('visitor').nullable(),
    contactId: idOf('contact').nullable(),
    state: State,
    assigneeId: z.string().nullable(),
    teamId: idOf('team').nullable(),
    isTest: z.boolean(),
    lastSeq: z.int(),
    messageCount: z.int(),
    preview: z.string(),
    rating: z.int().nullable(),
    pageUrl: z.string().nullable(),
    channel: Channel.describe('`website` if it started on a page, `api` if your backend sent the first message.'),
    language: z
      .string()
      .describe('Of the page on which it started; otherwise as detected in the first message. `und` if unknown.'),
    tags: z.array(z.string()),
    waitingSince: z
      .date()
      .nullable()
      .describe('Since when the visitor has been waiting for an agent: to accept the conversation, or to reply.'),
    snoozedUntil: z.date().nullable().describe('Out of the inbox until then, or until the visitor writes.'),
    lastMessageAt: z.date(),
    closedAt: z.date().nullable(),
    createdAt: z.date(),
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

const Assignee = z.object({
  id: z.string(),
  name: z.string().describe('Empty for a former member or an API key.'),
});

/** The other side of a conversation, as staff see it. */
export const Person = z
  .object({
    id: z.string().describe('Of the contact, otherwise of the visitor. Empty after erasure.'),
    name: z.string().describe('The best name known: name, email address, or a made-up one such as “Amber Otter”.'),
    email: z.string().nullable(),
    isKnown: z.boolean().describe('Whether `name` is a real name or email address.'),
    isVerified: z.boolean().describe('Whether your backend authenticated the person.'),
  })
  .meta({ id: 'ConversationPerson' });
export type Person = z.infer<typeof Person>;

/** As shown in lists. */
export const ConversationRow = Conversation.extend({
  person: Person,
  assignee: Assignee.nullable(),
  visitorPreview: z.string().describe('Start of the visitor’s last message.'),
  isUnread: z.boolean().describe('Whether the visitor wrote something that no agent has read.'),
}).meta({ id: 'ConversationRow' });
export type ConversationRow = z.infer<typeof ConversationRow>;

export const OneConversation = z.object({ conversation: Conversation });
export const ConversationDetails = z.object({
  conversation: ConversationRow.extend({
    visitorReadSeq: z.int().describe('The last position in the log that the visitor has read.'),
  }),
  contact: Contact.nullable().describe('The user, as authenticated by your backend.'),
  visitor: z
    .object({
      label: z.string().describe('The name your page set. Not verified.'),
      name: z.string().nullable().describe('Entered by the visitor before the chat. Not verified.'),
      email: z.string().nullable().describe('Entered by the visitor before the chat. Not verified.'),
      createdAt: z.date(),
    })
    .nullable()
    .describe('null after erasure.'),
  assignee: Assignee.nullable(),
});
const own = Conversation.pick({ id: true, state: true, lastSeq: true });
export const OwnConversation = z.object({ conversation: own });
export const Identify = z.strictObject({
  visitorToken: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe('Of the anonymous session in the same browser. Without it, nothing is merged.'),
});
export const OwnConversationIfAny = z.object({ conversation: own.nullable() });
export const OwnConversations = z.object({
  data: z.array(own.extend(Conversation.pick({ preview: true, rating: true, lastMessageAt: true }).shape)),
});
export const Conversations = Page(ConversationRow);

/** Filters of a list, which a view can save. */
export const ConversationFilters = z.strictObject({
  state: State.optional(),
  botId: idOf('bot').optional(),
  environmentId: idOf('environment').optional(),
  assigneeId: z.string().max(80).optional().describe('A member, or `me`.'),
  teamId: idOf('team').optional(),
  contactId: idOf('contact').optional(),
  isOpen: z.stringbool().optional().describe('true: requested or claimed by an agent, and not closed.'),
  isWaiting: z.stringbool().optional().describe('true: the visitor is waiting for an agent.'),
  isUnassigned: z.stringbool().optional().describe('true: without an assignee.'),
  isSnoozed: z.stringbool().optional(),
  tag: z.string().trim().min(1).max(40).optional(),
  includeTests: z.stringbool().default(false),
  rating: z.coerce.number().int().min(1).max(5).optional(),
  channel: Channel.optional(),
  language: Language.optional(),
  since: z.iso.datetime().optional().describe('Last message at or after this time.'),
  until: z.iso.datetime().optional().describe('Last message before this time.'),
  q: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Search terms, all of which must match; the last one may be incomplete. You can also search for a contact’s name, email address or external id, or a conversation id.',
    ),
});

export const ListConversations = ListQuery.extend({
  ...ConversationFilters.shape,
  sort: z
    .enum(['newest', 'waiting'])
    .default('newest')
    .describe('`newest`: by the last message. `waiting`: those waiting longest first, then by the last message.'),
});
export type ListConversations = z.infer<typeof ListConversations>;

export const Reply = z.strictObject({
  text: z.string().trim().min(1).max(8_000),
  clientMessageId: SendMessage.shape.clientMessageId,
});
export const Note = z.strictObject({ text: z.string().trim().min(1).max(8_000) });
export const Claim = z.strictObject({
  assigneeId: idOf('user').optional().describe('Assign to someone else. Requires `conversation.assign`.'),
});
export const OneMessage = z.object({ message: Message });

const ExportedVisitor = z.object({
  id: z.string(),
  label: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  createdAt: z.date(),
});
const ExportedConversation = Conversation.extend({
  messages: z.array(Message),
  actions: z
    .array(
      z.object({
        title: z.string(),
        state: z.string(),
        args: z.unknown(),
        output: z.unknown(),
        createdAt: z.date(),
      }),
    )
    .describe('Actions that were run or requested for you.'),
});
export const Export = z.object({
  exportedAt: z.date(),
  visitor: ExportedVisitor.nullable(),
  contact: Contact.nullable(),
  mergedVisitors: z.array(ExportedVisitor).describe('Anonymous visitors who turned out to be this contact.'),
  conversations: z.array(ExportedConversation),
});
/** For the visitor, whose page can read it: without what the tenant and its team note about them. */
export const OwnExport = Export.extend({
  contact: Contact.omit({ attributes: true, tags: true }).nullable(),
  conversations: z.array(ExportedConversation.omit({ tags: true, assigneeId: true, teamId: true, snoozedUntil: true })),
});
export const ErasureReceipt = z.object({
  receiptId: z.string().describe('Identifies this erasure in the audit log. Keep it for reference.'),
  conversations: z.int(),
  messages: z.int(),
});
