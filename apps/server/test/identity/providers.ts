import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Claims } from './jws.ts';

export type Preset = 'cognito' | 'entra' | 'keycloak' | 'okta' | 'at+jwt';
type Answer = { status?: number; type?: string; location?: string; body: string };

const now = () => Math.floor(Date.now() / 1_000);
const paths: Record<Preset, string> = {
  cognito: '/eu-central-1_Abc123',
  entra: '/6f1c2a3b-0000-4000-8000-000000000001/v2.0',
  keycloak: '/realms/acme',
  okta: '/oauth2/default',
  'at+jwt': '/issuer',
};

/** What each maker's documents say an access token of somebody looks like. Live ones were not to be had. */
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
}

/** A provider outside: keys over HTTP, a userinfo endpoint that says what it is told to, and tokens of its maker's shape. */
export async function startProvider(preset: Preset, { hasUserinfo = false, ...overrides }: Overrides = {}) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  const userinfo = new Map<string, Answer>();
  /** The bearers that came to userinfo. */
  const asked: string[] = [];
  let keys: Answer = { body: JSON.stringify({ keys: [jwk] }) };

  const give = (response: ServerResponse, { status = 200, type = 'application/json', location, body }: Answer) =>
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url !== '/userinfo') return give(response, keys);
    const bearer = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    asked.push(bearer);
    return give(response, userinfo.get(bearer) ?? { status: 401, body: '{"error":"invalid_token"}' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}${paths[preset]}`;
  const typ = preset === 'at+jwt' ? 'at+jwt' : 'JWT';

  /** Claims as they stand, with times and the issuer's name. */
  const sign = (claims: Claims, header: Claims = {}) =>
    new SignJWT({ iss: issuer, iat: now(), exp: now() + 3_600, jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: jwk.kid, ...(preset !== 'cognito' && { typ }), ...header })
      .sign(privateKey);

  return {
    preset,
    host,
    issuer,
    sign,
    asked,
    /** An access token of that subject, as this maker makes it, with changes. */
    access: (subject: string, change: Claims = {}, header: Claims = {}) =>
      sign({ ...accessTokens[preset](subject), ...change }, header),
    /** What userinfo will say to whoever brings this token. */
    respondWith: (bearer: string, answer: Claims | Answer) =>
      void userinfo.set(bearer, isAnswer(answer) ? answer : { body: JSON.stringify(answer) }),
    /** What the address of the keys will say from now on. */
    publish: (answer: Answer) => void (keys = answer),
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

const isAnswer = (answer: Claims | Answer): answer is Answer => typeof answer['body'] === 'string';

/** The settings of a service that trusts these. */
export const trusting = (providers: readonly Provider[]) => ({
  OIDC_ISSUERS: JSON.stringify(providers.map(({ config }) => config)),
  EGRESS_OPEN_HOSTS: providers.map(({ host }) => host).join(),
});
