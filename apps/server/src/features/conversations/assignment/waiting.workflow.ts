import * as restate from '@restatedev/restate-sdk';
import type { Services } from '../../../platform/context.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { checkWaiting } from './waiting.ts';
import { waitingService } from './waiting.interface.ts';

/** The time limits of a conversation that waits for an agent: a call for each, which schedules the next one. */
export const waitingConversation = (services: Services) =>
  restate.implement(waitingService, {
    options: durableDefaults,
    handlers: {
      check: async (ctx, call) => {
        const next = await ctx.run('check', () => checkWaiting(services, call));
        if (next === null) return;
        const { tenantId, conversationId } = call;
        // The same call for everyone who schedules it, so that a repeated check starts no second series.
        const idempotencyKey = `${tenantId}/${conversationId}/${next.at}`;
        ctx
          .sendClient(waitingService)
          .check(call, restate.rpc.sendOpts({ delay: { milliseconds: next.afterMs }, idempotencyKey }));
      },
    },
  });
