import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/db.ts';
import { orNotFound } from '../../../platform/errors.ts';
import { readCursor, toPage } from '../../../platform/lists.ts';
import type { DeliveryStatus } from '../log/deliveries.contract.ts';
import * as log from '../log/deliveries.store.ts';
import { hintOf } from '../delivery/hints.ts';
import type { SupportedDelivery, SupportedEndpoint } from './support.contract.ts';
import * as store from './support.store.ts';
import { find, list, type Endpoint } from '../endpoints/webhooks.store.ts';
import { hostOf, problemSince, describeStatus, withHostsOnly } from '../endpoints/labels.ts';

// A tenant's endpoints and deliveries as operators see them, without content. Doesn't import bots, so that features used by
// bots can import it.

const endpointOf = async (tx: Tx, id: string) => orNotFound('webhook', await find(tx, id));
export const tenantNameOf = async ({ tx }: Context) => orNotFound('tenant', await store.findTenant(tx)).name;

export async function supportedEndpoint(
  ctx: Context,
  tenantName: string,
  id: string,
): Promise<SupportedEndpoint | undefined> {
  const endpoint = await find(ctx.tx, id);
  return endpoint && describe(ctx, tenantName, endpoint);
}

async function describe({ tx, tenantId }: Context, tenantName: string, endpoint: Endpoint): Promise<SupportedEndpoint> {
  const { id, url, status, lastFailureAt } = endpoint;
  return {
    tenantId,
    tenantName,
    id,
    host: hostOf(url),
    status,
    since: problemSince(endpoint),
    why: describeStatus(endpoint),
    ...(await store.queueStats(tx, id)),
    lastFailureAt,
    lastFailureStatus: lastFailureAt === null ? null : await lastFailureStatus(tx, id),
  };
}

async function lastFailureStatus(tx: Tx, webhookId: string): Promise<number | null> {
  const recent = await log.list(tx, { webhookId, status: undefined, before: undefined, limit: 20 });
  const attempts = recent.flatMap((row) => row.log).filter(({ outcome }) => outcome === 'failed');
  return attempts.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]?.status ?? null;
}

export function supportedDelivery(
  { tenantId }: Context,
  tenantName: string,
  endpoint: Endpoint,
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
  const found = await list(ctx.tx, { status: undefined, before: undefined, limit: 100 });
  const described: SupportedEndpoint[] = [];
  for (const endpoint of found) described.push(await describe(ctx, tenantName, endpoint));
  return described;
}

export async function getEndpoint(ctx: Context, webhookId: string) {
  const tenantName = await tenantNameOf(ctx);
  const endpoint = await endpointOf(ctx.tx, webhookId);
  const { eventTypes, health, lastSuccessAt, autoRecover, createdAt } = endpoint;
  return {
    endpoint: {
      ...(await describe(ctx, tenantName, endpoint)),
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
