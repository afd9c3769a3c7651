import type { Config } from '../../../platform/config.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PoolName } from '../../../platform/pool.ts';
import * as contract from '../accounts.contract.ts';
import { routesOf } from '../person-route.ts';

/** Where people of another issuer of this pool sign in. */
export const signInUrlOf = (name: PoolName, { OIDC_ISSUERS }: Pick<Config, 'OIDC_ISSUERS'>) =>
  OIDC_ISSUERS.find(({ pool, signInUrl }) => pool === name && signInUrl)?.signInUrl;

/** What a page asks before it shows a form: the same for everybody, and told to nobody in particular. */
export function signInOptionsRoute(name: PoolName, config: Config): Route {
  const isHere = config.BUILTIN_POOLS.has(name);
  return routesOf(name).open({
    method: 'GET',
    path: '/auth/options',
    name: 'getSignInOptions',
    summary: 'Get the sign-in options',
    limit: { name: 'sign-in-options', points: 300, seconds: 60 },
    cache: { seconds: 60, staleSeconds: 60, varyBy: 'origin' },
    response: contract.SignInOptions,
    handler: () => ({
      signup: name === 'customer' && isHere && config.SIGNUP === 'open',
      signUpCheck: config.SIGN_UP_CHECK,
      passwordSignIn: isHere,
      signInUrl: signInUrlOf(name, config) ?? null,
    }),
  });
}
