import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/db.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import type { DeliveryStatus } from '../log/deliveries.contract.ts';
import * as log from '../log/deliveries.store.ts';
import { hintOf } from '../delivery/hints.ts';
import type { SupportedDelivery, SupportedEndpoint } from './support.contract.ts';
import * as store from './support.store.ts';
import { find, type Endpoint } from '../endpoints/webhooks.store.ts';
import { hostOf, problemSince, describeStatus, withHostsOnly } from '../endpoints/labels.ts';

// A tenant's endpoints and deliveries as operators see them, without content. Doesn't import bots, so that features used by
// bots can import it.

const endpointOf = async (tx: Tx, id: string) => orNotFound('webhook', await find(tx, id));
export const tenantNameOf = async ({ tx }: Context) => orNotFound('tenant', await store.findTenant(tx)).name;

/** These endpoints of the tenant, without those that were deleted. */
export async function supportedEndpoints(
  ctx: Context,
  tenantName: string,
  ids: readonly string[],
): Promise<SupportedEndpoint[]> {
  const found = await store.endpointsWithQueue(ctx.tx, { ids, limit: ids.length });
  return found.map((endpoint) => describe(ctx, tenantName, endpoint));
}

function describe({ tenantId }: Context, tenantName: string, endpoint: store.EndpointWithQueue): SupportedEndpoint {
  const { id, url, status, waiting, oldestWaitingAt, lastFailureAt, lastFailureStatus } = endpoint;
  return {
    tenantId,
    tenantName,
    id,
    host: hostOf(url),
    status,
    since: problemSince(endpoint),
    why: describeStatus(endpoint),
    waiting,
    oldestWaitingAt,
    lastFailureAt,
    lastFailureStatus,
  };
}

export function supportedDelivery(
  { tenantId }: Context,
  tenantName: string,
  endpoint: Pick<Endpoint, 'url' | 'status'>,
  { log: attempts, position: _position, conversationId: _conversation, ...row }: log.DeliveryRow,
): SupportedDelivery {
  const last = attempts.at(-1);
  return {
    ...row,
    tenantId,
    tenantName,
    host: hostOf(endpoint.url),
    isHeld: row.status === 'pending' && endpoint.status !== 'active' && endpoint.status !== 'failing',
    lastStatus: last?.status ?? null,
    hint: last ? withHostsOnly(last.hint ?? hintOf(null, last.error)) : null,
  };
}

/** The newest hundred. */
export async function endpointsOfTenant(ctx: Context): Promise<SupportedEndpoint[]> {
  const tenantName = await tenantNameOf(ctx);
  const found = await store.endpointsWithQueue(ctx.tx, { limit: 100 });
  return found.map((endpoint) => describe(ctx, tenantName, endpoint));
}

export async function getEndpoint(ctx: Context, webhookId: string) {
  const tenantName = await tenantNameOf(ctx);
  const { eventTypes, health, lastSuccessAt, autoRecover, createdAt } = await endpointOf(ctx.tx, webhookId);
  const [described] = await supportedEndpoints(ctx, tenantName, [webhookId]);
  return {
    endpoint: {
      ...orNotFound('webhook', described),
      eventTypes,
      consecutiveFailures: health.failures,
      lastSuccessAt,
      nextProbeAt: health.probeAt ? new Date(health.probeAt) : null,
      autoRecover,
      createdAt,
      replays: await store.lastReplays(ctx.tx, webhookId),
    },
  };
}

export async function listDeliveries(
  ctx: Context,
  webhookId: string,
  { status, cursor, limit }: { status?: DeliveryStatus | undefined; cursor?: string | undefined; limit: number },
) {
  const tenantName = await tenantNameOf(ctx);
  const endpoint = await endpointOf(ctx.tx, webhookId);
  const rows = await log.list(ctx.tx, { webhookId, status, before: readCursor(cursor), limit: limit + 1 });
  return toPage(
    rows.map((row) => supportedDelivery(ctx, tenantName, endpoint, row)),
    limit,
  );
}

export async function getDelivery(ctx: Context, webhookId: string, deliveryId: string) {
  const tenantName = await tenantNameOf(ctx);
  const endpoint = await endpointOf(ctx.tx, webhookId);
  const row = orNotFound('delivery', await log.find(ctx.tx, webhookId, deliveryId));
  const attempts = row.log.map(({ response: _response, ...attempt }) => ({
    ...attempt,
    hint: withHostsOnly(attempt.hint ?? hintOf(null, attempt.error)),
  }));
  const isReplayable = (await log.bodyOf(ctx.tx, row.eventId)) !== null;
  return { delivery: { ...supportedDelivery(ctx, tenantName, endpoint, row), log: attempts, isReplayable } };
}
