import { errors, Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Client } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import { derivedKeys } from '../../platform/crypto.ts';
import type { PoolName } from '../../platform/pool.ts';
import { metadataOf, oidcScope, promptPolicy } from './clients.ts';
import { createAdapter, reach, sessionBeingMade } from './adapter.store.ts';
import type { SigningKey } from './signing-keys.store.ts';
import {
  findSessionOfGrant,
  insertSession,
  newSession,
  reauthenticateSession,
  touchSession,
  type LiveSession,
} from './sessions.store.ts';
import { findPerson, tenantStillTheirs, tenantToBeginWith } from './people.store.ts';

/** In seconds. Sessions end by themselves: an operator's within the day, a customer's within the month. */
export const lifetimes = {
  customer: { access: 600, idle: 14 * 86_400, absolute: 30 * 86_400, browser: 14 * 86_400 },
  admin: { access: 300, idle: 3_600, absolute: 12 * 3_600, browser: 12 * 3_600 },
};

export const audienceOf = (pool: PoolName) => `urn:parley:${pool}`;
export const issuerOf = (publicUrl: string, pool: PoolName) => `${publicUrl.replace(/\/$/, '')}/pools/${pool}`;

/** What a page of the library's looks like, by whoever makes pages. */
export interface LibraryPages {
  error(ctx: KoaContextWithOIDC, error: string): Promise<void>;
  signOut(ctx: KoaContextWithOIDC, form: string): Promise<void>;
  signedOut(ctx: KoaContextWithOIDC): Promise<void>;
}

export interface ProviderParts {
  services: Services;
  pool: PoolName;
  issuer: string;
  keys: readonly SigningKey[];
  clients: readonly Client[];
  pages: LibraryPages;
  fetch: typeof globalThis.fetch;
}

/** One pool as an OIDC provider. Its keys are fixed: new keys mean a new one, which costs nothing as it keeps no state. */
export function buildProvider({ services, pool, issuer, keys, clients, pages, fetch }: ProviderParts): Provider {
  const { access, idle, absolute, browser } = lifetimes[pool];
  const { db, keyring } = services;
  const audience = audienceOf(pool);

  const configuration: Configuration = {
    adapter: createAdapter(db, pool),
    clients: metadataOf(pool, clients),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    cookies: {
      keys: derivedKeys(keyring, `cookies/${pool}`),
      // Two pools on one host must not read each other's.
      names: { session: `${pool}_sid`, interaction: `${pool}_int`, resume: `${pool}_res` },
      long: {
        path: `/pools/${pool}`,
        sameSite: 'lax',
        httpOnly: true,
        secure: issuer.startsWith('https:'),
        signed: true,
      },
      short: { sameSite: 'lax', httpOnly: true, secure: issuer.startsWith('https:'), signed: true },
    },
    ttl: {
      AccessToken: access,
      AuthorizationCode: 60,
      Grant: absolute, // the end of a family, however often it is refreshed
      IdToken: access,
      Interaction: 900,
      RefreshToken: idle,
      Session: browser,
    },
    scopes: ['openid', 'offline_access'], // the API's own belongs to the resource server only, or sign-in asks for ever
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'locale'] },
    conformIdTokenClaims: false, // there is no userinfo endpoint to ask instead
    responseTypes: ['code'],
    clientBasedCORS: () => false, // programs ask from their servers, not from pages
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false, // a code is exchanged only by whoever knows where it was sent
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    interactions: {
      policy: promptPolicy(),
      url: (_ctx, interaction) => `/pools/${pool}/interaction/${interaction.uid}`,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => pages.signOut(ctx, form),
        postLogoutSuccessSource: (ctx) => pages.signedOut(ctx),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resource !== audience) throw new errors.InvalidTarget();
          return resourceServer(pool);
        },
      },
    },
    // With what our own client understands of it: the library brings a guard of its own, and ours is stricter.
    fetch: (url, { method = 'GET', headers, body, signal } = {}) =>
      fetch(url, {
        method,
        ...(headers && { headers }),
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        ...(signal && { signal }),
      }),
    renderError: (ctx, out) => pages.error(ctx, out.error),

    /** Asked at every sign-in and refresh: a disabled person is nobody. */
    findAccount: async (_ctx, userId) => {
      const person = await reach(db, pool, (tx) => findPerson(tx, userId));
      if (!person || person.disabledAt) return undefined;
      const { email, name, locale } = person;
      return { accountId: userId, claims: () => ({ sub: userId, email, email_verified: true, name, locale }) };
    },

    /** Our own portals ask nobody's consent: what they may do is granted when somebody signs in. */
    loadExistingGrant: async (ctx) => {
      const { client, session, provider, result } = ctx.oidc;
      if (!client || !session?.accountId) return undefined;
      const authenticatedAt = new Date((session.loginTs ?? 0) * 1_000);
      const methods = session.amr ?? [];
      const known = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
      const grant = known ? await provider.Grant.find(known) : undefined;
      if (grant && known) {
        const isLive = await reach(db, pool, async (tx) => {
          const found = await findSessionOfGrant(tx, known);
          if (found && found.authenticatedAt < authenticatedAt)
            await reauthenticateSession(tx, found.id, methods, authenticatedAt);
          return found !== undefined;
        });
        if (isLive) return grant;
      }
      const fresh = newGrant(provider, pool, client.clientId, session.accountId);
      const grantId = await fresh.save();
      const userId = session.accountId;
      await reach(db, pool, async (tx) => {
        const begun = {
          userId,
          clientId: client.clientId,
          methods,
          authenticatedAt,
          ip: ctx.ip,
          userAgent: ctx.get('user-agent'),
          lifetimeSeconds: absolute,
          tenantId: await tenantToBeginWith(tx, pool, userId),
        };
        await insertSession(tx, { ...begun, grantId }, newSession(begun));
      });
      return fresh;
    },

    extraTokenClaims: async (_ctx, token) => {
      const grantId = 'grantId' in token ? token.grantId : undefined;
      if (!grantId) return undefined;
      const made = sessionBeingMade();
      if (made) return claimsOf(made);
      const session = await reach(db, pool, async (tx) => {
        const found = await findSessionOfGrant(tx, grantId);
        if (!found) return undefined;
        await touchSession(tx, found.id);
        return { ...found, tenantId: await tenantStillTheirs(tx, pool, found) };
      });
      if (!session) throw new errors.InvalidGrant('the session has ended');
      return claimsOf(session);
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(async (ctx, next) => {
    await next();
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    if (oidc?.route === 'end_session_confirm' && oidc.params?.['logout']) await endFamilies(oidc);
  });
  provider.proxy = true; // whoever mounts it says which host, protocol and address it sees
  return provider;
}

/** Signing out ends what was signed in to. The library spares what outlives its own session, and ours all does. */
async function endFamilies({ session, provider }: KoaContextWithOIDC['oidc']) {
  for (const { grantId } of Object.values(session?.authorizations ?? {})) {
    if (!grantId) continue;
    await provider.RefreshToken.revokeByGrantId(grantId);
    await provider.AuthorizationCode.revokeByGrantId(grantId);
    await provider.Grant.adapter.destroy(grantId);
  }
}

const claimsOf = ({ id, tenantId, operatorId }: LiveSession) => ({
  sid: id,
  ...(tenantId && { tenant_id: tenantId }),
  ...(operatorId && { act: { sub: operatorId } }),
});

export const resourceServer = (pool: PoolName) => ({
  scope: 'api',
  audience: audienceOf(pool),
  accessTokenFormat: 'jwt' as const,
  accessTokenTTL: lifetimes[pool].access,
  jwt: { sign: { alg: 'RS256' as const } },
});

export function newGrant(provider: Provider, pool: PoolName, clientId: string, accountId: string) {
  const grant = new provider.Grant({ clientId, accountId });
  grant.addOIDCScope(oidcScope);
  grant.addResourceScope(audienceOf(pool), 'api');
  return grant;
}
export const refreshScope = `${oidcScope} api`;
