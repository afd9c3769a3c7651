import * as restate from '@restatedev/restate-sdk';
import { startMs } from '../../../platform/invocation-limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { createDispatcher } from './dispatcher.ts';
import { webhookEndpointObject } from './endpoint.interface.ts';
import { createConcurrencyLimiter } from './concurrency.ts';

/**
 * One Restate object per endpoint, so that its rate limit, circuit breaker and timer have a single owner. Deliveries and
 * results are stored in the database; the journal only holds when to run again.
 */
export const webhookEndpoint = (
  { services, tenantFetch }: Pick<Platform, 'services' | 'tenantFetch'>,
  { runMs = startMs } = {},
) => {
  const drain = createDispatcher({
    services,
    fetch: tenantFetch,
    concurrencyLimiter: createConcurrencyLimiter(),
    rateLimiter: createRateLimiter(),
    runMs,
  });
  return restate.implement(webhookEndpointObject, {
    options: durableDefaults,
    handlers: {
      drain: async (ctx, call) => {
        const self = ctx.sendClient(webhookEndpointObject, ctx.key);
        const { at, isDone, now } = await ctx.run('deliver', async () => ({ ...(await drain(call)), now: Date.now() }));
        // Waits behind other calls for this endpoint, which deliver from the same queue.
        if (!isDone) return void self.drain(call);
        if (at === null) return;
        // One timer, however many retries are pending: if an earlier one is set, it will set the next when it fires.
        const set = await ctx.get<string>('timerAt');
        if (set !== null && set <= at && Date.parse(set) > now) return;
        ctx.set('timerAt', at);
        self.drain(call, restate.rpc.sendOpts({ delay: { milliseconds: Math.max(0, Date.parse(at) - now) + 1 } }));
      },
    },
  });
};
