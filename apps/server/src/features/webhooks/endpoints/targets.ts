import { LRUCache } from 'lru-cache';
import type { Context } from '../../../platform/context.ts';
import { decrypt } from '../../../platform/crypto.ts';
import { encryptionContextOf, type EncryptedColumn } from '../../../platform/encrypted-columns.ts';
import type { Target } from '../delivery/send.ts';
import type * as store from './webhooks.store.ts';

const secrets: EncryptedColumn = {
  table: 'webhook_secrets',
  column: 'encrypted',
  keys: ['webhook_id', 'version'],
  purpose: 'webhook-secret',
};
const ownHeaders: EncryptedColumn = { table: 'webhooks', column: 'headers', keys: ['id'], purpose: 'webhook-headers' };
const inbound: EncryptedColumn = {
  table: 'webhooks',
  column: 'inbound_secret',
  keys: ['id'],
  purpose: 'webhook-inbound-secret',
};
export const encryptedOfWebhooks = [secrets, ownHeaders, inbound];

export const secretPlace = (webhookId: string, version: number) => encryptionContextOf(secrets, webhookId, version);
export const headersPlace = (webhookId: string) => encryptionContextOf(ownHeaders, webhookId);
export const inboundPlace = (webhookId: string) => encryptionContextOf(inbound, webhookId);

/** Opened once for each encrypted form: another secret, or other headers, have another. */
const opened = new LRUCache<string, string>({ max: 5_000 });
async function open(ctx: Context, place: { purpose: string; rowId: string }, encrypted: string): Promise<string> {
  const name = `${ctx.tenantId} ${encrypted}`;
  const known = opened.get(name);
  if (known !== undefined) return known;
  const secret = await decrypt(ctx, place, Buffer.from(encrypted, 'base64'));
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
    secrets: await Promise.all(live.map(({ version, encrypted }) => open(ctx, secretPlace(id, version), encrypted))),
    tenantId: ctx.tenantId,
    environmentId: ownEnvironmentId,
    listenedTo: isListenedTo ? id : undefined,
  };
}
