import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Subscriber } from '../../platform/relay.ts';
import type { RestateClient } from '../../platform/restate-client.ts';
import { clearTimer, setTimer, type TimerHandlers } from '../../platform/timers.ts';
import { webhookTimer } from './delivery/dispatcher.ts';
import { markIdleAwake, markAwake } from './delivery/queue.store.ts';
import { wakeEndpoint } from './delivery/endpoint.interface.ts';
import { isReactivation } from '../tenants/index.ts';
import { find, updateState } from './endpoints/webhooks.store.ts';

/** If Restate loses the call, the next event wakes the endpoint again after this time; the sweeper does so in any case. */
const awakeSeconds = 30;

/** Wakes each idle endpoint once per burst: one that is awake finds new rows anyway. Also runs when a tenant is resumed. */
export const wakeEndpoints =
  (services: Services, restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    const [first] = events.filter(({ isPublic, type }) => isPublic || isReactivation(type));
    if (!first) return;
    const idle = await inTenant(services, asSystem(tenantId, 'relay'), ({ tx }) =>
      markIdleAwake(tx, webhookTimer, awakeSeconds),
    );
    try {
      await Promise.all(idle.map((id) => wakeEndpoint(restate, tenantId, id, { traceparent: first.traceparent })));
    } catch (error) {
      // The wake call failed: allow the next poll of these events to repeat it.
      await inTenant(services, asSystem(tenantId, 'relay'), async ({ tx }) => {
        for (const id of idle) await updateState(tx, id, { awakeUntil: null });
      });
      throw error;
    }
  };

/** For the sweeper. An endpoint that is awake is skipped and checked again later: it finds new rows anyway. */
export const overdueWebhooks = (services: Services, restate: RestateClient): TimerHandlers => ({
  [webhookTimer]: async ({ tenantId, subjectId, callKey }) => {
    const isIdle = await inTenant(services, asSystem(tenantId, 'sweeper'), async (ctx) => {
      const found = await find(ctx.tx, subjectId);
      if (!found) await clearTimer(ctx, webhookTimer, subjectId);
      else await setTimer(ctx, webhookTimer, subjectId, new Date(ctx.now.getTime() + awakeSeconds * 1_000));
      return found !== undefined && (await markAwake(ctx.tx, subjectId, awakeSeconds));
    });
    if (isIdle) await wakeEndpoint(restate, tenantId, subjectId, { idempotencyKey: callKey });
  },
});
