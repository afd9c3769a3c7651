import type { Provider } from 'oidc-provider';
import type { PoolName } from '../../platform/pool.ts';
import { oidcScope } from './clients.ts';

/** In seconds. Operators' sessions expire within a day, customers' within a month. */
export const lifetimes = {
  customer: { access: 600, idle: 14 * 86_400, absolute: 30 * 86_400, browser: 14 * 86_400 },
  admin: { access: 300, idle: 3_600, absolute: 12 * 3_600, browser: 12 * 3_600 },
};

export const audienceOf = (pool: PoolName) => `urn:parley:${pool}`;
export const issuerOf = (publicUrl: string, pool: PoolName) => `${publicUrl.replace(/\/$/, '')}/pools/${pool}`;

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
