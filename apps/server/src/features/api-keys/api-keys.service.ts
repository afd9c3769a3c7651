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

/** Invalidates the caches of every node after the commit. */
export type InvalidateKey = (changed: ChangedKey) => void;
export interface ChangedKey {
  tenantId: string;
  keyId: string;
  secretHashes: readonly Buffer[];
}

export async function createApiKey(ctx: Context, input: CreateApiKey) {
  assertExpiresLater(input.expiresAt, ctx.now);
  assertCanGrant(ctx, input.permissions);
  if ((await store.workspacesOf(ctx.tx, input)).length > 1)
    throw invalid('binding_mismatch', [
      { path: '/workspaceId', message: 'The bot and the environment of a key must be in the same workspace.' },
    ]);
  await requireRoom(ctx, 'api_keys.max', () => store.countLive(ctx.tx));

  const id = newId('apiKey');
  await store.insert(ctx.tx, { ...input, id, createdBy: ctx.actor.id });
  const secret = await addSecret(ctx, id, input.keyType, 1);
  const apiKey = await read(ctx, id);
  await scheduleExpiryWarning(ctx, apiKey);
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
  if (expiresAt !== undefined) await scheduleExpiryWarning(ctx, apiKey);
  await invalidateAfterCommit(ctx, id, invalidate);
  await emit(ctx, events.apiKeyUpdated, id, { object: apiKey });
  return { apiKey };
}

/** Creates a new secret under the same id. The old one keeps working during the overlap. */
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
  await store.expireSecret(ctx.tx, id, newest.version, previousExpiresAt);
  const secret = await addSecret(ctx, id, before.keyType, newest.version + 1);
  await invalidateAfterCommit(ctx, id, invalidate);
  const apiKey = await read(ctx, id);
  await emit(ctx, events.apiKeyRotated, id, { object: apiKey, previousExpiresAt });
  return { apiKey, secret, previousExpiresAt };
}

/** Idempotent, so that a retry succeeds. */
export async function revokeApiKey(ctx: Context, id: string, invalidate: InvalidateKey) {
  const isFirstRevocation = await store.revoke(ctx.tx, id, ctx.now);
  const apiKey = await read(ctx, id);
  if (!isFirstRevocation) return { apiKey };
  await invalidateAfterCommit(ctx, id, invalidate);
  for (const { secretHash } of await store.secretsOf(ctx.tx, id)) await store.deleteSecret(ctx.tx, secretHash);
  await clearTimer(ctx, expiryTimer, id);
  await emit(ctx, events.apiKeyRevoked, id, { object: apiKey });
  return { apiKey };
}

/** Only for widget keys: they are public, and the embed code contains them. */
export async function showSecret(ctx: Context, id: string) {
  await read(ctx, id);
  const [newest] = await store.secretsOf(ctx.tx, id);
  if (!newest?.encrypted)
    throw conflict(
      'secret_not_stored',
      'The secret of a server key is shown only once, when it is created. Rotate the key to get a new one.',
    );
  return { secret: await decrypt(ctx, secretContext(id, newest.version), newest.encrypted) };
}

/** A server key was used in a browser. Notifies the owner; the key keeps working, because revoking it could break their integration. */
export async function reportExposure(ctx: Context, id: string) {
  const apiKey = await store.find(ctx.tx, id);
  if (apiKey) await emit(ctx, events.apiKeyExposed, id, { object: apiKey });
}

export function assertExpiresLater(expiresAt: Date | null, now: Date) {
  if (!expiresAt || expiresAt > now) return;
  throw invalid('expiry_in_past', [{ path: '/expiresAt', message: 'The expiry must be in the future.' }]);
}

function assertCanGrant({ permissions }: Context, requested: CreateApiKey['permissions']) {
  const missing = requested.filter((permission) => !permissions.has(permission));
  if (missing.length > 0)
    throw forbidden('permission_not_grantable', `You can’t grant permissions you don’t have: ${missing.join(', ')}.`);
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
const secretContext = (id: string, version: number) => encryptionContextOf(encryptedApiKeys, id, version);

async function addSecret(ctx: Context, keyId: string, keyType: KeyType, version: number): Promise<string> {
  const secret = newSecret(keyType, shardText(shardOf(ctx.tenantId)));
  const encrypted = keyType === 'public_widget' ? await encrypt(ctx, secretContext(keyId, version), secret) : null;
  await store.insertSecret(ctx.tx, { keyId, version, secretHash: hashSecret(secret), hint: hintOf(secret), encrypted });
  return secret;
}

async function invalidateAfterCommit(ctx: Context, id: string, invalidate: InvalidateKey) {
  const secrets = await store.secretsOf(ctx.tx, id);
  const secretHashes = secrets.map(({ secretHash }) => secretHash);
  ctx.afterCommit(() => invalidate({ tenantId: ctx.tenantId, keyId: id, secretHashes }));
}

export const expiryTimer = 'api-key-expiry';

/** A week before expiry, or half-way when less than two weeks are left. */
export const warnAt = (expiresAt: Date, now: Date): Date => {
  const left = expiresAt.getTime() - now.getTime();
  return new Date(expiresAt.getTime() - Math.min(7 * 86_400_000, left / 2));
};

async function scheduleExpiryWarning(ctx: Context, { id, expiresAt }: ApiKey) {
  if (expiresAt) await setTimer(ctx, expiryTimer, id, warnAt(expiresAt, ctx.now));
  else await clearTimer(ctx, expiryTimer, id);
}
