import type { Context } from '../../platform/context.ts';
import { encrypt, decrypt } from '../../platform/crypto.ts';
import { conflict, forbidden, invalid, orNotFound } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { newId, shardOf, shardText } from '../../platform/ids.ts';
import { readCursor, toPage } from '../../platform/lists.ts';
import { encryptionContextOf, type EncryptedColumn } from '../../platform/encrypted-columns.ts';
import { clearTimer, setTimer } from '../../platform/timers.ts';
import { requireRoom } from '../entitlements/index.ts';
import { hashSecret, hintOf, newSecret } from './api-key-secret.ts';
import type { ApiKey, CreateApiKey, KeyType, ListApiKeys, UpdateApiKey } from './api-keys.contract.ts';
import * as events from './api-keys.events.ts';
import * as store from './api-keys.store.ts';

/** Told to every node after the commit: what they remember of this key is no longer true. */
export type InvalidateKey = (changed: ChangedKey) => void;
export interface ChangedKey {
  tenantId: string;
  keyId: string;
  secretHashes: readonly Buffer[];
}

export async function createApiKey(ctx: Context, input: CreateApiKey) {
  assertExpiresLater(input.expiresAt, ctx.now);
  assertHolds(ctx, input.permissions);
  if ((await store.workspacesOf(ctx.tx, input)).length > 1)
    throw invalid('binding_mismatch', [
      { path: '/workspaceId', message: 'The bot and the environment of a key must be in the same workspace.' },
    ]);
  await requireRoom(ctx, 'api_keys.max', () => store.countLive(ctx.tx));

  const id = newId('apiKey');
  await store.insert(ctx.tx, { ...input, id, createdBy: ctx.actor.id });
  const secret = await addSecret(ctx, id, input.keyType, 1);
  const apiKey = await read(ctx, id);
  await watchExpiry(ctx, apiKey);
  await emit(
    ctx,
    events.apiKeyCreated,
    id,
    { object: apiKey },
    { environmentId: apiKey.environmentId, botId: apiKey.boundBotId },
  );
  return { apiKey, secret };
}

export const listApiKeys = async ({ tx }: Context, { cursor, limit, keyType }: ListApiKeys) =>
  toPage(await store.list(tx, { before: readCursor(cursor), keyType, limit: limit + 1 }), limit);

export const getApiKey = async (ctx: Context, id: string) => ({ apiKey: await read(ctx, id) });

export async function updateApiKey(
  ctx: Context,
  id: string,
  { name, expiresAt }: UpdateApiKey,
  invalidate: InvalidateKey,
) {
  if (expiresAt) assertExpiresLater(expiresAt, ctx.now);
  const before = await lockLive(ctx, id);
  const change = { ...(name !== undefined && { name }), ...(expiresAt !== undefined && { expiresAt }) };
  if (Object.keys(change).length === 0) return { apiKey: before };
  await store.update(ctx.tx, id, change);
  const apiKey = await read(ctx, id);
  if (expiresAt !== undefined) await watchExpiry(ctx, apiKey);
  await invalidateAfterCommit(ctx, id, invalidate);
  await emit(ctx, events.apiKeyUpdated, id, { object: apiKey });
  return { apiKey };
}

/** A new secret under the same id. The old one works on for the overlap, so that nothing has to change at one moment. */
export async function rotateApiKey(ctx: Context, id: string, overlapSeconds: number, invalidate: InvalidateKey) {
  const before = await lockLive(ctx, id);
  const [newest, previous] = await store.secretsOf(ctx.tx, id);
  if (!newest) throw new Error(`api key ${id} has no secret`);
  if (previous?.notAfter && previous.notAfter > ctx.now) {
    throw conflict(
      'rotation_in_progress',
      `The previous secret still works until ${previous.notAfter.toISOString()}. Rotate again after that, or revoke the key.`,
    );
  }
  if (previous) await store.deleteSecret(ctx.tx, previous.secretHash);

  const previousExpiresAt = new Date(ctx.now.getTime() + overlapSeconds * 1_000);
  await store.endSecret(ctx.tx, id, newest.version, previousExpiresAt);
  const secret = await addSecret(ctx, id, before.keyType, newest.version + 1);
  await invalidateAfterCommit(ctx, id, invalidate);
  const apiKey = await read(ctx, id);
  await emit(ctx, events.apiKeyRotated, id, { object: apiKey, previousExpiresAt });
  return { apiKey, secret, previousExpiresAt };
}

/** Revoking twice is no error: whoever retries wants the key dead, and it is. */
export async function revokeApiKey(ctx: Context, id: string, invalidate: InvalidateKey) {
  const isNews = await store.revoke(ctx.tx, id, ctx.now);
  const apiKey = await read(ctx, id);
  if (!isNews) return { apiKey };
  await invalidateAfterCommit(ctx, id, invalidate);
  for (const { secretHash } of await store.secretsOf(ctx.tx, id)) await store.deleteSecret(ctx.tx, secretHash);
  await clearTimer(ctx, expiryTimer, id);
  await emit(ctx, events.apiKeyRevoked, id, { object: apiKey });
  return { apiKey };
}

/** Only of a widget key: it is public, and the snippet that carries it must be shown again. */
export async function showSecret(ctx: Context, id: string) {
  await read(ctx, id);
  const [newest] = await store.secretsOf(ctx.tx, id);
  if (!newest?.encrypted)
    throw conflict(
      'secret_not_stored',
      'The secret of a server key is shown only once, when it is created. Rotate the key to get a new one.',
    );
  return { secret: await decrypt(ctx, placeOf(id, newest.version), newest.encrypted) };
}

/** A server key has reached a browser. Its owner is told; the key goes on working, since we cannot know what rests on it. */
export async function noteExposure(ctx: Context, id: string) {
  const apiKey = await store.find(ctx.tx, id);
  if (apiKey) await emit(ctx, events.apiKeyExposed, id, { object: apiKey });
}

export function assertExpiresLater(expiresAt: Date | null, now: Date) {
  if (!expiresAt || expiresAt > now) return;
  throw invalid('expiry_in_past', [{ path: '/expiresAt', message: 'The expiry must be in the future.' }]);
}

/** Nobody grants what they lack. */
function assertHolds({ permissions }: Context, wanted: CreateApiKey['permissions']) {
  const lacking = wanted.filter((permission) => !permissions.has(permission));
  if (lacking.length > 0)
    throw forbidden('permission_not_grantable', `You can’t grant permissions you don’t have: ${lacking.join(', ')}.`);
}

const read = async ({ tx }: Context, id: string) => orNotFound('api_key', await store.find(tx, id));

async function lockLive(ctx: Context, id: string): Promise<ApiKey> {
  await store.lock(ctx.tx, id);
  const apiKey = await read(ctx, id);
  if (apiKey.status === 'revoked')
    throw conflict('key_revoked', 'This key is revoked and can’t be restored. Create a new one.');
  return apiKey;
}

export const encryptedApiKeys: EncryptedColumn = {
  table: 'api_key_secrets',
  column: 'encrypted',
  keys: ['key_id', 'version'],
  purpose: 'api-key-secret',
};
const placeOf = (id: string, version: number) => encryptionContextOf(encryptedApiKeys, id, version);

async function addSecret(ctx: Context, keyId: string, keyType: KeyType, version: number): Promise<string> {
  const secret = newSecret(keyType, shardText(shardOf(ctx.tenantId)));
  const encrypted = keyType === 'public_widget' ? await encrypt(ctx, placeOf(keyId, version), secret) : null;
  await store.insertSecret(ctx.tx, { keyId, version, secretHash: hashSecret(secret), hint: hintOf(secret), encrypted });
  return secret;
}

async function invalidateAfterCommit(ctx: Context, id: string, invalidate: InvalidateKey) {
  const secrets = await store.secretsOf(ctx.tx, id);
  const secretHashes = secrets.map(({ secretHash }) => secretHash);
  ctx.afterCommit(() => invalidate({ tenantId: ctx.tenantId, keyId: id, secretHashes }));
}

export const expiryTimer = 'api-key-expiry';

/** When to warn: a week before, or half-way there when less than two weeks are left. */
export const warnAt = (expiresAt: Date, now: Date): Date => {
  const left = expiresAt.getTime() - now.getTime();
  return new Date(expiresAt.getTime() - Math.min(7 * 86_400_000, left / 2));
};

async function watchExpiry(ctx: Context, { id, expiresAt }: ApiKey) {
  if (expiresAt) await setTimer(ctx, expiryTimer, id, warnAt(expiresAt, ctx.now));
  else await clearTimer(ctx, expiryTimer, id);
}
