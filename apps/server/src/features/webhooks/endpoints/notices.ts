import type { Context } from '../../../platform/context.ts';
import { emit } from '../../../platform/events.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { listMembersWithPermission } from '../../members/index.ts';
import type { Evaluation } from './health.ts';
import type { Claimed } from '../delivery/queue.store.ts';
import { showOne } from './views.ts';
import * as events from '../webhooks.events.ts';
import type { Endpoint } from './webhooks.store.ts';

export const noticeEmail = 'webhook-notice';

/** With the change that it tells of, in one transaction: so it is told, and told once. */
export async function publishEvaluation(ctx: Context, endpoint: Endpoint, { news, emails }: Evaluation): Promise<void> {
  if (news.length === 0 && emails.length === 0) return;
  const object = await showOne(ctx, endpoint);
  const { health } = endpoint;
  const failing = {
    since: new Date(health.failingSince ?? ctx.now),
    attempts: health.failures,
    eventId: health.last?.eventId ?? '',
    problem: health.last?.problem ?? '',
  };
  for (const one of news) {
    if (one === 'recovered') await emit(ctx, events.webhookRecovered, endpoint.id, { object });
    else {
      const event = one === 'failing' ? events.webhookFailing : events.webhookDisabled;
      await emit(ctx, event, endpoint.id, { object, failing });
    }
  }
  if (emails.length === 0) return;
  const recipients = await listMembersWithPermission(ctx, 'webhook.manage');
  for (const kind of emails) {
    const told = {
      kind,
      url: endpoint.url,
      since: failing.since.toISOString(),
      problem: failing.problem,
      waiting: object.health.waiting,
    };
    for (const { email } of recipients) await queueEmail(ctx.tx, noticeEmail, email, told);
  }
}

/** How many of the events are named: enough to find them. */
const named = 10;

export async function publishExhausted(ctx: Context, endpoint: Endpoint, givenUp: readonly Pick<Claimed, 'eventId'>[]) {
  if (givenUp.length === 0) return;
  await emit(ctx, events.webhookExhausted, endpoint.id, {
    object: await showOne(ctx, endpoint),
    deliveries: givenUp.length,
    eventIds: givenUp.slice(0, named).map(({ eventId }) => eventId),
  });
}
