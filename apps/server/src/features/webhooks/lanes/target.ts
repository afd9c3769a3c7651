import { asSystem, inTenant, type Services } from '../../../platform/context.ts';
import type { Id } from '../../../platform/ids.contract.ts';
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

/** Outside of the transaction that delivers for many tenants: its role sees no secret. undefined: deleted. */
export const loadTarget = (
  services: Services,
  tenantId: Id<'tenant'>,
  webhookId: string,
): Promise<LoadedTarget | undefined> =>
  inTenant(
    services,
    asSystem(tenantId, 'webhooks'),
    async (ctx) => {
      const endpoint = await find(ctx.tx, webhookId);
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
