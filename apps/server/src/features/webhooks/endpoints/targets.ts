import { LRUCache } from 'lru-cache';
import type { Context } from '../../../platform/context.ts';
import { decrypt } from '../../../platform/crypto.ts';
import { encryptionContextOf, type EncryptedColumn } from '../../../platform/encrypted-columns.ts';
import type { Target } from '../delivery/send.ts';
import type * as store from './webhooks.store.ts';

const secretsColumn: EncryptedColumn = {
  table: 'webhook_secrets',
  column: 'encrypted',
  keys: ['webhook_id', 'version'],
  purpose: 'webhook-secret',
};
const headersColumn: EncryptedColumn = {
  table: 'webhooks',
  column: 'headers',
  keys: ['id'],
  purpose: 'webhook-headers',
};
const inboundSecretColumn: EncryptedColumn = {
  table: 'webhooks',
  column: 'inbound_secret',
  keys: ['id'],
  purpose: 'webhook-inbound-secret',
};
export const encryptedOfWebhooks = [secretsColumn, headersColumn, inboundSecretColumn];

export const secretContext = (webhookId: string, version: number) =>
  encryptionContextOf(secretsColumn, webhookId, version);
export const headersContext = (webhookId: string) => encryptionContextOf(headersColumn, webhookId);
export const inboundSecretContext = (webhookId: string) => encryptionContextOf(inboundSecretColumn, webhookId);

/** Keyed by ciphertext: new secrets or headers have a different one. */
const decryptedCache = new LRUCache<string, string>({ max: 20_000 });
async function decryptCached(
  ctx: Context,
  context: { purpose: string; rowId: string },
  encrypted: string,
): Promise<string> {
  const name = `${ctx.tenantId} ${encrypted}`;
  const cached = decryptedCache.get(name);
  if (cached !== undefined) return cached;
  const secret = await decrypt(ctx, context, Buffer.from(encrypted, 'base64'));
  decryptedCache.set(name, secret);
  return secret;
}

/** Replaces the values of custom headers. */
const hidden = 'hidden';

/** The current URL, headers and secrets of an endpoint. */
export async function targetOf(
  ctx: Context,
  { id, url, headers, secrets: currentSecrets, isListenedTo, ownEnvironmentId }: store.Endpoint,
): Promise<Target> {
  const headersJson = headers && (await decryptCached(ctx, headersContext(id), headers.toString('base64')));
  const customHeaders = headersJson ? (JSON.parse(headersJson) as Record<string, string>) : {};
  return {
    url,
    // The listener may not be the person who entered the headers, and their values are never shown.
    headers: isListenedTo
      ? Object.fromEntries(Object.keys(customHeaders).map((name) => [name, hidden]))
      : customHeaders,
    secrets: await Promise.all(
      currentSecrets.map(({ version, encrypted }) => decryptCached(ctx, secretContext(id, version), encrypted)),
    ),
    tenantId: ctx.tenantId,
    environmentId: ownEnvironmentId,
    listenedTo: isListenedTo ? id : undefined,
  };
}
