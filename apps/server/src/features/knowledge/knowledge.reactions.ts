import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { sendOptions, type RestateClient } from '../../platform/restate-client.ts';
import { clearTimer, type TimerHandlers } from '../../platform/timers.ts';
import { isSyncing, syncTimer } from './knowledge.service.ts';
import { read } from './knowledge.store.ts';
import { knowledgeSourceObject } from './ingest/knowledge.interface.ts';

const clientFor = (restate: RestateClient, tenantId: Id<'tenant'>, sourceId: string) =>
  restate.sendClient(knowledgeSourceObject, `${tenantId}/${sourceId}`);

const plans = new Set(['knowledge.synced', 'knowledge.failed', 'knowledge.updated']);

/**
 * Starts requested syncs and schedules planned ones. The event id is the idempotency key, so redelivery has no effect.
 */
export const syncKnowledge =
  (restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { id, type, subjectId: sourceId, body, traceparent } of events) {
      const options = { idempotencyKey: id, traceparent };
      if (type === 'knowledge.sync_requested')
        await clientFor(restate, tenantId, sourceId).sync({ tenantId, sourceId, syncId: id }, sendOptions(options));
      if (!plans.has(type)) continue;
      const { data } = JSON.parse(body) as { data: { object: { sync: { nextSyncAt: string | null } } } };
      const { nextSyncAt: at } = data.object.sync;
      if (at === null) continue;
      const delayMs = Math.max(0, new Date(at).getTime() - Date.now());
      await clientFor(restate, tenantId, sourceId).due(
        { tenantId, sourceId, at },
        sendOptions({ ...options, delayMs }),
      );
    }
  };

/** For the sweeper: restarts syncs that Restate has lost or ended. */
export const overdueKnowledge = (services: Services, restate: RestateClient): TimerHandlers => ({
  [syncTimer]: async ({ tenantId, subjectId: sourceId, callKey: idempotencyKey }) => {
    const source = await inTenant(services, asSystem(tenantId, 'sweeper'), async (ctx) => {
      const found = await read(ctx.tx, sourceId);
      const isOver = !found || (!isSyncing(found) && !found.nextSyncAt);
      if (isOver) await clearTimer(ctx, syncTimer, sourceId);
      return isOver ? undefined : found;
    });
    if (!source) return;
    const { syncId, nextSyncAt } = source;
    if (isSyncing(source) && syncId)
      await clientFor(restate, tenantId, sourceId).sync(
        { tenantId, sourceId, syncId },
        sendOptions({ idempotencyKey }),
      );
    else if (nextSyncAt) {
      const delayMs = Math.max(0, nextSyncAt.getTime() - Date.now()); // may run early when a suspended tenant is reactivated
      const call = { tenantId, sourceId, at: nextSyncAt.toISOString() };
      await clientFor(restate, tenantId, sourceId).due(call, sendOptions({ delayMs, idempotencyKey }));
    }
  },
});
