import type { Context } from '../../../platform/context.ts';
import { decrypt } from '../../../platform/crypto.ts';
import * as queue from '../delivery/queue.store.ts';
import { headersPlace } from './targets.ts';
import type { Webhook } from '../webhooks.contract.ts';
import type * as store from './webhooks.store.ts';

/** Endpoints as they are shown: with how they do, and with nothing that is secret. */
export async function showAll(ctx: Context, endpoints: readonly store.Endpoint[]): Promise<Webhook[]> {
  if (endpoints.length === 0) return [];
  const ids = endpoints.map(({ id }) => id);
  const waiting = await queue.countWaiting(ctx.tx, ids);
  return Promise.all(
    endpoints.map(async ({ health, headers, secrets, lastSuccessAt, lastFailureAt, ...endpoint }) => {
      const [newest, previous] = secrets;
      return {
        ...endpoint,
        headerNames: headers
          ? Object.keys(JSON.parse(await decrypt(ctx, headersPlace(endpoint.id), headers)) as object)
          : [],
        health: {
          consecutiveFailures: health.failures,
          lastSuccessAt,
          lastFailureAt,
          nextProbeAt: health.probeAt ? new Date(health.probeAt) : null,
          waiting: waiting.get(endpoint.id) ?? 0,
        },
        secretHint: newest?.hint ?? '',
        previousSecretExpiresAt: previous?.notAfter ? new Date(previous.notAfter) : null,
      };
    }),
  );
}

export async function showOne(ctx: Context, endpoint: store.Endpoint): Promise<Webhook> {
  const [shown] = await showAll(ctx, [endpoint]);
  if (!shown) throw new Error('endpoint cannot be shown');
  return shown;
}
