import type { Context } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { listMembersWithPermission } from '../../members/index.ts';
import type { Evaluation } from './health.ts';
import type { ClaimedDelivery } from '../delivery/queue.store.ts';
import { toWebhook } from './views.ts';
import * as events from '../webhooks.events.ts';
import type { Endpoint } from './webhooks.store.ts';

export const noticeEmail = 'webhook-notice';

/** Runs in the transaction of the status change, so that events and emails are sent exactly once. */
export async function publishEvaluation(
  ctx: Context,
  endpoint: Endpoint,
  { statusChanges, emails }: Evaluation,
): Promise<void> {
  if (statusChanges.length === 0 && emails.length === 0) return;
  const object = await toWebhook(ctx, endpoint);
  const { health } = endpoint;
  const failing = {
    since: new Date(health.failingSince ?? ctx.now),
    attempts: health.failures,
    eventId: health.last?.eventId ?? '',
    problem: health.last?.problem ?? '',
  };
  for (const one of statusChanges) {
    if (one === 'recovered') await emit(ctx, events.webhookRecovered, endpoint.id, { object });
    else {
      const event = one === 'failing' ? events.webhookFailing : events.webhookDisabled;
      await emit(ctx, event, endpoint.id, { object, failing });
    }
  }
  if (emails.length === 0) return;
  const recipients = await listMembersWithPermission(ctx, 'webhook.manage');
  for (const kind of emails) {
    const data = {
      kind,
      url: endpoint.url,
      since: failing.since.toISOString(),
      problem: failing.problem,
      waiting: object.health.waiting,
    };
    for (const { email } of recipients) await queueEmail(ctx.tx, noticeEmail, email, data);
  }
}

const maxListedEvents = 10;

export async function publishExhausted(
  ctx: Context,
  endpoint: Endpoint,
  exhausted: readonly Pick<ClaimedDelivery, 'eventId'>[],
) {
  if (exhausted.length === 0) return;
  await emit(ctx, events.webhookExhausted, endpoint.id, {
    object: await toWebhook(ctx, endpoint),
    deliveries: exhausted.length,
    eventIds: exhausted.slice(0, maxListedEvents).map(({ eventId }) => eventId),
  });
}
