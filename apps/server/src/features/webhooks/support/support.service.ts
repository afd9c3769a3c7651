import type { Context } from '../../../platform/context.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/events.ts';
import * as deliveries from '../log/deliveries.service.ts';
import { getDelivery, tenantNameOf } from './views.ts';
import * as store from './support.store.ts';
import { deliveryReplayed } from '../webhooks.events.ts';

// What operators do for a tenant. The tenant's audit log records the operator and the reason.

export async function replayOne(ctx: Context, webhookId: string, deliveryId: string, reason: string) {
  await tenantNameOf(ctx);
  const { delivery } = await deliveries.replayDelivery(ctx, webhookId, deliveryId);
  const object = { id: delivery.id, webhookId: delivery.webhookId, eventId: delivery.eventId, replayOf: deliveryId };
  await emit(ctx, deliveryReplayed, webhookId, { object, reason });
  return getDelivery(ctx, webhookId, delivery.id);
}

export async function replayRange(
  ctx: Context,
  webhookId: string,
  input: { since: Date; until: Date; status: string[]; reason: string },
) {
  await tenantNameOf(ctx);
  const { replay } = await deliveries.startReplay(ctx, webhookId, input);
  return getReplay(ctx, webhookId, replay.id);
}

export async function getReplay(ctx: Context, webhookId: string, replayId: string) {
  await tenantNameOf(ctx);
  return { replay: orNotFound('replay', await store.findReplay(ctx.tx, webhookId, replayId)) };
}
