import * as restate from '@restatedev/restate-sdk';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { startMs as invocationStartMs } from '../../../platform/invocation-limits.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { isSyncing, planSync, requestSync } from '../knowledge.service.ts';
import { lock } from '../knowledge.store.ts';
import { knowledgeSourceObject } from './knowledge.interface.ts';
import { createReader } from './reader/reader.ts';
import { createSyncing, type StepResult } from './sync.ts';
import { isInUse } from './sync.store.ts';
import type { Embedder } from '../embed/embedder.ts';

/**
 * One virtual object per source, so that its syncs run one after the other. The journal contains only times and error
 * reasons; document content is written to the database within the step. A sync that takes longer than an invocation
 * continues from its rows in a call to itself. A call that waits for the same source runs first: a newer sync ends this one.
 */
export const knowledgeSource = (
  services: Services,
  fetch: SafeFetch,
  embedder?: Embedder,
  { startMs = invocationStartMs } = {},
) => {
  const syncing = createSyncing({ services, fetch, reader: createReader(), embedder, startMs });
  return restate.implement(knowledgeSourceObject, {
    options: durableDefaults,
    handlers: {
      sync: async (ctx, call) => {
        const continueLater = ({ afterMs }: StepResult) =>
          void ctx
            .sendClient(knowledgeSourceObject, ctx.key)
            .sync(call, restate.rpc.sendOpts(afterMs > 0 ? { delay: { milliseconds: afterMs } } : {}));
        const listed = await ctx.run('list', () => syncing.list(call));
        if (listed === null) return;
        if (!listed.isDone) return continueLater(listed);
        const { problem, until } = listed;
        if (problem === null) {
          const visited = await ctx.run('visit some', () => syncing.fetchSome(call, until));
          if (visited === null) return;
          if (!visited.isDone) return continueLater(visited);
        }
        if (embedder !== undefined) {
          const embedded = await ctx.run('embed some', () => syncing.embedSome(call, until));
          if (embedded === null) return;
          if (!embedded.isDone) return continueLater(embedded);
        }
        const eventId = await ctx.run('choose the event id', () => newId('event')); // journaled, so that retries use the same id
        await ctx.run('finish', () => syncing.finish(call, problem, eventId));
      },

      /** Runs when a scheduled sync is due. Requests the sync with an event, as the API does. */
      due: async (ctx, { tenantId, sourceId, at }) => {
        await ctx.run('ask for a sync', () =>
          inTenant(services, asSystem(tenantId, 'knowledge-schedule'), async (tenant) => {
            const source = await lock(tenant.tx, sourceId);
            if (!source || isSyncing(source) || source.nextSyncAt?.toISOString() !== at) return;
            // If not, it is scheduled again for the next period.
            if (await isInUse(tenant.tx, source.botId)) await requestSync(tenant, source);
            else await planSync(tenant, sourceId, source.schedule);
          }),
        );
      },
    },
  });
};
