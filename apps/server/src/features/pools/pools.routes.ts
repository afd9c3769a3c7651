import { z } from 'zod';
import { rawRoute, type Route } from '../../platform/http/route.ts';
import type { Pool } from './pool.ts';

const Any = z.looseObject({});
const Nothing = z.string().describe('An HTML page or a redirect.');

/** OpenID Connect, as its documents describe it. Errors are OAuth's own (`invalid_grant`, …), not ours. */
export function poolRoutes(pool: Pool): Route[] {
  const { name } = pool;
  const title = name === 'customer' ? 'Customer' : 'Operator';
  type Endpoint = [method: 'GET' | 'POST', path: `/${string}`, name: string, summary: string, answer: z.ZodType];
  const endpoints: Endpoint[] = [
    ['GET', '/.well-known/openid-configuration', 'Discovery', 'Get the OpenID Connect configuration', Any],
    ['GET', '/jwks', 'Keys', 'Get the public keys', Any],
    ['GET', '/auth', 'Authorize', 'Start a sign-in (authorization code with PKCE)', Nothing],
    ['GET', '/auth/:uid', 'Resume', 'Return from the sign-in page', Nothing],
    ['POST', '/token', 'Token', 'Exchange a code or a refresh token for tokens', Any],
    ['POST', '/token/revocation', 'Revoke', 'Revoke a refresh token and end its session (RFC 7009)', z.unknown()],
    ['GET', '/session/end', 'EndSession', 'Start a sign-out', Nothing],
    ['POST', '/session/end/confirm', 'ConfirmEndSession', 'Submit the sign-out page', Nothing],
    ['GET', '/session/end/success', 'SessionEnded', 'Show the signed-out page', Nothing],
  ];
  return endpoints.map(([method, path, operation, summary, answer]) =>
    rawRoute({
      method,
      path: `/pools/${name}${path}`,
      name: `${name}Pool${operation}`,
      tag: 'OpenID Connect',
      summary: `${title} pool: ${summary}`,
      ...(path.includes(':uid') && { params: z.object({ uid: z.string() }) }),
      limit: { name: `oidc`, points: 600, seconds: 60 },
      response: answer,
      handler: ({ request, response, ip: address }) => pool.handle(request, response, address),
    }),
  );
}
