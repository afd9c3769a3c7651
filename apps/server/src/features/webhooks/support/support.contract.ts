import { z } from 'zod';
import { idOf } from '../../../platform/ids.contract.ts';
import { ListQuery, Page } from '../../../platform/lists.contract.ts';
import { Attempt, DeliveryStatus, Replay, StartReplay } from '../log/deliveries.contract.ts';
import { Status } from '../webhooks.contract.ts';

// Endpoints and deliveries as operators see them: no URL beyond its host, no headers, and no request or response bodies.

const tenant = { tenantId: idOf('tenant'), tenantName: z.string() };
const Unhealthy = Status.exclude(['active']);

export const SupportedEndpoint = z
  .object({
    ...tenant,
    id: idOf('webhook'),
    host: z.string().describe('Host of its URL. The rest is hidden, as it may contain a secret.'),
    status: Status,
    since: z.date().nullable().describe('When the problem started, if known.'),
    why: z.string().describe('A human-readable explanation, with the last failure.'),
    waiting: z.int().describe('Pending deliveries, counted up to 1,000.'),
    oldestWaitingAt: z.date().nullable(),
    lastFailureAt: z.date().nullable(),
    lastFailureStatus: z.int().nullable().describe('Status code of the last failure. null if there was no response.'),
  })
  .meta({ id: 'SupportedEndpoint' });
export type SupportedEndpoint = z.infer<typeof SupportedEndpoint>;
export const SupportedEndpoints = Page(SupportedEndpoint);
export const ListUnhealthy = ListQuery.extend({ status: Unhealthy.optional() });
export type ListUnhealthy = z.infer<typeof ListUnhealthy>;

export const SupportedReplay = Replay.extend({
  total: z.int().describe('Deliveries in the range, counted up to 100,000.'),
}).meta({ id: 'SupportedReplay' });
export const OneSupportedEndpoint = z.object({
  endpoint: SupportedEndpoint.extend({
    eventTypes: z.array(z.string()),
    consecutiveFailures: z.int(),
    lastSuccessAt: z.date().nullable(),
    nextProbeAt: z.date().nullable(),
    autoRecover: z.boolean(),
    createdAt: z.date(),
    replays: z.array(SupportedReplay).describe('The latest five.'),
  }).meta({ id: 'SupportedEndpointDetail' }),
});

export const SupportedDelivery = z
  .object({
    ...tenant,
    id: idOf('delivery'),
    webhookId: idOf('webhook'),
    host: z.string(),
    eventId: idOf('event'),
    eventType: z.string(),
    status: DeliveryStatus,
    isHeld: z.boolean().describe('Queued until its endpoint recovers.'),
    isReplay: z.boolean(),
    attempts: z.int(),
    lastStatus: z.int().nullable(),
    hint: z.string().nullable(),
    nextAttemptAt: z.date().nullable(),
    createdAt: z.date(),
    finishedAt: z.date().nullable(),
  })
  .meta({ id: 'SupportedDelivery' });
export type SupportedDelivery = z.infer<typeof SupportedDelivery>;
export const SupportedDeliveries = Page(SupportedDelivery);
export const ListStuck = ListQuery.extend({
  state: z.enum(['held', 'exhausted']).default('held').describe('`exhausted`: failed after 13 attempts.'),
  tenantId: idOf('tenant').optional(),
});
export type ListStuck = z.infer<typeof ListStuck>;
export const ListSupportedDeliveries = ListQuery.extend({ status: DeliveryStatus.optional() });

export const OneSupportedDelivery = z.object({
  delivery: SupportedDelivery.extend({
    log: z.array(Attempt.omit({ response: true }).meta({ id: 'SupportedAttempt' })),
    isReplayable: z.boolean().describe('Its event is still kept, for 30 days.'),
  }).meta({ id: 'SupportedDeliveryDetail' }),
});

const reason = z.string().trim().min(3).max(500).describe('Recorded in the tenant’s audit log.');
export const ReplayForTenant = z.strictObject({ reason });
export const ReplayedForTenant = z.object({ delivery: SupportedDelivery });
export const ReplayRangeForTenant = StartReplay.safeExtend({ reason });
export const OneSupportedReplay = z.object({ replay: SupportedReplay });

const id = idOf('tenant');
export const EndpointOfTenant = z.object({ id, webhookId: idOf('webhook') });
export const DeliveryOfTenant = z.object({ id, webhookId: idOf('webhook'), deliveryId: idOf('delivery') });
export const ReplayOfTenant = z.object({ id, webhookId: idOf('webhook'), replayId: idOf('replay') });
