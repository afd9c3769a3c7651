import * as restate from '@restatedev/restate-sdk';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { isSyncing, planSync, requestSync } from '../knowledge.service.ts';
import { lock } from '../knowledge.store.ts';
import { knowledgeSourceObject } from './knowledge.interface.ts';
import { createReader } from './reader/reader.ts';
import { createSyncing } from './sync.ts';
import { isInUse } from './sync.store.ts';
import type { Embedder } from '../search/vectors.ts';

/**
 * One virtual object per source, so that its syncs run one after the other. The journal contains only counts and error
 * reasons; document content is written to the database within the step.
 */
export const knowledgeSource = (services: Services, fetch: SafeFetch, embedder?: Embedder) => {
  const syncing = createSyncing(services, fetch, createReader(), embedder);
  return restate.implement(knowledgeSourceObject, {
    options: {
      ...durableDefaults,
      // Steps wait for third-party servers.
      inactivityTimeout: { minutes: 5 },
      abortTimeout: { minutes: 5 },
    },
    handlers: {
      sync: async (ctx, call) => {
        const listed = await ctx.run('list', () => syncing.list(call));
        if (listed === null) return;
        const problem = 'problem' in listed ? listed.problem : null;
        for (let isDone = problem !== null; !isDone;) {
          const visited = await ctx.run('visit some', () => syncing.fetchSome(call));
          if (visited === null) return;
          ({ isDone } = visited);
        }
        for (let isDone = embedder === undefined; !isDone;) {
          const embedded = await ctx.run('embed some', () => syncing.embedSome(call));
          if (embedded === null) return;
          ({ isDone } = embedded);
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
