import { unauthorized } from '../platform/errors.ts';
import { emailsChannel } from '../platform/emails.ts';
import type { Route } from '../platform/http/route.ts';
import type { PoolName } from '../platform/pool.ts';
import type { Platform } from '../platform/platform.ts';
import { guardedFetch } from '../platform/safe-fetch-web.ts';
import { accountRoutes } from './accounts/accounts.routes.ts';
import { externalSignInRoutes } from './accounts/sign-in/external-sign-in.routes.ts';
import { openAccounts } from './accounts/index.ts';
import { signInOptionsRoute } from './accounts/sign-in/sign-in-options.ts';
import { twoFactorRoutes } from './accounts/two-factor/two-factor.routes.ts';
import { anyLoopbackPort } from './hosted-pages/html/layout.ts';
import { libraryPages } from './hosted-pages/pages/library-pages.ts';
import { linkPageRoutes } from './hosted-pages/link.routes.ts';
import { signInPageRoutes } from './hosted-pages/sign-in.routes.ts';
import type { PageSite } from './hosted-pages/page-requests.ts';
import { openPool, ownIssuer } from './pools/index.ts';
import { poolRoutes } from './pools/pools.routes.ts';
import { joinByInvitation } from './users/join.ts';
import { createVerifier } from './users/token.ts';
import { createUserAuth } from './users/users.auth.ts';

/** Sign-in with built-in pools and external issuers, and the verification of their tokens. */
export function openSignIn({ services, config, signals, log, safeFetch, consume }: Platform) {
  const builtInPools = [...config.BUILTIN_POOLS].map((name) => {
    const site = pageSite(config, name);
    const pages = libraryPages(name, site.formOrigins);
    return { site, pool: openPool(name, { services, config, log, pages, fetch: guardedFetch(safeFetch) }) };
  });
  const pools = builtInPools.map(({ pool }) => pool);
  const verify = createVerifier(config.OIDC_ISSUERS, safeFetch, pools.map(ownIssuer));
  const users = createUserAuth(services, signals, verify, joinByInvitation(services, safeFetch));
  const wakeMailer = () => signals.send(emailsChannel, '');

  const routes = builtInPools.flatMap(({ pool, site }): Route[] => {
    const accounts = openAccounts({
      services,
      pool,
      config,
      log,
      consume,
      fetch: safeFetch,
      invalidateUser: (userId) => users.invalidateUser(pool.name, userId),
      invalidateMember: users.invalidateMember,
      invalidateSessions: (ids) => ids.forEach((id) => users.invalidateSession(pool.name, id)),
      readExternalToken: async (accessToken) => {
        const { issuer, subject, isOwn } = await verify(accessToken);
        if (isOwn || issuer.pool !== pool.name)
          throw unauthorized('invalid_token', 'This is not a token from an external issuer.');
        return { issuer: issuer.issuer, subject };
      },
      wakeMailer,
    });
    return [
      ...accountRoutes(accounts),
      ...twoFactorRoutes(accounts),
      ...poolRoutes(pool),
      ...signInPageRoutes(accounts, site),
      ...linkPageRoutes(accounts, site),
    ];
  });
  const both = ['customer', 'admin'] as const;
  const external = both.filter((name) => !config.BUILTIN_POOLS.has(name));
  return {
    ...users,
    pools,
    routes: [
      ...routes,
      ...both.map((name) => signInOptionsRoute(name, config)),
      ...external.flatMap((name) => externalSignInRoutes(name, config)),
    ],
    wakeMailer,
    stop: () => pools.forEach((pool) => pool.stop()),
  };
}

function pageSite({ PUBLIC_URL, PORTAL_URL, ADMIN_URL, OIDC_CLIENTS }: Platform['config'], pool: PoolName): PageSite {
  const redirects = OIDC_CLIENTS.filter((client) => client.pool === pool).flatMap((client) => [
    ...client.redirectUris,
    ...client.postLogoutRedirectUris,
  ]);
  return {
    pool,
    publicUrl: PUBLIC_URL,
    formOrigins: [
      ...new Set(redirects.map((uri) => new URL(uri).origin)),
      ...(pool === 'customer' ? [anyLoopbackPort] : []), // `parley login`
    ],
    signInUrl: pool === 'customer' ? PORTAL_URL : ADMIN_URL,
  };
}
