import type { Config } from '../../../platform/config.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PoolName } from '../../../platform/pool.ts';
import * as contract from '../accounts.contract.ts';
import { routesOf } from '../person-route.ts';
import { signInUrlOf } from './sign-in-options.ts';

/** For a pool with an external issuer: password sign-in fails with the URL of the issuer's sign-in page. */
export function externalSignInRoutes(name: PoolName, config: Config): Route[] {
  const signInUrl = signInUrlOf(name, config) ?? (name === 'customer' ? config.PORTAL_URL : config.ADMIN_URL);
  return [
    routesOf(name).open({
      method: 'POST',
      path: '/auth/login',
      name: 'signIn',
      summary: 'Get the sign-in URL',
      limit: { name: 'sign-in-requests', points: 300, seconds: 60 },
      body: contract.SignIn,
      response: contract.SignedIn,
      handler: async () => {
        throw new AppError('CONFLICT', 'hosted_sign_in_required', 'Sign in at the URL in `details`.', {
          details: signInUrl ? [{ path: '/signInUrl', message: signInUrl }] : [],
        });
      },
    }),
  ];
}
