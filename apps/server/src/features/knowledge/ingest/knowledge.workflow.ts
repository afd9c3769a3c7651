import * as restate from '@restatedev/restate-sdk';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { durableDefaults } from '../../../platform/restate.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import { isSyncing, planSync, requestSync } from '../knowledge.service.ts';
import { lock } from '../knowledge.store.ts';
import { createReader } from './reader/reader.ts';
import { createSyncing, type SyncCall } from './sync.ts';
import { isInUse } from './sync.store.ts';
import type { Embedder } from '../search/vectors.ts';

export interface DueCall {
  tenantId: Id<'tenant'>;
  sourceId: string;
  /** The time it was planned for: one that was planned anew is due at another. */
  at: string;
}

/**
 * One for each source, so that its syncs come one after the other. The journal holds counts and words for what went
 * wrong; what was read goes from the step straight into rows.
 */
export const knowledgeSource = (services: Services, fetch: SafeFetch, embedder?: Embedder) => {
  const syncing = createSyncing(services, fetch, createReader(), embedder);
  return restate.object({
    name: 'KnowledgeSource', // stored by Restate: renaming it, or a handler, abandons calls already made
    options: {
      ...durableDefaults,
      // A step waits for other people's servers.
      inactivityTimeout: { minutes: 5 },
      abortTimeout: { minutes: 5 },
    },
    handlers: {
      sync: async (ctx: restate.ObjectContext, call: SyncCall) => {
        const listed = await ctx.run('list', () => syncing.list(call));
        if (listed === null) return;
        const problem = 'problem' in listed ? listed.problem : null;
        for (let isDone = problem !== null; !isDone;) {
          const visited = await ctx.run('visit some', () => syncing.visitSome(call));
          if (visited === null) return;
          ({ isDone } = visited);
        }
        for (let isDone = embedder === undefined; !isDone;) {
          const embedded = await ctx.run('embed some', () => syncing.embedSome(call));
          if (embedded === null) return;
          ({ isDone } = embedded);
        }
        const eventId = await ctx.run('choose the event id', () => newId('event')); // kept: the same on every retry
        await ctx.run('finish', () => syncing.finish(call, problem, eventId));
      },

      /** Its time has come. The sync is asked for as anybody would, with an event. */
      due: async (ctx: restate.ObjectContext, { tenantId, sourceId, at }: DueCall) => {
        await ctx.run('ask for a sync', () =>
          inTenant(services, asSystem(tenantId, 'knowledge-schedule'), async (tenant) => {
            const source = await lock(tenant.tx, sourceId);
            if (!source || isSyncing(source) || source.nextSyncAt?.toISOString() !== at) return;
            // Later, perhaps: its turn comes again.
            if (await isInUse(tenant.tx, source.botId)) await requestSync(tenant, source);
            else await planSync(tenant, sourceId, source.schedule);
          }),
        );
      },
    },
  });
};

export type KnowledgeSource = ReturnType<typeof knowledgeSource>;
