import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';
import { Webhook } from './webhooks.contract.ts';

export const DeliveryStatus = z
  .enum(['pending', 'succeeded', 'exhausted', 'aborted', 'expired'])
  .describe('`exhausted`: given up after 13 tries; `aborted`: your answer asked for it; `expired`: held for 30 days.');
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const Attempt = z
  .object({
    id: z.string().nullable(),
    number: z.int(),
    at: z.iso.datetime({ offset: true }),
    outcome: z
      .enum(['succeeded', 'failed', 'unknown', 'unsent'])
      .describe('`unknown`: we cannot know whether it arrived; `unsent`: a fault of ours, which does not count.'),
    status: z.int().nullable(),
    error: z.string().nullable(),
    hint: z.string().describe('What happened, and what to do about it.'),
    timings: z
      .object({
        dnsMs: z.number(),
        connectMs: z.number(),
        tlsMs: z.number(),
        firstByteMs: z.number(),
        totalMs: z.number(),
      })
      .nullable(),
    address: z.string().nullable(),
    response: z.string().nullable().describe('The first KiB of what you answered.'),
  })
  .meta({ id: 'WebhookAttempt' });

const head = {
  id: idOf('delivery'),
  webhookId: idOf('webhook'),
  eventId: idOf('event'),
  eventType: z.string(),
  conversationId: idOf('conversation').nullable(),
  status: DeliveryStatus,
  isReplay: z.boolean(),
  attempts: z.int(),
  nextAttemptAt: z.date().nullable(),
  createdAt: z.date(),
  finishedAt: z.date().nullable(),
};
export const Delivery = z
  .object({ ...head, lastStatus: z.int().nullable(), hint: z.string().nullable() })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof Delivery>;
export const Deliveries = Page(Delivery);
export const ListDeliveries = ListQuery.extend({ status: DeliveryStatus.optional() });

export const DeliveryId = z.object({ webhookId: idOf('webhook'), deliveryId: idOf('delivery') });
export const OneDelivery = z.object({
  delivery: Delivery.extend({
    log: z.array(Attempt),
    body: z.string().nullable().describe('The bytes that are sent, while the event is kept: 30 days.'),
    curl: z.string().nullable().describe('Sends the same body to the endpoint from your machine, unsigned.'),
  }).meta({ id: 'WebhookDeliveryDetail' }),
});
export const ReplayedDelivery = z.object({ delivery: Delivery });

const moment = z.iso.datetime().pipe(z.coerce.date());
export const StartReplay = z
  .strictObject({
    since: moment,
    until: moment,
    status: z
      .array(DeliveryStatus.exclude(['pending']))
      .min(1)
      .max(4)
      .default(['exhausted', 'aborted', 'expired'])
      .describe('Which of the log. By default those that did not arrive.'),
  })
  .refine(({ since, until }) => since < until, { path: ['until'], message: 'Later than `since`.' });
export const Replay = z
  .object({
    id: idOf('replay'),
    webhookId: idOf('webhook'),
    since: z.date(),
    until: z.date(),
    status: z.array(z.string()),
    state: z.enum(['running', 'done', 'cancelled']),
    queued: z.int().describe('Deliveries that were put into the queue so far.'),
    createdAt: z.date(),
    finishedAt: z.date().nullable(),
  })
  .meta({ id: 'WebhookReplay' });
export type Replay = z.infer<typeof Replay>;
export const OneReplay = z.object({ replay: Replay });
export const ReplayId = z.object({ webhookId: idOf('webhook'), replayId: idOf('replay') });

export const testWebhookOf = (known: readonly string[]) =>
  z.strictObject({
    mode: z
      .enum(['sample', 'security'])
      .default('sample')
      .describe('`security` also sends calls that a careful receiver refuses, and says which of them were accepted.'),
    type: z.enum(known).default('ping').describe('The event whose sample is sent.'),
  });
export const TestedWebhook = z.object({
  webhook: Webhook,
  attempt: Attempt,
  checks: z
    .array(
      z.object({
        name: z.enum(['good', 'forged', 'stale', 'repeated', 'mismatched']),
        isPassed: z.boolean(),
        status: z.int().nullable(),
        advice: z.string(),
      }),
    )
    .describe('Empty in the mode `sample`.'),
});

export const ListEvents = z.strictObject({
  after: z
    .string()
    .max(40)
    .optional()
    .describe('The `nextCursor` of an earlier page. Without it: from the oldest that is kept.'),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});
export const Events = z.object({
  data: z.array(z.record(z.string(), z.unknown()).describe('The envelope, as webhooks get it.')),
  nextCursor: z
    .string()
    .nullable()
    .describe('Never null once there was an event: ask again with it for what comes later.'),
});
