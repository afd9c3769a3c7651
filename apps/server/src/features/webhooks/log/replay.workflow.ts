import * as restate from '@restatedev/restate-sdk';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import { hintLanes } from '../../../platform/lane-hints.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import type { RestateClient } from '../../../platform/restate-client.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { replayPage } from './deliveries.store.ts';
import { wakeReplay, webhookReplayObject } from './replay.interface.ts';

/** Deliveries per transaction, which takes a fraction of a second, and transactions per invocation. */
const defaults = { pageSize: 500, maxPages: 10 };

/** Continues in a call to itself, from the replay's row. */
export const webhookReplay = (services: Services, { pageSize, maxPages } = defaults) =>
  restate.implement(webhookReplayObject, {
    options: durableDefaults,
    handlers: {
      run: async (ctx, call) => {
        const { tenantId, replayId } = call;
        for (let n = 1; ; n++) {
          const page = await ctx.run('queue a page', async () => {
            const queued = await inTenant(services, asSystem(tenantId, 'webhook-replay'), ({ tx }) =>
              replayPage(tx, replayId, pageSize),
            );
            if (queued) hintLanes(services.notify, tenantId, [queued.webhookId]);
            return queued;
          });
          if (!page) return; // deleted with its endpoint
          if (!page.isLast && n < maxPages) continue;
          if (!page.isLast) ctx.sendClient(webhookReplayObject, ctx.key).run(call);
          return;
        }
      },
    },
  });

/** A repeated event starts nothing new: the replay's row holds its progress. */
export const startReplays =
  (restateClient: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { type, subjectId: replayId } of events)
      if (type === 'webhook.replay_started') await wakeReplay(restateClient, tenantId, replayId, replayId);
  };
