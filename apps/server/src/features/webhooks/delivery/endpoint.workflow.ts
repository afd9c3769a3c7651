import * as restate from '@restatedev/restate-sdk';
import type { Platform } from '../../../platform/platform.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { createDispatcher, type EndpointKey } from './dispatcher.ts';
import { createConcurrencyLimiter } from './concurrency.ts';

/** How many stretches one call works. Then it calls itself, so that a new worker version gets its turn. */
const stretches = 3;

/**
 * One for each endpoint, so that its deliveries have one owner: its pace, its circuit and its timer belong to it and to
 * nothing else. What is to be delivered, and what became of it, stands in rows; the journal holds only when to come again.
 */
export const webhookEndpoint = ({ services, tenantFetch }: Pick<Platform, 'services' | 'tenantFetch'>) => {
  const drain = createDispatcher({
    services,
    fetch: tenantFetch,
    concurrency: createConcurrencyLimiter(),
    rateLimiter: createRateLimiter(),
  });
  return restate.object({
    name: 'WebhookEndpoint', // stored by Restate: renaming it, or a handler, abandons calls already made
    options: {
      ...durableDefaults,
      // A stretch waits for other people's servers.
      inactivityTimeout: { minutes: 2 },
      abortTimeout: { minutes: 2 },
    },
    handlers: {
      drain: async (ctx: restate.ObjectContext<{ timerAt: string }>, call: EndpointKey) => {
        const self = ctx.objectSendClient<Self>({ name: 'WebhookEndpoint' }, ctx.key);
        for (let run = 0; run < stretches; run++) {
          const { at, isDone, now } = await ctx.run('deliver', async () => ({
            ...(await drain(call)),
            now: Date.now(),
          }));
          if (!isDone) continue;
          if (at === null) return;
          // One timer, however many retries sleep behind it: an earlier one that was set will come, and set the next.
          const set = await ctx.get('timerAt');
          if (set !== null && set <= at && Date.parse(set) > now) return;
          ctx.set('timerAt', at);
          self.drain(call, restate.rpc.sendOpts({ delay: { milliseconds: Math.max(0, Date.parse(at) - now) + 1 } }));
          return;
        }
        self.drain(call);
      },
    },
  });
};
type Self = ReturnType<typeof webhookEndpoint>;
