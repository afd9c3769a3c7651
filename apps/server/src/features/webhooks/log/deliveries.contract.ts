import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';
import { Webhook } from '../webhooks.contract.ts';

export const DeliveryStatus = z
  .enum(['pending', 'succeeded', 'exhausted', 'aborted', 'expired'])
  .describe(
    '`exhausted`: failed after 13 attempts. `aborted`: cancelled at the request of your endpoint. `expired`: queued for 30 days without being delivered.',
  );
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const Attempt = z
  .object({
    id: z.string().nullable(),
    number: z.int(),
    at: z.iso.datetime({ offset: true }),
    outcome: z
      .enum(['succeeded', 'failed', 'unknown', 'unsent'])
      .describe(
        '`unknown`: it may or may not have arrived. `unsent`: an error on our side, which doesn’t count as an attempt.',
      ),
    status: z.int().nullable(),
    error: z.string().nullable(),
    hint: z.string().describe('What happened and what to do.'),
    timings: z
      .object({
        dnsMs: z.number(),
        connectMs: z.number(),
        tlsMs: z.number(),
        firstByteMs: z.number(),
        totalMs: z.number(),
      })
      .nullable(),
    ip: z.string().nullable(),
    response: z.string().nullable().describe('The first KiB of your response.'),
  })
  .meta({ id: 'WebhookAttempt' });

const deliveryFields = {
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
  .object({ ...deliveryFields, lastStatus: z.int().nullable(), hint: z.string().nullable() })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof Delivery>;
export const Deliveries = Page(Delivery);
export const ListDeliveries = ListQuery.extend({ status: DeliveryStatus.optional() });

export const DeliveryId = z.object({ webhookId: idOf('webhook'), deliveryId: idOf('delivery') });
export const OneDelivery = z.object({
  delivery: Delivery.extend({
    log: z.array(Attempt),
    body: z.string().nullable().describe('The exact bytes sent. Available while the event is kept, for 30 days.'),
    curl: z.string().nullable().describe('Sends the same body to the endpoint from your machine, unsigned.'),
  }).meta({ id: 'WebhookDeliveryDetail' }),
});
export const ReplayedDelivery = z.object({ delivery: Delivery });

const timestamp = z.iso.datetime().pipe(z.coerce.date());
export const StartReplay = z
  .strictObject({
    since: timestamp,
    until: timestamp,
    status: z
      .array(DeliveryStatus.exclude(['pending']))
      .min(1)
      .max(4)
      .default(['exhausted', 'aborted', 'expired'])
      .describe('Which deliveries to replay. Defaults to those that were not delivered.'),
  })
  .refine(({ since, until }) => since < until, { path: ['until'], message: 'Must be later than `since`.' });
export const Replay = z
  .object({
    id: idOf('replay'),
    webhookId: idOf('webhook'),
    since: z.date(),
    until: z.date(),
    status: z.array(z.string()),
    state: z.enum(['running', 'done', 'cancelled']),
    queued: z.int().describe('Deliveries queued so far.'),
    createdAt: z.date(),
    finishedAt: z.date().nullable(),
  })
  .meta({ id: 'WebhookReplay' });
export type Replay = z.infer<typeof Replay>;
export const OneReplay = z.object({ replay: Replay });
export const ReplayId = z.object({ webhookId: idOf('webhook'), replayId: idOf('replay') });

export const testWebhookOf = (patterns: readonly string[]) =>
  z.strictObject({
    mode: z
      .enum(['sample', 'security'])
      .default('sample')
      .describe('`security` also sends requests that your endpoint should reject, and reports which ones it accepted.'),
    type: z.enum(patterns).default('ping').describe('The event type to send a sample of.'),
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
    .describe('Empty in `sample` mode.'),
});

export const ListEvents = z.strictObject({
  after: z
    .string()
    .max(40)
    .optional()
    .describe('`nextCursor` from an earlier page. Defaults to the oldest event kept.'),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});
export const Events = z.object({
  data: z.array(z.record(z.string(), z.unknown()).describe('The event envelope, as sent to webhooks.')),
  nextCursor: z.string().nullable().describe('Set as soon as there has been an event: use it to poll for newer ones.'),
});
