import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Claims } from './jws.ts';

export type Preset = 'cognito' | 'entra' | 'keycloak' | 'okta' | 'at+jwt';
type ProviderResponse = { status?: number; type?: string; location?: string; body: string };

const now = () => Math.floor(Date.now() / 1_000);
const paths: Record<Preset, string> = {
  cognito: '/eu-central-1_Abc123',
  entra: '/6f1c2a3b-0000-4000-8000-000000000001/v2.0',
  keycloak: '/realms/acme',
  okta: '/oauth2/default',
  'at+jwt': '/issuer',
};

/** Access tokens as documented by each vendor. Not tested with live ones. */
const accessTokens: Record<Preset, (subject: string) => Claims> = {
  cognito: (sub) => ({
    sub,
    client_id: 'app-1',
    token_use: 'access',
    scope: 'openid api/use',
    username: sub,
    origin_jti: randomUUID(),
    event_id: randomUUID(),
    auth_time: now(),
  }),
  entra: (oid) => ({
    aud: 'api-1',
    azp: 'app-1',
    azpacr: '1',
    oid,
    sub: `pairwise-${oid}`,
    tid: '6f1c2a3b-0000-4000-8000-000000000001',
    preferred_username: `${oid}@acme.example`,
    scp: 'access_as_user',
    ver: '2.0',
    nbf: now() - 1,
    uti: randomUUID(),
  }),
  keycloak: (sub) => ({
    aud: ['api-1', 'account'],
    azp: 'app-1',
    sub,
    typ: 'Bearer',
    sid: randomUUID(),
    acr: '1',
    scope: 'openid email profile',
    auth_time: now(),
  }),
  okta: (uid) => ({
    aud: 'api-1',
    cid: 'app-1',
    uid,
    sub: `${uid}@acme.example`,
    ver: 1,
    scp: ['openid', 'api'],
    auth_time: now(),
  }),
  'at+jwt': (sub) => ({ aud: 'api-1', client_id: 'app-1', sub, scope: 'api' }),
};

interface Overrides extends Record<string, unknown> {
  hasUserinfo?: boolean;
  /** By default, new ones. */
  keys?: Promise<SigningKeys>;
}
type SigningKeys = Awaited<ReturnType<typeof newKeys>>;
export const newKeys = () => generateKeyPair('RS256', { extractable: true });

/** A fake external provider: keys over HTTP, a configurable userinfo endpoint, and tokens in the vendor's format. */
export async function startProvider(
  preset: Preset,
  { hasUserinfo = false, keys: signingKeys = newKeys(), ...overrides }: Overrides = {},
) {
  const { privateKey, publicKey } = await signingKeys;
  const jwk = { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  const userinfo = new Map<string, ProviderResponse>();
  /** Tokens sent to the userinfo endpoint. */
  const userinfoTokens: string[] = [];
  let keys: ProviderResponse = { body: JSON.stringify({ keys: [jwk] }) };

  const respond = (
    response: ServerResponse,
    { status = 200, type = 'application/json', location, body }: ProviderResponse,
  ) => response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url !== '/userinfo') return respond(response, keys);
    const bearer = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    userinfoTokens.push(bearer);
    return respond(response, userinfo.get(bearer) ?? { status: 401, body: '{"error":"invalid_token"}' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}${paths[preset]}`;
  const typ = preset === 'at+jwt' ? 'at+jwt' : 'JWT';

  /** Signs claims, with times and the issuer added. */
  const sign = (claims: Claims, header: Claims = {}) =>
    new SignJWT({ iss: issuer, iat: now(), exp: now() + 3_600, jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: jwk.kid, ...(preset !== 'cognito' && { typ }), ...header })
      .sign(privateKey);

  return {
    preset,
    host,
    issuer,
    sign,
    userinfoTokens,
    /** An access token in the vendor's format, with changes. */
    access: (subject: string, change: Claims = {}, header: Claims = {}) =>
      sign({ ...accessTokens[preset](subject), ...change }, header),
    /** Sets the userinfo response for this token. */
    respondWith: (bearer: string, response: Claims | ProviderResponse) =>
      void userinfo.set(bearer, isProviderResponse(response) ? response : { body: JSON.stringify(response) }),
    /** Sets the response of the JWKS endpoint. */
    publish: (response: ProviderResponse) => void (keys = response),
    config: {
      pool: 'customer',
      issuer,
      jwksUrl: `http://${host}/jwks`,
      preset,
      tenants: 'all',
      ...(preset === 'cognito' ? { clientIds: ['app-1'] } : { audience: ['api-1'] }),
      ...(hasUserinfo && { userinfoUrl: `http://${host}/userinfo` }),
      ...overrides,
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
export type Provider = Awaited<ReturnType<typeof startProvider>>;

const isProviderResponse = (response: Claims | ProviderResponse): response is ProviderResponse =>
  typeof response['body'] === 'string';

/** Settings that trust these providers. */
export const trustSettings = (providers: readonly Provider[]) => ({
  OIDC_ISSUERS: JSON.stringify(providers.map(({ config }) => config)),
  EGRESS_OPEN_HOSTS: providers.map(({ host }) => host).join(),
});
