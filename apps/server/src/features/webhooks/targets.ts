import { LRUCache } from 'lru-cache';
import type { Context } from '../../platform/context.ts';
import { unseal } from '../../platform/crypto.ts';
import { placeIn, type SealedColumn } from '../../platform/sealed-columns.ts';
import type { Target } from './sending.ts';
import type * as store from './webhooks.store.ts';

const secrets: SealedColumn = {
  table: 'webhook_secrets',
  column: 'sealed',
  keys: ['webhook_id', 'version'],
  purpose: 'webhook-secret',
};
const ownHeaders: SealedColumn = { table: 'webhooks', column: 'headers', keys: ['id'], purpose: 'webhook-headers' };
const inbound: SealedColumn = {
  table: 'webhooks',
  column: 'inbound_secret',
  keys: ['id'],
  purpose: 'webhook-inbound-secret',
};
export const sealedOfWebhooks = [secrets, ownHeaders, inbound];

export const secretPlace = (webhookId: string, version: number) => placeIn(secrets, webhookId, version);
export const headersPlace = (webhookId: string) => placeIn(ownHeaders, webhookId);
export const inboundPlace = (webhookId: string) => placeIn(inbound, webhookId);

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

/** In the place of the value of an endpoint's own header. */
const hidden = 'hidden';

/** Where calls to an endpoint go at this moment, and what they are signed with. */
export async function targetOf(
  ctx: Context,
  { id, url, headers, secrets: live, isListenedTo, ownEnvironmentId }: store.Endpoint,
): Promise<Target> {
  const own = headers && (await open(ctx, headersPlace(id), headers.toString('base64')));
  const known = own ? (JSON.parse(own) as Record<string, string>) : {};
  return {
    url,
    // Whoever listens may not be who entered them, and their values are shown to nobody.
    headers: isListenedTo ? Object.fromEntries(Object.keys(known).map((name) => [name, hidden])) : known,
    secrets: await Promise.all(live.map(({ version, sealed }) => open(ctx, secretPlace(id, version), sealed))),
    tenantId: ctx.tenantId,
    environmentId: ownEnvironmentId,
    listenedTo: isListenedTo ? id : undefined,
  };
}
