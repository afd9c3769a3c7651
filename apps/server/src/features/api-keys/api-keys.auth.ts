import type { Permission } from '../../platform/access.contract.ts';
import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Caller, type Services } from '../../platform/context.ts';
import { unauthorized } from '../../platform/errors.ts';
import type { Authenticator, Principal } from '../../platform/http/guard.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Signals } from '../../platform/valkey.ts';
import { isWellFormed, nameOf } from './api-key-secret.ts';
import { KeyPermission } from './api-keys.contract.ts';
import type { ChangedKey } from './api-keys.service.ts';
import * as store from './api-keys.store.ts';

/** What a key is held to, besides its tenant. null: anything of the tenant. */
export interface Bindings {
  boundBotId: string | null;
  workspaceId: string | null;
  environmentId: string | null;
}
export interface KnownSecret extends Bindings {
  keyId: Id<'apiKey'>;
  keyType: string;
  /** The secret's own end or the key's, whichever comes first. */
  endsAt: number;
  principal: Principal & { caller: Caller };
}
interface Found {
  secret: KnownSecret | null;
}
interface Life {
  bindings: Bindings | null;
  endsAt: number;
}

/** Whatever is wrong with the pair, the answer is the same: it tells a guesser nothing. */
const refused = () => unauthorized('invalid_api_key', 'The key or its id is wrong, or the key was revoked.');

/** Recognises keys by their secret: remembered for seconds, and dropped on every node when a key changes. */
export function createKeyAuth(services: Services, signals: Signals, onUse: (caller: Caller) => void) {
  const cache = createCache<Found>('api-key', signals, async (name) => ({
    secret: await load(services, Buffer.from(name, 'base64')),
  }));

  const lives = createCache<Life>('api-key-life', signals, (name) => loadLife(services, name));

  const accept = ({ secret }: Found, keyId: unknown): Principal => {
    if (!secret || secret.keyId !== keyId || secret.keyType !== 'secret_server') throw refused();
    // Only somebody who holds the secret learns that it was right once.
    if (secret.endsAt <= Date.now())
      throw unauthorized('key_expired', 'This key has expired, or its secret was rotated and no longer works.');
    onUse(secret.principal.caller);
    return secret.principal;
  };

  /** A server key is two headers: the secret, and the key's id. */
  const authenticate: Authenticator = ({ headers }) => {
    const { authorization } = headers;
    if (authorization?.startsWith('Bearer pk_live_'))
      throw unauthorized('wrong_key_type', 'This is a widget key, which is for browsers. Send a server key.');
    if (!authorization?.startsWith('Bearer sc_live_')) return null;
    const secret = authorization.slice('Bearer '.length);
    const keyId = headers['x-service-api-key-id'];
    const name = nameOf(secret);
    const known = cache.peek(name);
    if (known) return accept(known, keyId);
    if (!isWellFormed(secret)) throw refused(); // a typing error costs no query
    const found = cache.get(name);
    return found instanceof Promise ? found.then((loaded) => accept(loaded, keyId)) : accept(found, keyId);
  };

  /** For a key that came in a body: who holds it, if anybody. Whoever asks says what it must be good for. */
  const lookUp = async (secret: string): Promise<KnownSecret | null> =>
    isWellFormed(secret) ? (await cache.get(nameOf(secret))).secret : null;

  /** What a key is held to while it lives; null once it is revoked or has ended. What it opened dies with it. */
  const bindingsOf = async (tenantId: string, keyId: string): Promise<Bindings | null> => {
    const { bindings, endsAt } = await lives.get(`${tenantId}/${keyId}`);
    return endsAt > Date.now() ? bindings : null;
  };

  return {
    authenticate,
    lookUp,
    bindingsOf,
    noteUse: onUse,
    invalidate: ({ tenantId, keyId, secretHashes }: ChangedKey) => {
      for (const hash of secretHashes) cache.invalidate(hash.toString('base64'));
      lives.invalidate(`${tenantId}/${keyId}`);
    },
  };
}
export type KeyAuth = ReturnType<typeof createKeyAuth>;

async function loadLife(services: Services, name: string): Promise<Life> {
  const [tenantId, keyId = ''] = name.split('/');
  const caller = asSystem(tenantId as Id<'tenant'>, 'api-key');
  const key = await inTenant(services, caller, ({ tx }) => store.findLife(tx, keyId), { readOnly: true });
  if (!key || key.revokedAt) return { bindings: null, endsAt: 0 };
  return { bindings: key, endsAt: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY };
}

async function load(services: Services, secretHash: Buffer): Promise<KnownSecret | null> {
  const place = await store.findTenantBySecret(services.db, secretHash);
  if (!place) return null;
  const { tenantId, keyId } = place;
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
    endsAt: Math.min(...ends, Number.POSITIVE_INFINITY),
    principal: {
      kind: 'member',
      entitlement: 'api_keys',
      caller: {
        tenantId,
        actor: { type: 'api_key', id: keyId },
        // Cut to what keys may hold today, whatever one was given once.
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
