import type { Context } from '../../../platform/context.ts';
import { decrypt } from '../../../platform/crypto.ts';
import * as queue from '../delivery/queue.store.ts';
import { headersContext } from './targets.ts';
import type { Webhook } from '../webhooks.contract.ts';
import type * as store from './webhooks.store.ts';

/** Endpoints as returned by the API: with their health and without secrets. */
export async function toWebhooks(ctx: Context, endpoints: readonly store.Endpoint[]): Promise<Webhook[]> {
  if (endpoints.length === 0) return [];
  const ids = endpoints.map(({ id }) => id);
  const waiting = await queue.countWaiting(ctx.tx, ids);
  return Promise.all(
    endpoints.map(async ({ health, headers, secrets, lastSuccessAt, lastFailureAt, ...endpoint }) => {
      const [newest, previous] = secrets;
      return {
        ...endpoint,
        headerNames: headers
          ? Object.keys(JSON.parse(await decrypt(ctx, headersContext(endpoint.id), headers)) as object)
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

export async function toWebhook(ctx: Context, endpoint: store.Endpoint): Promise<Webhook> {
  const [webhook] = await toWebhooks(ctx, [endpoint]);
  if (!webhook) throw new Error('endpoint could not be converted');
  return webhook;
}
