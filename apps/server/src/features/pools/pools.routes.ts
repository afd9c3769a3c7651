import { z } from 'zod';
import { rawRoute, type Route } from '../../platform/http/route.ts';
import type { Pool } from './pool.ts';

const JsonObject = z.looseObject({});
const HtmlOrRedirect = z.string().describe('An HTML page or a redirect.');

/** Standard OpenID Connect endpoints. Errors are OAuth's (`invalid_grant`, …), not ours. */
export function poolRoutes(pool: Pool): Route[] {
  const { name } = pool;
  const title = name === 'customer' ? 'Customer' : 'Operator';
  type Endpoint = [method: 'GET' | 'POST', path: `/${string}`, name: string, summary: string, response: z.ZodType];
  const endpoints: Endpoint[] = [
    ['GET', '/.well-known/openid-configuration', 'Discovery', 'Get the OpenID Connect configuration', JsonObject],
    ['GET', '/jwks', 'Keys', 'Get the public keys', JsonObject],
    ['GET', '/auth', 'Authorize', 'Start a sign-in (authorization code with PKCE)', HtmlOrRedirect],
    ['GET', '/auth/:uid', 'Resume', 'Return from the sign-in page', HtmlOrRedirect],
    ['POST', '/token', 'Token', 'Exchange a code or a refresh token for tokens', JsonObject],
    ['POST', '/token/revocation', 'Revoke', 'Revoke a refresh token and end its session (RFC 7009)', z.unknown()],
    ['GET', '/session/end', 'EndSession', 'Start a sign-out', HtmlOrRedirect],
    ['POST', '/session/end/confirm', 'ConfirmEndSession', 'Submit the sign-out page', HtmlOrRedirect],
    ['GET', '/session/end/success', 'SessionEnded', 'Show the signed-out page', HtmlOrRedirect],
  ];
  return endpoints.map(([method, path, operation, summary, response]) =>
    rawRoute({
      method,
      path: `/pools/${name}${path}`,
      name: `${name}Pool${operation}`,
      tag: 'OpenID Connect',
      summary: `${title} pool: ${summary}`,
      ...(path.includes(':uid') && { params: z.object({ uid: z.string() }) }),
      limit: { name: `oidc`, points: 600, seconds: 60 },
      response,
      handler: ({ request, response: serverResponse, ip }) => pool.handle(request, serverResponse, ip),
    }),
  );
}
