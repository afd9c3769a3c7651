import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import * as queue from '../delivery/queue.store.ts';
import { evaluate } from '../endpoints/health.ts';
import { publishEvaluation, publishExhausted } from '../endpoints/notices.ts';
import * as store from '../endpoints/webhooks.store.ts';
import type { DeliveryResult, LaneDelivery } from './endpoint-state.ts';
import { holdLanes } from './ownership.store.ts';
import { lastOf, outcomeOf, sortResults } from './results.ts';

interface Publication {
  tenantId: Id<'tenant'>;
  webhookId: string;
  results: readonly DeliveryResult[];
  /** Deliveries whose event is past retention, which can happen to replays: reported instead of retried forever. */
  missing: readonly LaneDelivery[];
  hold: { worker: string; laneCount: number; lane: number };
}

/**
 * A transaction for one endpoint, in its tenant: stores results together with the events and emails about them, so that these
 * are published exactly once. undefined: the endpoint was deleted.
 */
export const publishResults = (
  services: Services,
  { tenantId, webhookId, results, missing, hold }: Publication,
): Promise<store.Endpoint | undefined> =>
  inTenant(services, asSystem(tenantId, 'webhooks'), async (ctx) => {
    const { tx, now } = ctx;
    await holdLanes(tx, hold.worker, hold.laneCount, [hold.lane]);
    const before = await store.lock(tx, webhookId);
    if (!before) return undefined;
    const { finished, retries, exhausted } = sortResults(results, now);
    await queue.finish(tx, finished);
    await queue.retryLater(tx, retries);
    if (missing.length > 0)
      await queue.drop(
        tx,
        missing.map(({ id }) => id),
      );
    const evaluation = evaluate(before, results.map(outcomeOf), now);
    const { status, disabledReason, health } = evaluation;
    const last = lastOf(results, now);
    if (Object.keys(last).length > 0) {
      const isChanged = status !== before.status || disabledReason !== before.disabledReason;
      await store.updateState(tx, webhookId, { ...(isChanged && { status, disabledReason }), health, ...last });
    }
    const endpoint = { ...before, status, disabledReason, health };
    await publishEvaluation(ctx, endpoint, evaluation);
    await publishExhausted(ctx, endpoint, [...exhausted, ...missing]);
    return store.find(tx, webhookId);
  });
