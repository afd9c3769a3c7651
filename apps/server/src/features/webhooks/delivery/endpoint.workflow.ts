import * as restate from '@restatedev/restate-sdk';
import type { Services } from '../../../platform/context.ts';
import { hintLanes } from '../../../platform/lane-hints.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { webhookEndpointObject, type EndpointKey } from './endpoint.interface.ts';

/** Passes calls of the previous release on to the lane of the endpoint. The journal is the one that release has written. */
export const webhookEndpoint = ({ notify }: Services) => {
  const drain = ({ tenantId, webhookId }: EndpointKey): { at: string | null; isDone: boolean } => {
    hintLanes(notify, tenantId, [webhookId]);
    return { at: null, isDone: true };
  };
  return restate.implement(webhookEndpointObject, {
    options: durableDefaults,
    handlers: {
      drain: async (ctx, call) => {
        const self = ctx.sendClient(webhookEndpointObject, ctx.key);
        const { at, isDone, now } = await ctx.run('deliver', async () => ({ ...drain(call), now: Date.now() }));
        if (!isDone) return void self.drain(call);
        if (at === null) return;
        const set = await ctx.get<string>('timerAt');
        if (set !== null && set <= at && Date.parse(set) > now) return;
        ctx.set('timerAt', at);
        self.drain(call, restate.rpc.sendOpts({ delay: { milliseconds: Math.max(0, Date.parse(at) - now) + 1 } }));
      },
    },
  });
};
