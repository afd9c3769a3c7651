import { rpc } from '@restatedev/restate-sdk-clients';
import { asSystem, inTenant, type Services } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import type { Subscriber } from '../../platform/relay.ts';
import type { RestateClient } from '../../platform/restate.ts';
import { clearTimer, type TimerHandlers } from '../../platform/timers.ts';
import type { ApiKeyExpiry } from './api-keys.workflow.ts';
import { expiryTimer, warnAt } from './api-keys.service.ts';
import { find } from './api-keys.store.ts';

const expiry = (restate: RestateClient) => restate.serviceSendClient<ApiKeyExpiry>({ name: 'ApiKeyExpiry' });

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
      await expiry(restate).warn(
        { tenantId, keyId: subjectId, expiresAt },
        rpc.sendOpts({
          delay: { milliseconds: Math.max(0, wait) },
          idempotencyKey: `${tenantId}/${id}`, // starts with the tenant id, like object keys, so that all calls of a tenant can be found
          ...(traceparent && { headers: { traceparent } }),
        }),
      );
    }
  };

/** For the sweeper: Restate's timer was lost or is late, so the call is made now. */
export const overdueKeyExpiry = (services: Services, restate: RestateClient): TimerHandlers => ({
  [expiryTimer]: async ({ tenantId, subjectId }) => {
    const key = await inTenant(services, asSystem(tenantId, 'sweeper'), async (ctx) => {
      const found = await find(ctx.tx, subjectId);
      if (!found?.expiresAt) await clearTimer(ctx, expiryTimer, subjectId); // no expiry any more
      return found;
    });
    if (!key?.expiresAt) return;
    const call = { tenantId, keyId: subjectId, expiresAt: key.expiresAt.toISOString() };
    await expiry(restate).warn(call, rpc.sendOpts({ idempotencyKey: `${tenantId}/${newId('request')}` }));
  },
});
