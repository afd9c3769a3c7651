import type { Context, Services } from '../../../platform/context.ts';
import { AppError, invalid, orNotFound } from '../../../platform/errors.ts';
import { forDueTenants } from '../../../platform/due-tenants.ts';
import { eventsAfter } from '../../../platform/events.store.ts';
import { emit, readableEvents } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import type { Delivery, DeliveryStatus } from './deliveries.contract.ts';
import * as deliveries from './deliveries.store.ts';
import { hintOf } from '../delivery/hints.ts';
import { publishExhausted } from '../endpoints/notices.ts';
import { replayStarted } from '../webhooks.events.ts';
import { hintChange } from '../endpoints/webhooks.service.ts';
import * as store from '../endpoints/webhooks.store.ts';

const endpointOf = async ({ tx }: Context, id: string) => orNotFound('webhook', await store.find(tx, id));

const toDelivery = ({ log, position: _position, ...row }: deliveries.DeliveryRow): Delivery => {
  const last = log.at(-1);
  return { ...row, lastStatus: last?.status ?? null, hint: last ? (last.hint ?? hintOf(null, last.error)) : null };
};

export async function listDeliveries(
  ctx: Context,
  webhookId: string,
  { status, cursor, limit }: { status?: DeliveryStatus | undefined; cursor?: string | undefined; limit: number },
) {
  await endpointOf(ctx, webhookId);
  const rows = await deliveries.list(ctx.tx, { webhookId, status, before: readCursor(cursor), limit: limit + 1 });
  return toPage(rows.map(toDelivery), limit);
}

export async function getDelivery(ctx: Context, webhookId: string, deliveryId: string) {
  const { url } = await endpointOf(ctx, webhookId);
  const row = orNotFound('delivery', await deliveries.find(ctx.tx, webhookId, deliveryId));
  const isReadable = readableEvents(ctx.permissions).includes(row.eventType) || ctx.actor.type !== 'api_key';
  const body = isReadable ? await deliveries.bodyOf(ctx.tx, row.eventId) : null;
  const log = row.log.map((attempt) => ({ ...attempt, hint: attempt.hint ?? hintOf(null, attempt.error) }));
  return { delivery: { ...toDelivery(row), log, body, curl: body === null ? null : curlOf(url, body) } };
}

/** Quoted for a shell, so that the body can't break out. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const curlOf = (url: string, body: string) =>
  `curl -sS -X POST ${quoted(url)} -H 'content-type: application/json' --data-binary ${quoted(body)}`;

export async function replayDelivery(ctx: Context, webhookId: string, deliveryId: string) {
  await endpointOf(ctx, webhookId);
  const row = orNotFound('delivery', await deliveries.find(ctx.tx, webhookId, deliveryId));
  if ((await deliveries.bodyOf(ctx.tx, row.eventId)) === null)
    throw new AppError(
      'UNPROCESSABLE',
      'event_expired',
      'The event is older than 30 days, and its body is no longer kept.',
    );
  const id = await deliveries.replayOne(ctx.tx, row, newId('request'));
  hintChange(ctx, webhookId);
  const queued = orNotFound('delivery', await deliveries.find(ctx.tx, webhookId, id));
  return { delivery: toDelivery(queued) };
}

export async function startReplay(
  ctx: Context,
  webhookId: string,
  { since, until, status, reason }: { since: Date; until: Date; status: string[]; reason?: string },
) {
  await endpointOf(ctx, webhookId);
  const id = newId('replay');
  await deliveries.insertReplay(ctx.tx, { id, webhookId, since, until, statuses: status, createdBy: ctx.actor.id });
  // The event starts the workflow, so a replay row is never left without one.
  await emit(ctx, replayStarted, id, {
    object: { id, webhookId, since, until },
    ...(reason !== undefined && { reason }),
  });
  return getReplay(ctx, webhookId, id);
}

export const getReplay = async ({ tx }: Context, webhookId: string, id: string) => ({
  replay: orNotFound('replay', await deliveries.findReplay(tx, webhookId, id)),
});

export async function cancelReplay(ctx: Context, webhookId: string, id: string) {
  await getReplay(ctx, webhookId, id);
  await deliveries.endReplay(ctx.tx, id, 'cancelled');
  return getReplay(ctx, webhookId, id);
}

/** For polling instead of webhooks. Events have the same format as in webhook requests. */
export async function listEvents(ctx: Context, { after, limit }: { after?: string | undefined; limit: number }) {
  const position = after === undefined ? 0 : parsePosition(after);
  const events = await eventsAfter(ctx, position, limit, { types: readableEvents(ctx.permissions) });
  const last = events.at(-1)?.position ?? (after === undefined ? undefined : position);
  return {
    data: events.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    nextCursor: last === undefined ? null : Buffer.from(`p${last}`).toString('base64url'),
  };
}

function parsePosition(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (/^p\d{1,15}$/.test(text)) return Number(text.slice(1));
  throw invalid('invalid_cursor', [{ path: '/after', message: 'Send `nextCursor` exactly as it was returned.' }]);
}

/** Runs hourly. Expires deliveries that were queued for 30 days, and publishes an event for them. */
export const expireQueued = (services: Services): Promise<void> =>
  forDueTenants(services, 'webhooks', deliveries.queuedTooLong, async (ctx) => {
    const expired = Map.groupBy(await deliveries.expire(ctx.tx), ({ webhookId }) => webhookId);
    for (const [webhookId, rows] of expired) {
      const endpoint = await store.find(ctx.tx, webhookId);
      if (endpoint) await publishExhausted(ctx, endpoint, rows);
    }
    return false;
  });
