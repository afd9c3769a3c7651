import { LRUCache } from 'lru-cache';
import type { Context } from '../../platform/context.ts';
import { unseal } from '../../platform/crypto.ts';
import type { Target } from './sending.ts';
import type * as store from './webhooks.store.ts';

export const secretPlace = (webhookId: string, version: number) => ({
  purpose: 'webhook-secret',
  rowId: `${webhookId}/${version}`,
});
export const headersPlace = (webhookId: string) => ({ purpose: 'webhook-headers', rowId: webhookId });
export const inboundPlace = (webhookId: string) => ({ purpose: 'webhook-inbound-secret', rowId: webhookId });

/** Opened once for each sealed form: another secret, or other headers, have another. */
const opened = new LRUCache<string, string>({ max: 5_000 });
async function open(ctx: Context, place: { purpose: string; rowId: string }, sealed: string): Promise<string> {
  const name = `${ctx.tenantId} ${sealed}`;
  const known = opened.get(name);
  if (known !== undefined) return known;
  const secret = await unseal(ctx, place, Buffer.from(sealed, 'base64'));
  opened.set(name, secret);
  return secret;
}

/** Where calls to an endpoint go at this moment, and what they are signed with. */
export async function targetOf(
  ctx: Context,
  { id, url, headers, secrets, isListenedTo }: store.Endpoint,
): Promise<Target> {
  const own = headers && (await open(ctx, headersPlace(id), headers.toString('base64')));
  return {
    url,
    headers: own ? (JSON.parse(own) as Record<string, string>) : {},
    secrets: await Promise.all(secrets.map(({ version, sealed }) => open(ctx, secretPlace(id, version), sealed))),
    tenantId: ctx.tenantId,
    listenedTo: isListenedTo ? id : undefined,
  };
}
