import { asSystem, inTenant, type Ground } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { askObject, type Engine } from '../../platform/restate.ts';
import { setTimer, type TimerHandlers } from '../../platform/timers.ts';
import { webhookTimer } from './pump.ts';
import { askAwake } from './queue.store.ts';
import { setAwake } from './webhooks.store.ts';

export const wakeEndpoint = (engine: Engine, tenantId: Id<'tenant'>, webhookId: string, traceparent?: string | null) =>
  askObject(
    engine,
    { object: 'WebhookEndpoint', key: `${tenantId}/${webhookId}`, handler: 'drain', traceparent },
    { tenantId, webhookId },
  );

/** If the engine loses the call, another event may ask again after this, and the sweeper in any case. */
const askedSeconds = 30;

/** Once for a burst: an endpoint that is awake, or was just asked, finds the rows by itself. */
export const wakeEndpoints =
  (ground: Ground, engine: Engine): Subscriber =>
  async (tenantId, events) => {
    const [first] = events.filter(({ isPublic }) => isPublic);
    if (!first) return;
    const asleep = await inTenant(ground, asSystem(tenantId, 'relay'), async (ctx) => {
      const ids = await askAwake(ctx.tx, askedSeconds);
      for (const id of ids) await setTimer(ctx, webhookTimer, id, ctx.now);
      return ids;
    });
    try {
      for (const id of asleep) await wakeEndpoint(engine, tenantId, id, first.traceparent);
    } catch (error) {
      // Nobody was asked after all: the next look at these events may ask again.
      await inTenant(ground, asSystem(tenantId, 'relay'), async ({ tx }) => {
        for (const id of asleep) await setAwake(tx, id, null);
      });
      throw error;
    }
  };

/** For the sweeper. */
export const overdueWebhooks = (engine: Engine): TimerHandlers => ({
  [webhookTimer]: ({ tenantId, subjectId }) => wakeEndpoint(engine, tenantId, subjectId),
});
