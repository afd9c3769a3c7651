import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Webhook } from './webhooks.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

const data = z.object({ object: Webhook });
const viewable = { permission: 'webhook.view' } as const;
/** Includes the last failure, so that subscribers don't have to fetch it. */
const failureData = data.extend({
  failing: z.object({ since: z.date(), attempts: z.int(), eventId: z.string(), problem: z.string() }),
});

export const webhookFailing = defineEvent('webhook.failing', failureData, viewable);
export const webhookRecovered = defineEvent('webhook.recovered', data, viewable);
export const webhookDisabled = defineEvent('webhook.disabled', failureData, viewable);
export const webhookSecretRotated = defineEvent(
  'webhook.secret_rotated',
  data.extend({ previousExpiresAt: z.date() }),
  viewable,
);
/** Deliveries that failed for good: one event for each batch. */
export const webhookExhausted = defineEvent(
  'webhook.exhausted',
  data.extend({ deliveries: z.int(), eventIds: z.array(z.string()).describe('The first ones.') }),
  viewable,
);
/** Sent to check that an endpoint responds. Not stored as an event. */
defineEvent('ping', z.object({ object: z.object({ webhookId: z.string() }) }), { permission: 'webhook.manage' });

/** For the audit log only. */
export const webhookCreated = defineEvent('webhook.created', data, { isPublic: false });
export const webhookUpdated = defineEvent('webhook.updated', data, { isPublic: false });
/** Without the secret. */
export const webhookInboundSecretCreated = defineEvent('webhook.inbound_secret_created', data, { isPublic: false });
export const webhookDeleted = defineEvent('webhook.deleted', data, { isPublic: false });
/** Starts the work: see replay.workflow.ts. */
export const replayStarted = defineEvent(
  'webhook.replay_started',
  z.object({
    object: z.object({ id: z.string(), webhookId: z.string(), since: z.date(), until: z.date() }),
    reason: z.string().optional().describe('The reason given by an operator who did this for the tenant.'),
  }),
  { isPublic: false },
);
/** An operator replayed a delivery. */
export const deliveryReplayed = defineEvent(
  'webhook.delivery_replayed',
  z.object({
    object: z.object({ id: z.string(), webhookId: z.string(), eventId: z.string(), replayOf: z.string() }),
    reason: z.string(),
  }),
  { isPublic: false },
);
