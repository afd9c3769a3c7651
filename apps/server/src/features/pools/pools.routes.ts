import { z } from 'zod';
import { rawRoute, type Route } from '../../platform/http/route.ts';
import type { Pool } from './pool.ts';

const Any = z.looseObject({});
const Nothing = z.string().describe('A page, or a redirect.');

/** OpenID Connect, as its documents describe it. Errors are OAuth's own (`invalid_grant`, …), not ours. */
export function poolRoutes(pool: Pool): Route[] {
  const { name } = pool;
  const title = name === 'customer' ? 'Customer' : 'Operator';
  type Endpoint = [method: 'GET' | 'POST', path: `/${string}`, name: string, summary: string, answer: z.ZodType];
  const endpoints: Endpoint[] = [
    ['GET', '/.well-known/openid-configuration', 'Discovery', 'Read what this pool offers, as OpenID Connect', Any],
    ['GET', '/jwks', 'Keys', 'Read the public keys of this pool', Any],
    ['GET', '/auth', 'Authorize', 'Send somebody here to sign in (authorization code, PKCE demanded)', Nothing],
    ['GET', '/auth/:uid', 'Resume', 'Where the sign-in page sends people back to', Nothing],
    ['POST', '/token', 'Token', 'Exchange a code or a refresh token for tokens', Any],
    ['POST', '/token/revocation', 'Revoke', 'End a session by its refresh token (RFC 7009)', z.unknown()],
    ['GET', '/session/end', 'EndSession', 'Send somebody here to sign out', Nothing],
    ['POST', '/session/end/confirm', 'ConfirmEndSession', 'What the sign-out page sends', Nothing],
    ['GET', '/session/end/success', 'SessionEnded', 'Where people end up who have nowhere to go back to', Nothing],
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
      answer,
      handler: ({ request, response, address }) => pool.handle(request, response, address),
    }),
  );
}
