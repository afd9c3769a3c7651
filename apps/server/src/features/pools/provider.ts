import { errors, Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Client } from '../../platform/config.ts';
import type { Services } from '../../platform/context.ts';
import { derivedKeys } from '../../platform/crypto.ts';
import { later } from '../../platform/db.ts';
import type { PoolName } from '../../platform/pool.ts';
import { clientMetadata } from './clients.ts';
import { createAdapter } from './adapter.store.ts';
import { inPoolTx, pendingSession, readPoolTx } from './oidc-transaction.ts';
import { promptPolicy } from './prompt-policy.ts';
import type { SigningKey } from './signing-keys.store.ts';
import {
  findSessionOfGrant,
  insertSession,
  newSession,
  reauthenticateSession,
  touchSession,
  type LiveSession,
} from './sessions.store.ts';
import { audienceOf, lifetimes, newGrant, resourceServer } from './tokens.ts';
import { findPerson, resolveSessionTenant, findInitialTenant } from './people.store.ts';

/** Renders the pages that the library shows. */
export interface LibraryPages {
  error(ctx: KoaContextWithOIDC, error: string): Promise<void>;
  signOut(ctx: KoaContextWithOIDC, form: string): Promise<void>;
  signedOut(ctx: KoaContextWithOIDC): Promise<void>;
}

export interface ProviderDeps {
  services: Services;
  pool: PoolName;
  issuer: string;
  keys: readonly SigningKey[];
  clients: readonly Client[];
  pages: LibraryPages;
  fetch: typeof globalThis.fetch;
}

/** A pool as an OIDC provider. Its keys are fixed; it is rebuilt for new keys, which is cheap because it has no state. */
export function buildProvider({ services, pool, issuer, keys, clients, pages, fetch }: ProviderDeps): Provider {
  const { access, idle, absolute, browser } = lifetimes[pool];
  const { db, keyring } = services;
  const audience = audienceOf(pool);

  const configuration: Configuration = {
    adapter: createAdapter(db, pool),
    clients: clientMetadata(pool, clients),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    cookies: {
      keys: derivedKeys(keyring, `cookies/${pool}`),
      // Two pools on one host must not read each other's cookies.
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
      Grant: absolute, // the maximum lifetime of a token family
      IdToken: access,
      Interaction: 900,
      RefreshToken: idle,
      Session: browser,
    },
    scopes: ['openid', 'offline_access'], // the `api` scope belongs to the resource server; here it would cause an endless prompt
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'locale'] },
    conformIdTokenClaims: false, // there is no userinfo endpoint
    responseTypes: ['code'],
    clientBasedCORS: () => false, // token requests come from servers, not from browsers
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false, // the token request must repeat the redirect URI
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
    // Our SSRF-safe client is stricter than the library's own check. It supports only these options.
    fetch: (url, { method = 'GET', headers, body, signal } = {}) =>
      fetch(url, {
        method,
        ...(headers && { headers }),
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        ...(signal && { signal }),
      }),
    renderError: (ctx, out) => pages.error(ctx, out.error),

    /** Called on every sign-in and refresh. A disabled person is not found. */
    findAccount: async (_ctx, userId) => {
      const person = await readPoolTx(db, pool, (tx) => findPerson(tx, userId));
      if (!person || person.disabledAt) return undefined;
      const { email, name, locale } = person;
      return { accountId: userId, claims: () => ({ sub: userId, email, email_verified: true, name, locale }) };
    },

    /** Our own portals need no consent: the grant is created at sign-in. */
    loadExistingGrant: async (ctx) => {
      const { client, session, provider, result } = ctx.oidc;
      if (!client || !session?.accountId) return undefined;
      const authenticatedAt = new Date((session.loginTs ?? 0) * 1_000);
      const methods = session.amr ?? [];
      const existingGrantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
      const grant = existingGrantId ? await provider.Grant.find(existingGrantId) : undefined;
      if (grant && existingGrantId) {
        const isLive = await inPoolTx(db, pool, async (tx) => {
          const found = await findSessionOfGrant(tx, existingGrantId);
          if (found && found.authenticatedAt < authenticatedAt)
            await reauthenticateSession(tx, found.id, methods, authenticatedAt);
          return found !== undefined;
        });
        if (isLive) return grant;
      }
      const createdGrant = newGrant(provider, pool, client.clientId, session.accountId);
      const grantId = await createdGrant.save();
      const userId = session.accountId;
      await inPoolTx(db, pool, async (tx) => {
        const input = {
          userId,
          clientId: client.clientId,
          methods,
          authenticatedAt,
          ip: ctx.ip,
          userAgent: ctx.get('user-agent'),
          lifetimeSeconds: absolute,
          tenantId: await findInitialTenant(tx, pool, userId),
        };
        later(tx, insertSession(tx, { ...input, grantId }, newSession(input)));
      });
      return createdGrant;
    },

    extraTokenClaims: async (_ctx, token) => {
      const grantId = 'grantId' in token ? token.grantId : undefined;
      if (!grantId) return undefined;
      const pending = pendingSession();
      if (pending) return claimsOf(pending);
      const session = await inPoolTx(db, pool, async (tx) => {
        const found = await findSessionOfGrant(tx, grantId);
        if (!found) return undefined;
        later(tx, touchSession(tx, found.id));
        return { ...found, tenantId: await resolveSessionTenant(tx, pool, found) };
      });
      if (!session) throw new errors.InvalidGrant('the session has ended');
      return claimsOf(session);
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(async (ctx, next) => {
    await next();
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    if (oidc?.route === 'end_session_confirm' && oidc.params?.['logout']) await revokeTokenFamilies(oidc);
  });
  provider.proxy = true; // `handle` in pool.ts sets the forwarded headers
  return provider;
}

/** Signing out revokes all tokens. The library keeps grants that outlive its own session, as all grants here do. */
async function revokeTokenFamilies({ session, provider }: KoaContextWithOIDC['oidc']) {
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
