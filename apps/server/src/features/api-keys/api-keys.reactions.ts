import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import type { Subscriber } from '../../platform/relay.ts';
import { sendOptions, type RestateClient } from '../../platform/restate-client.ts';
import { clearTimer, type TimerHandlers } from '../../platform/timers.ts';
import { apiKeyExpiryService } from './api-keys.interface.ts';
import { expiryTimer, warnAt } from './api-keys.service.ts';
import { find } from './api-keys.store.ts';

/** Schedules the expiry warning. The event id is the idempotency key, so a repeated event schedules nothing new. */
export const scheduleKeyExpiry =
  (restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { id, type, subjectId, body, traceparent } of events) {
      if (type !== 'api_key.created' && type !== 'api_key.updated') continue;
      const { data, createdAt } = JSON.parse(body) as {
        createdAt: string;
        data: { object: { expiresAt: string | null } };
      };
      const { expiresAt } = data.object;
      if (!expiresAt) continue;
      const wait = warnAt(new Date(expiresAt), new Date(createdAt)).getTime() - Date.now();
      await restate.sendClient(apiKeyExpiryService).warn(
        { tenantId, keyId: subjectId, expiresAt },
        sendOptions({
          delayMs: Math.max(0, wait),
          idempotencyKey: `${tenantId}/${id}`, // starts with the tenant id, like object keys, so that all calls of a tenant can be found
          traceparent,
        }),
      );
    }
  };

/** For the sweeper: Restate's timer was lost or is late, so the call is made now. */
export const overdueKeyExpiry = (services: Services, restate: RestateClient): TimerHandlers => ({
  [expiryTimer]: async ({ tenantId, subjectId, callKey }) => {
    const key = await inTenant(services, asSystem(tenantId, 'sweeper'), async (ctx) => {
      const found = await find(ctx.tx, subjectId);
      if (!found?.expiresAt) await clearTimer(ctx, expiryTimer, subjectId); // no expiry any more
      return found;
    });
    if (!key?.expiresAt) return;
    const call = { tenantId, keyId: subjectId, expiresAt: key.expiresAt.toISOString() };
    await restate
      .sendClient(apiKeyExpiryService)
      .warn(call, sendOptions({ idempotencyKey: `${tenantId}/${callKey ?? newId('request')}` }));
  },
});
