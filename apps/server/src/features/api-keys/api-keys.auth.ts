import type { Permission } from '../../platform/access.contract.ts';
import { LRUCache } from 'lru-cache';
import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Caller, type Services } from '../../platform/context.ts';
import { InvalidCredential, unauthorized } from '../../platform/errors.ts';
import type { Authenticator, Principal } from '../../platform/http/guard.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Signals } from '../../platform/valkey.ts';
import { isWellFormed, cacheKeyOf } from './api-key-secret.ts';
import { KeyPermission } from './api-keys.contract.ts';
import type { ChangedKey } from './api-keys.service.ts';
import * as store from './api-keys.store.ts';

/** What a key is restricted to within its tenant. null: no restriction. */
export interface Bindings {
  boundBotId: string | null;
  workspaceId: string | null;
  environmentId: string | null;
}
export interface SecretRecord extends Bindings {
  keyId: Id<'apiKey'>;
  keyType: string;
  /** Expiry of the secret or of the key, whichever is first. */
  expiresAtMs: number;
  principal: Principal & { caller: Caller };
}
interface CacheEntry {
  secret: SecretRecord | null;
}
interface KeyStatus {
  bindings: Bindings | null;
  expiresAtMs: number;
}

/** One error for every mismatch of id and secret, so that an attacker learns nothing from it. */
const invalidKey = () =>
  new InvalidCredential('invalid_api_key', 'The key or its id is wrong, or the key was revoked.');

/** Authenticates keys by their secret. Cached for seconds, and invalidated on every node when a key changes. */
export function createKeyAuth(services: Services, signals: Signals, onUse: (caller: Caller) => void) {
  /** Secrets that were valid once. They may be looked up, however often their IP address has failed. */
  const known = new LRUCache<string, true>({ max: 10_000 });
  const cache = createCache<CacheEntry>('api-key', signals, async (name) => {
    const secret = await load(services, Buffer.from(name, 'base64'));
    if (secret) known.set(name, true);
    return { secret };
  });

  const keyStatuses = createCache<KeyStatus>('api-key-life', signals, (name) => loadKeyStatus(services, name));

  const accept = ({ secret }: CacheEntry, keyId: unknown): Principal => {
    if (!secret || secret.keyId !== keyId || secret.keyType !== 'secret_server') throw invalidKey();
    // Only the holder of the secret learns that it was valid once.
    if (secret.expiresAtMs <= Date.now())
      throw unauthorized('key_expired', 'This key has expired, or its secret was rotated and no longer works.');
    onUse(secret.principal.caller);
    return secret.principal;
  };

  /** A server key is sent in two headers: the secret and the key's id. */
  const authenticate: Authenticator = ({ headers, beforeLookUp }) => {
    const { authorization } = headers;
    if (authorization?.startsWith('Bearer pk_live_'))
      throw unauthorized('wrong_key_type', 'This is a widget key, which is for browsers. Send a server key.');
    if (!authorization?.startsWith('Bearer sc_live_')) return null;
    const secret = authorization.slice('Bearer '.length);
    const keyId = headers['x-service-api-key-id'];
    const name = cacheKeyOf(secret);
    const cached = cache.peek(name);
    if (cached) return accept(cached, keyId);
    if (!isWellFormed(secret)) throw invalidKey(); // a typo costs no query
    if (!known.has(name)) beforeLookUp();
    const found = cache.get(name);
    return found instanceof Promise ? found.then((loaded) => accept(loaded, keyId)) : accept(found, keyId);
  };

  /** For a key sent in a request body. The caller checks its type and expiry. */
  const lookUp = async (secret: string): Promise<SecretRecord | null> =>
    isWellFormed(secret) ? (await cache.get(cacheKeyOf(secret))).secret : null;

  /** The bindings of a key; null once it is revoked or expired. Sessions opened with it end then. */
  const bindingsOf = async (tenantId: string, keyId: string): Promise<Bindings | null> => {
    const { bindings, expiresAtMs } = await keyStatuses.get(`${tenantId}/${keyId}`);
    return expiresAtMs > Date.now() ? bindings : null;
  };

  return {
    authenticate,
    lookUp,
    bindingsOf,
    recordUse: onUse,
    invalidate: ({ tenantId, keyId, secretHashes }: ChangedKey) => {
      for (const hash of secretHashes) cache.invalidate(hash.toString('base64'));
      keyStatuses.invalidate(`${tenantId}/${keyId}`);
    },
  };
}
export type KeyAuth = ReturnType<typeof createKeyAuth>;

async function loadKeyStatus(services: Services, name: string): Promise<KeyStatus> {
  const [tenantId, keyId = ''] = name.split('/');
  const caller = asSystem(tenantId as Id<'tenant'>, 'api-key');
  const key = await inTenant(services, caller, ({ tx }) => store.findKeyStatus(tx, keyId), { readOnly: true });
  if (!key || key.revokedAt) return { bindings: null, expiresAtMs: 0 };
  return { bindings: key, expiresAtMs: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY };
}

async function load(services: Services, secretHash: Buffer): Promise<SecretRecord | null> {
  const owner = await store.findTenantBySecret(services.db, secretHash);
  if (!owner) return null;
  const { tenantId, keyId } = owner;
  const key = await inTenant(
    services,
    asSystem(tenantId, 'api-key'),
    ({ tx }) => store.findForUse(tx, keyId, secretHash),
    { readOnly: true },
  );
  if (!key || key.revokedAt) return null;
  const ends = [key.expiresAt, key.notAfter].filter((end) => end !== null).map((end) => end.getTime());
  return {
    keyId,
    keyType: key.keyType,
    boundBotId: key.boundBotId,
    workspaceId: key.workspaceId,
    environmentId: key.environmentId,
    expiresAtMs: Math.min(...ends, Number.POSITIVE_INFINITY),
    principal: {
      kind: 'member',
      entitlement: 'api_keys',
      caller: {
        tenantId,
        actor: { type: 'api_key', id: keyId },
        // Limited to what keys can currently have, whatever was granted earlier.
        permissions: new Set<Permission>(KeyPermission.options.filter((name) => key.permissions.includes(name))),
        ...(key.workspaceOfBindings !== null && {
          bindings: {
            workspaceId: key.workspaceOfBindings,
            botId: key.boundBotId,
            environmentId: key.environmentId,
          },
        }),
      },
    },
  };
}
