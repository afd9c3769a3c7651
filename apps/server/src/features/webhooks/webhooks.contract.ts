import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../platform/lists.contract.ts';

const url = z.url({ protocol: /^https$/, error: 'Use a URL that starts with https://.' }).max(2_048);
const description = z.string().trim().max(200);
const botIds = z.array(idOf('bot')).max(100).describe('Only events about these bots, or about no bot. Empty: all.');
const environmentId = idOf('environment')
  .nullable()
  .describe('Only events about this environment, or about none. null: all.');

/** Headers that we set ourselves, or that change how the request is framed. */
const reservedHeader =
  /^(x-service-.*|webhook-.*|idempotency-key|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|user-agent|accept-encoding|traceparent)$/i;
const headers = z
  .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/), z.string().regex(/^[\x20-\x7e]{0,1024}$/))
  .refine((all) => Object.keys(all).length <= 10, { error: 'Use at most 10.' })
  .refine((all) => !Object.keys(all).some((name) => reservedHeader.test(name)), {
    error: 'One of these headers is reserved.',
  })
  .describe(
    'Custom headers sent with each request, such as your own API key. Stored encrypted; only their names are shown.',
  );
const rateLimit = z.int().min(1).max(10_000).describe('Maximum requests per second.');
const Ordering = z
  .enum(['none', 'conversation'])
  .describe('`conversation`: one at a time and in order within each conversation.');

/** Only known types and patterns: a typo would otherwise go unnoticed, because no event would ever be sent. */
const eventPatterns = (patterns: readonly string[]) =>
  z
    .array(z.enum(patterns))
    .min(1)
    .max(100)
    .describe('Types, patterns such as `conversation.*`, or `*`. See `GET /webhook-event-types`.');

export const createWebhookOf = (patterns: readonly string[]) =>
  z.strictObject({
    url,
    eventTypes: eventPatterns(patterns),
    description: description.default(''),
    environmentId: environmentId.default(null),
    botIds: botIds.default([]),
    headers: headers.default({}),
    rateLimit: rateLimit.default(50),
    ordering: Ordering.default('none'),
    autoRecover: z.boolean().default(true).describe('Retry a disabled endpoint automatically.'),
  });
export type CreateWebhook = z.infer<ReturnType<typeof createWebhookOf>>;

export const updateWebhookOf = (patterns: readonly string[]) =>
  z.strictObject({
    url: url.optional(),
    eventTypes: eventPatterns(patterns).optional(),
    description: description.optional(),
    environmentId: environmentId.optional(),
    botIds: botIds.optional(),
    headers: headers.optional(),
    rateLimit: rateLimit.optional(),
    ordering: Ordering.optional(),
    autoRecover: z.boolean().optional(),
  });
export type UpdateWebhook = z.infer<ReturnType<typeof updateWebhookOf>>;

export const Status = z.enum(['active', 'failing', 'broken', 'disabled', 'paused']);
export type Status = z.infer<typeof Status>;

export const Webhook = z
  .object({
    id: idOf('webhook'),
    url: z.string(),
    description: z.string(),
    eventTypes: z.array(z.string()),
    environmentId: idOf('environment').nullable(),
    botIds: z.array(idOf('bot')),
    headerNames: z.array(z.string()),
    rateLimit: z.int(),
    ordering: Ordering,
    autoRecover: z.boolean(),
    status: Status.describe('All states except `active` and `failing` queue new events; nothing is dropped.'),
    disabledReason: z.enum(['failures', 'gone', 'receiver']).nullable(),
    health: z.object({
      consecutiveFailures: z.int(),
      lastSuccessAt: z.date().nullable(),
      lastFailureAt: z.date().nullable(),
      nextProbeAt: z.date().nullable().describe('When a broken or disabled endpoint is tried next.'),
      waiting: z.int().describe('Deliveries that are due, waiting for a retry, or queued.'),
    }),
    secretHint: z.string().describe('First eight hex digits of the SHA-256 of the newest secret.'),
    previousSecretExpiresAt: z.date().nullable(),
    hasInboundSecret: z.boolean(),
    isListenedTo: z.boolean().describe('Someone is currently fetching its events with `parley listen`.'),
    createdAt: z.date(),
    createdBy: z.string(),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookId = z.object({ webhookId: idOf('webhook') });
export const OneWebhook = z.object({ webhook: Webhook });
export const Webhooks = Page(Webhook);
export const ListWebhooks = ListQuery.extend({ status: Status.optional() });

const secret = z.string().describe('Shown only once.');
export const CreatedWebhook = OneWebhook.extend({ secret });
export const RotateSecret = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(604_800)
    .default(86_400)
    .describe('How long requests are signed with both secrets.'),
  force: z
    .boolean()
    .default(false)
    .describe('Rotate even if an earlier rotation is in progress: its oldest secret stops working now.'),
});
export const RotatedSecret = CreatedWebhook.extend({ previousExpiresAt: z.date() });
