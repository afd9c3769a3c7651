import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { sendToObject, type RestateClient } from '../../platform/restate.ts';
import { clearTimer, setTimer, type TimerHandlers } from '../../platform/timers.ts';
import { webhookTimer } from './delivery/dispatcher.ts';
import { askAwake, askOne } from './delivery/queue.store.ts';
import { goesOn } from '../tenants/index.ts';
import { find, note } from './endpoints/webhooks.store.ts';

export const wakeEndpoint = (
  restate: RestateClient,
  tenantId: Id<'tenant'>,
  webhookId: string,
  traceparent?: string | null,
) =>
  sendToObject(
    restate,
    { object: 'WebhookEndpoint', key: `${tenantId}/${webhookId}`, handler: 'drain', traceparent },
    { tenantId, webhookId },
  );

/** If the engine loses the call, another event may ask again after this, and the sweeper in any case. */
const askedSeconds = 30;

/** Once for a burst: an endpoint that is awake, or was just asked, finds the rows by itself. Also when its tenant goes on. */
export const wakeEndpoints =
  (services: Services, restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    const [first] = events.filter(({ isPublic, type }) => isPublic || goesOn(type));
    if (!first) return;
    const asleep = await inTenant(services, asSystem(tenantId, 'relay'), ({ tx }) =>
      askAwake(tx, webhookTimer, askedSeconds),
    );
    try {
      await Promise.all(asleep.map((id) => wakeEndpoint(restate, tenantId, id, first.traceparent)));
    } catch (error) {
      // Nobody was asked after all: the next look at these events may ask again.
      await inTenant(services, asSystem(tenantId, 'relay'), async ({ tx }) => {
        for (const id of asleep) await note(tx, id, { awakeUntil: null });
      });
      throw error;
    }
  };

/** For the sweeper. One that is at work is left alone, and looked at again later: it finds the rows by itself. */
export const overdueWebhooks = (services: Services, restate: RestateClient): TimerHandlers => ({
  [webhookTimer]: async ({ tenantId, subjectId }) => {
    const isAsleep = await inTenant(services, asSystem(tenantId, 'sweeper'), async (ctx) => {
      const found = await find(ctx.tx, subjectId);
      if (!found) await clearTimer(ctx, webhookTimer, subjectId);
      else await setTimer(ctx, webhookTimer, subjectId, new Date(ctx.now.getTime() + askedSeconds * 1_000));
      return found !== undefined && (await askOne(ctx.tx, subjectId, askedSeconds));
    });
    if (isAsleep) await wakeEndpoint(restate, tenantId, subjectId);
  },
});
