import { z } from 'zod';
import { defineEvent } from '../../platform/events.ts';
import { Webhook } from './webhooks.contract.ts';

// Names are public: customers subscribe to them. Add new ones; never rename or reuse one.

const data = z.object({ object: Webhook });
const viewed = { permission: 'webhook.view' } as const;
/** With what went wrong last, so that whoever reads it need not look it up. */
const trouble = data.extend({
  failing: z.object({ since: z.date(), attempts: z.int(), eventId: z.string(), problem: z.string() }),
});

export const webhookFailing = defineEvent('webhook.failing', trouble, viewed);
export const webhookRecovered = defineEvent('webhook.recovered', data, viewed);
export const webhookDisabled = defineEvent('webhook.disabled', trouble, viewed);
export const webhookSecretRotated = defineEvent(
  'webhook.secret_rotated',
  data.extend({ previousExpiresAt: z.date() }),
  viewed,
);
/** Deliveries that were given up, one event for all that were at once. */
export const webhookExhausted = defineEvent(
  'webhook.exhausted',
  data.extend({ deliveries: z.int(), eventIds: z.array(z.string()).describe('The first ones.') }),
  viewed,
);
/** Sent to ask whether anybody is there; written to no log of the tenant's. */
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
/** An operator had one event delivered once more. */
export const deliveryReplayed = defineEvent(
  'webhook.delivery_replayed',
  z.object({
    object: z.object({ id: z.string(), webhookId: z.string(), eventId: z.string(), replayOf: z.string() }),
    reason: z.string(),
  }),
  { isPublic: false },
);
