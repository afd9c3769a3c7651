import type { Config } from '../../../platform/config.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PoolName } from '../../../platform/pool.ts';
import * as contract from '../accounts.contract.ts';
import { routesOf } from '../person-route.ts';

/** The sign-in page of this pool's external issuer. */
export const signInUrlOf = (name: PoolName, { OIDC_ISSUERS }: Pick<Config, 'OIDC_ISSUERS'>) =>
  OIDC_ISSUERS.find(({ pool, signInUrl }) => pool === name && signInUrl)?.signInUrl;

/** Tells a page which sign-in form to show. Public and the same for everyone, so it can be cached. */
export function signInOptionsRoute(name: PoolName, config: Config): Route {
  const isBuiltin = config.BUILTIN_POOLS.has(name);
  return routesOf(name).open({
    method: 'GET',
    path: '/auth/options',
    name: 'getSignInOptions',
    summary: 'Get the sign-in options',
    limit: { name: 'sign-in-options', points: 300, seconds: 60 },
    cache: { seconds: 60, staleSeconds: 60, varyBy: 'origin' },
    response: contract.SignInOptions,
    handler: () => ({
      signup: name === 'customer' && isBuiltin && config.SIGNUP === 'open',
      signUpCheck: config.SIGN_UP_CHECK,
      passwordSignIn: isBuiltin,
      signInUrl: signInUrlOf(name, config) ?? null,
    }),
  });
}
