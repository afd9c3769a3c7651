import type { Context } from '../../../platform/context.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import * as deliveries from '../log/deliveries.service.ts';
import { getDelivery, nameOf } from './views.ts';
import * as store from './support.store.ts';
import { deliveryReplayed } from '../webhooks.events.ts';
import type { Wake } from '../endpoints/webhooks.service.ts';

// What operators do for a tenant: it reads their name and the reason in its audit log.

export async function replayOne(ctx: Context, webhookId: string, deliveryId: string, reason: string, wake: Wake) {
  await nameOf(ctx);
  const { delivery } = await deliveries.replayDelivery(ctx, webhookId, deliveryId, wake);
  const object = { id: delivery.id, webhookId: delivery.webhookId, eventId: delivery.eventId, replayOf: deliveryId };
  await emit(ctx, deliveryReplayed, webhookId, { object, reason });
  return getDelivery(ctx, webhookId, delivery.id);
}

export async function replayRange(
  ctx: Context,
  webhookId: string,
  wanted: { since: Date; until: Date; status: string[]; reason: string },
) {
  await nameOf(ctx);
  const { replay } = await deliveries.startReplay(ctx, webhookId, wanted);
  return getReplay(ctx, webhookId, replay.id);
}

export async function getReplay(ctx: Context, webhookId: string, replayId: string) {
  await nameOf(ctx);
  return { replay: orNotFound('replay', await store.findReplay(ctx.tx, webhookId, replayId)) };
}
