import { LRUCache } from 'lru-cache';
import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { prepared } from '../../../platform/prepared.ts';
import type { Target } from '../delivery/send.ts';
import { targetOf } from '../endpoints/targets.ts';
import { find } from '../endpoints/webhooks.store.ts';

/** Where and how to send, decrypted. */
export interface LoadedTarget {
  revision: number;
  target: Target;
  environmentId: string | null;
  /** Read again after this time: a secret ends, or the tenant's live environment is another one. */
  validUntil: number;
}
const maxAgeMs = 300_000;

/** Also of endpoints that the worker doesn't own at the moment: the revision says whether it is still the current one. */
const cache = new LRUCache<string, LoadedTarget>({ max: 20_000 });

export function cachedTarget(webhookId: string, revision: number): LoadedTarget | undefined {
  const target = cache.get(webhookId);
  return target?.revision === revision ? target : undefined;
}

/** Outside of the transaction that delivers for many tenants: its role sees no secret. undefined: deleted. */
export async function loadTarget(
  services: Services,
  tenantId: Id<'tenant'>,
  webhookId: string,
): Promise<LoadedTarget | undefined> {
  const target = await readTarget(services, tenantId, webhookId);
  if (target) cache.set(webhookId, target);
  else cache.delete(webhookId);
  return target;
}

const readTarget = (services: Services, tenantId: Id<'tenant'>, webhookId: string): Promise<LoadedTarget | undefined> =>
  inTenant(
    services,
    asSystem(tenantId, 'webhooks'),
    async (ctx) => {
      const endpoint = await find(prepared(ctx.tx), webhookId);
      if (!endpoint) return undefined;
      const ends = endpoint.secrets.flatMap(({ notAfter }) => (notAfter === null ? [] : Date.parse(notAfter)));
      return {
        revision: endpoint.revision,
        // The headers of the endpoint itself, also if someone has just stopped listening to it.
        target: await targetOf(ctx, { ...endpoint, isListenedTo: false }),
        environmentId: endpoint.environmentId,
        validUntil: Math.min(Date.now() + maxAgeMs, ...ends),
      };
    },
    { readOnly: true },
  );
