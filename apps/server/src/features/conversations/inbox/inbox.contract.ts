import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { LogEntry } from '../conversations.contract.ts';

export const Tag = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(/^[^,#]+$/u, 'A tag can’t contain a comma or #.');
const tags = z.array(Tag).max(20);

export const SetTags = z.strictObject({ tags: tags.describe('Replaces all tags.') });
export const Snooze = z.strictObject({
  until: z.iso
    .datetime({ offset: true })
    .nullable()
    .describe('Up to 90 days from now. null: back to the inbox immediately.'),
});

const ids = z.array(idOf('conversation')).min(1).max(100);
export const Bulk = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('close'), ids }),
  z.strictObject({ action: z.literal('reopen'), ids }),
  z.strictObject({ action: z.literal('tag'), ids, tags: tags.min(1).describe('Added to the existing tags.') }),
  z.strictObject({ action: z.literal('untag'), ids, tags: tags.min(1) }),
  z.strictObject({ action: z.literal('assign'), ids, assigneeId: idOf('user') }),
]);
export type Bulk = z.infer<typeof Bulk>;
export const BulkResult = z.object({
  changed: z.array(idOf('conversation')),
  unchanged: z
    .array(z.object({ id: idOf('conversation'), reason: z.string() }))
    .describe('The change isn’t possible for them. The others were changed.'),
});

const count = z.int().describe('Up to 1,000.');
export const InboxCounts = z
  .object({
    waiting: count,
    unassigned: count.describe('Waiting, without an assignee. Up to 1,000.'),
    mine: count.describe('Open and assigned to you. Up to 1,000.'),
    mineWaiting: count.describe('Of these, waiting. Up to 1,000.'),
    newest: z
      .object({ conversationId: idOf('conversation'), since: z.date(), name: z.string(), text: z.string() })
      .nullable()
      .describe('The visitor who started to wait last: assigned to you, or without an assignee.'),
  })
  .meta({ id: 'InboxCounts' });
export type InboxCounts = z.infer<typeof InboxCounts>;

export const InboxChange = z.object({ conversationIds: z.array(z.string()) });
export const Tags = z.object({ data: z.array(z.object({ tag: z.string(), conversations: count })) });

export const ReadUpTo = z.strictObject({ seq: z.int().min(0).max(2_000_000_000) });
export const Noted = z.object({});

export const TimelineQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  before: z.coerce.number().int().min(0).max(2_000_000_000).optional(),
});
/** An entry as staff see it. Messages are in `data.message`. */
export const Timeline = z.object({
  data: z.array(LogEntry.extend({ isInternal: z.boolean().describe('Never shown to the visitor.') })),
  before: z.int().nullable(),
});
