import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalJWKSet, errors as joseErrors, type JWK, type JWTVerifyGetKey } from 'jose';
import inject from 'light-my-request';
import type { Provider } from 'oidc-provider';
import type { Config } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import { unauthorized, unavailable } from '../../platform/errors.ts';
import { later } from '../../platform/db.ts';
import { inPool, readPool, type PoolName, type PoolTx } from '../../platform/pool.ts';
import type { Log } from '../../platform/telemetry.ts';
import { ownClientId } from './clients.ts';
import { withOidcTransaction } from './oidc-transaction.ts';
import type { LibraryPages } from './provider.ts';
import { insertSession, newSession, type NewSession } from './sessions.store.ts';
import { ensureSigningKeys, type SigningKey } from './signing-keys.store.ts';
import { issuerOf, lifetimes, newGrant, refreshScope, resourceServer } from './tokens.ts';

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

/** The access token is signed while the session is stored. */
export type NewTokens = Omit<Tokens, 'accessToken'> & { accessToken: Promise<string> };

/** An authenticated person and the request that authenticated them. */
export type SessionInput = Pick<NewSession, 'userId' | 'methods' | 'ip' | 'userAgent' | 'tenantId'>;

export interface PoolDeps {
  services: Services;
  config: Config;
  log: Log;
  pages: LibraryPages;
  /** For back-channel logout: the SSRF-safe client, as for all outbound requests. */
  fetch: typeof globalThis.fetch;
}

const kidsOf = (keys: readonly SigningKey[]) => keys.map(({ kid }) => kid).join();

/** A built-in pool. It can be replaced by any OIDC issuer, because everything else sees only its tokens. */
export function openPool(name: PoolName, { services, config, log, pages, fetch }: PoolDeps) {
  const issuer = issuerOf(config.PUBLIC_URL, name);
  const issuerUrl = new URL(issuer);
  const { access, absolute } = lifetimes[name];

  interface OpenProvider {
    provider: Provider;
    callback: ReturnType<Provider['callback']>;
  }
  /** Everything derived from the current keys. */
  interface KeyState {
    kids: string;
    publicKeys: ReturnType<typeof createLocalJWKSet>;
    openProvider: () => Promise<OpenProvider>;
  }
  let keyState: KeyState | undefined;
  let refreshing: Promise<KeyState> | undefined;
  let refreshedAt = 0;

  const refreshKeys = (): Promise<KeyState> =>
    (refreshing ??= ensureSigningKeys(services, name, config.SIGNING_KEY_DAYS)
      .then((keys) => (keyState = keyState?.kids === kidsOf(keys) ? keyState : build(keys)))
      .finally(() => {
        refreshing = undefined;
        refreshedAt = Date.now();
      }));
  /** The first call loads the keys, so that a process can start while the database is unavailable. */
  const ready = (): KeyState | Promise<KeyState> => keyState ?? refreshKeys();

  function build(keys: SigningKey[]): KeyState {
    const jwks = keys.map(({ privateJwk: { kty, n, e, kid, alg, use } }) => ({ kty, n, e, kid, alg, use }) as JWK);
    let opening: Promise<OpenProvider> | undefined;
    return {
      kids: kidsOf(keys),
      publicKeys: createLocalJWKSet({ keys: jwks }),
      openProvider: () =>
        (opening ??= buildProvider(keys).catch((error: unknown) => {
          opening = undefined; // the next sign-in loads it again
          throw error;
        })),
    };
  }

  /** Loads the OIDC library with the first sign-in. A process that only verifies tokens, or a worker, never needs it. */
  async function buildProvider(keys: SigningKey[]): Promise<OpenProvider> {
    const library = await import('./provider.ts');
    const provider = library.buildProvider({
      services,
      pool: name,
      issuer,
      keys,
      clients: config.OIDC_CLIENTS,
      pages,
      fetch,
    });
    const logError = (error: unknown) => log.error({ err: error, pool: name }, 'OIDC provider failed');
    provider.on('server_error', (_ctx, error) => logError(error));
    (provider as NodeJS.EventEmitter).on('error', logError); // Koa's own errors, which would otherwise be printed
    return { provider, callback: provider.callback() };
  }
  const openProvider = async () => (await ready()).openProvider();

  const refreshInBackground = () =>
    void refreshKeys().catch((error: unknown) => log.error({ err: error }, 'loading signing keys failed'));
  // Also how long a revoked key is still accepted, because the CLI that revokes it cannot notify the servers.
  const timer = setInterval(refreshInBackground, 4_000);

  /** Another process may have signed with a new key. Reloads the keys at most once per second. */
  const verifyKeys: JWTVerifyGetKey = async (header, token) => {
    try {
      return await (await ready()).publicKeys(header, token);
    } catch (error) {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey) || Date.now() - refreshedAt < 1_000) throw error;
      return (await refreshKeys()).publicKeys(header, token);
    }
  };

  /** Makes the library use the public URL, whatever proxies are in between and whatever headers the caller sends. */
  async function handle(request: IncomingMessage, response: ServerResponse, ip: string): Promise<void> {
    const { callback } = await openProvider();
    const { headers } = request;
    headers.host = issuerUrl.host;
    headers['x-forwarded-proto'] = issuerUrl.protocol.slice(0, -1);
    headers['x-forwarded-for'] = ip;
    delete headers['x-forwarded-host'];
    const mounted = request as IncomingMessage & { originalUrl?: string };
    mounted.originalUrl = request.url ?? '/';
    const path = (request.url ?? '/').slice(issuerUrl.pathname.length) || '/';
    // Returning from the hosted page needs no parameters, and the library fails on some.
    request.url = /^\/auth\/./.test(path) ? path.replace(/\?.*/, '') : path;
    await callback(request, response);
  }

  /** Calls the library's endpoint without a socket. */
  const postForm = async (path: string, form: Record<string, string>) => {
    const { callback } = await openProvider();
    const response = await inject((request, response) => void callback(request, response), {
      method: 'POST',
      url: path,
      headers: {
        host: issuerUrl.host,
        'x-forwarded-proto': issuerUrl.protocol.slice(0, -1),
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ client_id: ownClientId, ...form }).toString(),
    });
    if (response.statusCode >= 500)
      throw unavailable('sign_in_unavailable', 'Sign-in is temporarily unavailable. Try again in a moment.');
    return response;
  };

  return {
    name,
    issuer,
    verifyKeys,
    hasKey: (kid: string | undefined) =>
      kid !== undefined && keyState !== undefined && keyState.kids.split(',').includes(kid),
    handle,
    provider: async () => (await openProvider()).provider,
    inPool: <T>(work: (tx: PoolTx) => Promise<T>) => inPool(services.db, name, work),
    readPool: <T>(work: (tx: PoolTx) => Promise<T>) => readPool(services.db, name, work),

    /** Creates what the code flow would create, in the caller's transaction: a grant, its session and its first tokens. */
    startSession: (tx: PoolTx, input: SessionInput): Promise<NewTokens> =>
      withOidcTransaction(tx, async (transaction) => {
        const { provider } = await openProvider();
        const client = await provider.Client.find(ownClientId);
        if (!client) throw new Error('built-in client not found');
        const { userId: accountId, methods } = input;
        const authenticatedAt = new Date();
        const session = { ...input, clientId: ownClientId, authenticatedAt, lifetimeSeconds: absolute };
        transaction.session = newSession(session);
        const base = { client, accountId, gty: 'password' };
        const accessToken = new provider.AccessToken({ ...base, grantId: 'being made', scope: 'api' });
        accessToken.resourceServer = new provider.ResourceServer(audience(), resourceServer(name));
        const signing = accessToken.save(); // stores nothing
        signing.catch(() => {}); // awaited by the caller
        const grantId = await newGrant(provider, name, ownClientId, accountId).save();
        later(tx, insertSession(tx, { ...session, grantId }, transaction.session));
        const refreshToken = new provider.RefreshToken({
          ...base,
          grantId,
          scope: refreshScope,
          resource: audience(),
          authTime: Math.floor(authenticatedAt.getTime() / 1_000),
          amr: [...methods],
          rotations: 0,
        });
        return { refreshToken: await refreshToken.save(), accessToken: signing, expiresIn: access };
      }),

    /** Refreshes a token of the built-in client, or of a portal that uses the hosted pages. */
    async refresh(refreshToken: string, clientId = ownClientId): Promise<Tokens> {
      const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: refreshToken };
      const response = await postForm('/token', form);
      if (response.statusCode !== 200)
        throw unauthorized(
          'invalid_refresh_token',
          'This session has ended, or the token was already used. Sign in again.',
        );
      const body = response.json<{ access_token: string; refresh_token: string; expires_in: number }>();
      return { accessToken: body.access_token, refreshToken: body.refresh_token, expiresIn: body.expires_in };
    },

    /** Starts an impersonation session: one short-lived access token without a refresh token. */
    startImpersonation: (tx: PoolTx, input: Omit<NewSession, 'clientId' | 'authenticatedAt'>) =>
      withOidcTransaction(tx, async (transaction) => {
        const { provider } = await openProvider();
        const client = await provider.Client.find(ownClientId);
        const { userId: accountId, lifetimeSeconds } = input;
        const session = { ...input, clientId: ownClientId, authenticatedAt: new Date(0) };
        transaction.session = newSession(session);
        const grant = newGrant(provider, name, ownClientId, accountId);
        const grantId = await Object.assign(grant, { expiresIn: lifetimeSeconds }).save();
        later(tx, insertSession(tx, { ...session, grantId }, transaction.session));
        const token = new provider.AccessToken({
          client,
          accountId,
          grantId,
          gty: 'impersonation',
          scope: 'api',
        } as never);
        token.resourceServer = new provider.ResourceServer(audience(), resourceServer(name));
        Object.assign(token, { expiresIn: lifetimeSeconds });
        return { sessionId: transaction.session.id, accessToken: await token.save(), expiresIn: lifetimeSeconds };
      }),

    stop: () => clearInterval(timer),
  };

  function audience() {
    return resourceServer(name).audience;
  }
}
export type Pool = ReturnType<typeof openPool>;

/** The pool as a trusted issuer of the token verifier. */
export const ownIssuer = ({ name, issuer, verifyKeys, hasKey }: Pool) => ({
  issuer: {
    pool: name,
    issuer,
    jwksUrl: `${issuer}/jwks`,
    audience: [resourceServer(name).audience],
    clientIds: [],
    algorithms: ['RS256' as const],
    preset: 'at+jwt' as const,
    domains: [],
    mfaAcrValues: [],
  },
  keys: verifyKeys,
  hasKey,
});
