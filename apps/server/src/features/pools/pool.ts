import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalJWKSet, errors as joseErrors, type JWK, type JWTVerifyGetKey } from 'jose';
import inject from 'light-my-request';
import type { Provider } from 'oidc-provider';
import type { Config } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import { unauthorized, unavailable } from '../../platform/errors.ts';
import { inPool, type PoolName, type PoolTx } from '../../platform/pool.ts';
import type { Log } from '../../platform/telemetry.ts';
import { savedWith } from './adapter.store.ts';
import { ownClientId } from './clients.ts';
import {
  buildProvider,
  issuerOf,
  lifetimes,
  newGrant,
  refreshScope,
  resourceServer,
  type LibraryPages,
} from './provider.ts';
import { insertSession, newSession, type NewSession } from './sessions.store.ts';
import { tendKeys, type SigningKey } from './signing-keys.store.ts';

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

/** Somebody who has proved who they are, and from where. */
export type Arrival = Pick<NewSession, 'userId' | 'methods' | 'ip' | 'userAgent' | 'tenantId'>;

export interface PoolParts {
  services: Services;
  config: Config;
  log: Log;
  pages: LibraryPages;
  /** For back-channel log-out: the guarded client, as for everything that leaves. */
  fetch: typeof globalThis.fetch;
}

const kidsOf = (keys: readonly SigningKey[]) => keys.map(({ kid }) => kid).join();

/** A pool whose people sign in here. Any OIDC issuer can stand in its place: everything else only sees its tokens. */
export function openPool(name: PoolName, { services, config, log, pages, fetch }: PoolParts) {
  const issuer = issuerOf(config.PUBLIC_URL, name);
  const here = new URL(issuer);
  const { access, absolute } = lifetimes[name];

  /** What stands on the keys of now. */
  interface Keyed {
    kids: string;
    provider: Provider;
    callback: ReturnType<Provider['callback']>;
    publicKeys: ReturnType<typeof createLocalJWKSet>;
  }
  let keyed: Keyed | undefined;
  let tending: Promise<Keyed> | undefined;
  let tendedAt = 0;

  const tend = (): Promise<Keyed> =>
    (tending ??= tendKeys(services, name, config.SIGNING_KEY_DAYS)
      .then((keys) => (keyed = keyed?.kids === kidsOf(keys) ? keyed : build(keys)))
      .finally(() => {
        tending = undefined;
        tendedAt = Date.now();
      }));
  /** The first to ask waits for the keys: a process starts without its database, and finds it when it is there. */
  const ready = (): Keyed | Promise<Keyed> => keyed ?? tend();

  function build(keys: SigningKey[]): Keyed {
    const provider = buildProvider({ services, pool: name, issuer, keys, clients: config.OIDC_CLIENTS, pages, fetch });
    const notify = (error: unknown) => log.error({ err: error, pool: name }, 'OIDC provider failed');
    provider.on('server_error', (_ctx, error) => notify(error));
    (provider as NodeJS.EventEmitter).on('error', notify); // Koa's own, which would else be printed
    const jwks = keys.map(({ privateJwk: { kty, n, e, kid, alg, use } }) => ({ kty, n, e, kid, alg, use }) as JWK);
    return {
      kids: kidsOf(keys),
      provider,
      callback: provider.callback(),
      publicKeys: createLocalJWKSet({ keys: jwks }),
    };
  }

  const retend = () => void tend().catch((error: unknown) => log.error({ err: error }, 'loading signing keys failed'));
  // Also how long a withdrawn key is still believed, as it is withdrawn from a shell that has no other way to tell.
  const timer = setInterval(retend, 4_000);

  /** Another process may have signed with a key made a moment ago. At most one look a second, whatever a token says. */
  const verifyKeys: JWTVerifyGetKey = async (header, token) => {
    try {
      return await (await ready()).publicKeys(header, token);
    } catch (error) {
      if (!(error instanceof joseErrors.JWKSNoMatchingKey) || Date.now() - tendedAt < 1_000) throw error;
      return (await tend()).publicKeys(header, token);
    }
  };

  /** The library speaks for the address callers know, whatever stands between: nothing a caller sends says otherwise. */
  async function handle(request: IncomingMessage, response: ServerResponse, ip: string): Promise<void> {
    const { callback } = await ready();
    const { headers } = request;
    headers.host = here.host;
    headers['x-forwarded-proto'] = here.protocol.slice(0, -1);
    headers['x-forwarded-for'] = ip;
    delete headers['x-forwarded-host'];
    const mounted = request as IncomingMessage & { originalUrl?: string };
    mounted.originalUrl = request.url ?? '/';
    const path = (request.url ?? '/').slice(here.pathname.length) || '/';
    // Coming back from our page takes no parameters, and the library stumbles over some.
    request.url = /^\/auth\/./.test(path) ? path.replace(/\?.*/, '') : path;
    await callback(request, response);
  }

  /** The library's own endpoint, without a socket. */
  const ask = async (path: string, form: Record<string, string>) => {
    const { callback } = await ready();
    const response = await inject((request, response) => void callback(request, response), {
      method: 'POST',
      url: path,
      headers: {
        host: here.host,
        'x-forwarded-proto': here.protocol.slice(0, -1),
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
      kid !== undefined && keyed !== undefined && keyed.kids.split(',').includes(kid),
    handle,
    provider: async () => (await ready()).provider,
    inPool: <T>(work: (tx: PoolTx) => Promise<T>) => inPool(services.db, name, work),

    /** Makes what the code flow would make, as part of the caller's transaction: a grant, its session, its first tokens. */
    begin: (tx: PoolTx, arrival: Arrival): Promise<Tokens> =>
      savedWith(tx, async (under) => {
        const { provider } = await ready();
        const client = await provider.Client.find(ownClientId);
        if (!client) throw new Error('built-in client not found');
        const { userId: accountId, methods } = arrival;
        const authenticatedAt = new Date();
        const session = { ...arrival, clientId: ownClientId, authenticatedAt, lifetimeSeconds: absolute };
        under.session = newSession(session);
        const base = { client, accountId, gty: 'password' };
        const accessToken = new provider.AccessToken({ ...base, grantId: 'being made', scope: 'api' });
        accessToken.resourceServer = new provider.ResourceServer(audience(), resourceServer(name));
        const signing = accessToken.save(); // meanwhile the rest is stored
        signing.catch(() => {}); // heard below
        const grantId = await newGrant(provider, name, ownClientId, accountId).save();
        await insertSession(tx, { ...session, grantId }, under.session);
        const refreshToken = new provider.RefreshToken({
          ...base,
          grantId,
          scope: refreshScope,
          resource: audience(),
          authTime: Math.floor(authenticatedAt.getTime() / 1_000),
          amr: [...methods],
          rotations: 0,
        });
        return { refreshToken: await refreshToken.save(), accessToken: await signing, expiresIn: access };
      }),

    /** For whom it was made: our own routes, or a portal that signs people in by the hosted pages. */
    async refresh(refreshToken: string, clientId = ownClientId): Promise<Tokens> {
      const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: refreshToken };
      const response = await ask('/token', form);
      if (response.statusCode !== 200)
        throw unauthorized(
          'invalid_refresh_token',
          'This session has ended, or the token was already used. Sign in again.',
        );
      const body = response.json<{ access_token: string; refresh_token: string; expires_in: number }>();
      return { accessToken: body.access_token, refreshToken: body.refresh_token, expiresIn: body.expires_in };
    },

    /** An operator in somebody's place: one access token, for minutes, and nothing to renew it with. */
    lend: (tx: PoolTx, lent: Omit<NewSession, 'clientId' | 'authenticatedAt'>) =>
      savedWith(tx, async (under) => {
        const { provider } = await ready();
        const client = await provider.Client.find(ownClientId);
        const { userId: accountId, lifetimeSeconds } = lent;
        const session = { ...lent, clientId: ownClientId, authenticatedAt: new Date(0) };
        under.session = newSession(session);
        const grant = newGrant(provider, name, ownClientId, accountId);
        const grantId = await Object.assign(grant, { expiresIn: lifetimeSeconds }).save();
        await insertSession(tx, { ...session, grantId }, under.session);
        const token = new provider.AccessToken({
          client,
          accountId,
          grantId,
          gty: 'impersonation',
          scope: 'api',
        } as never);
        token.resourceServer = new provider.ResourceServer(audience(), resourceServer(name));
        Object.assign(token, { expiresIn: lifetimeSeconds });
        return { sessionId: under.session.id, accessToken: await token.save(), expiresIn: lifetimeSeconds };
      }),

    stop: () => clearInterval(timer),
  };

  function audience() {
    return resourceServer(name).audience;
  }
}
export type Pool = ReturnType<typeof openPool>;

/** The pool as the authorizer sees it: one more trusted issuer, whose keys are at hand. */
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
