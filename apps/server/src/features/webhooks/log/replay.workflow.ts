import * as restate from '@restatedev/restate-sdk';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Subscriber } from '../../../platform/relay.ts';
import type { RestateClient } from '../../../platform/restate-client.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import { replayPage } from './deliveries.store.ts';
import { wakeEndpoint } from '../delivery/endpoint.interface.ts';
import { webhookReplayObject } from './replay.interface.ts';
import { wakeReplay } from './replay.interface.ts';

/** Deliveries queued per transaction. */
const pageSize = 500;

export const webhookReplay = (services: Services, restateClient: RestateClient) =>
  restate.implement(webhookReplayObject, {
    options: durableDefaults,
    handlers: {
      run: async (ctx, { tenantId, replayId }) => {
        for (let isLast = false; !isLast;) {
          isLast = await ctx.run('queue a page', async () => {
            const page = await inTenant(services, asSystem(tenantId, 'webhook-replay'), ({ tx }) =>
              replayPage(tx, replayId, pageSize),
            );
            if (page) await wakeEndpoint(restateClient, tenantId, page.webhookId);
            return page?.isLast ?? true;
          });
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
