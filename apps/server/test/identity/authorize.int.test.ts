import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { afterOwnFile, aTenant, openApi } from '../harness.ts';
import { aPerson, clientsOf, signInByCode } from './people.ts';

// Hostile authorization requests. None may start a sign-in, or redirect to anything but a registered redirect URI with an
// error.

const back = 'http://127.0.0.1:1/back';
const cli = 'http://127.0.0.1/callback';
const { app, platform, close } = await openApi({
  OIDC_CLIENTS: JSON.stringify([
    ...(JSON.parse(clientsOf(['shop', 'other'])) as object[]),
    { pool: 'admin', clientId: 'only-admin', redirectUris: [back] },
  ]),
});
afterOwnFile(close);

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const validRequest = {
  client_id: 'shop',
  response_type: 'code',
  redirect_uri: back,
  scope: 'openid',
  state: 'state',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};
type Field = keyof typeof validRequest | (string & {});
type Change = Partial<Record<Field, string | string[] | undefined>>;

const authorize = (change: Change, pool = 'customer') => {
  const pairs = Object.entries({ ...validRequest, ...change }).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return app.inject({ url: `/pools/${pool}/auth?${new URLSearchParams(pairs).toString()}` });
};

const unsigned = (payload: object) =>
  [{ alg: 'none' }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.';

const redirectUris = [
  'https://evil.example/back',
  'http://127.0.0.1:1/back/',
  'http://127.0.0.1:1/back/more',
  'http://127.0.0.1:1/back?next=https://evil.example',
  'http://127.0.0.1:1/back#fragment',
  'http://127.0.0.1:1/BACK',
  'http://127.0.0.1:1/back/../other',
  'http://127.0.0.1:1/%62ack',
  'http://127.0.0.1:2/back',
  'http://127.0.0.1/back',
  'https://127.0.0.1:1/back',
  'http://localhost:1/back',
  'http://127.1:1/back',
  'http://user@127.0.0.1:1/back',
  'http://127.0.0.1:1@evil.example/back',
  'http://127.0.0.1:1.evil.example/back',
  'http://evil.example\\@127.0.0.1:1/back',
  'http://127.0.0.1:1/back\r\nlocation: https://evil.example',
  ' http://127.0.0.1:1/back',
  'http://127.0.0.1:1/back\0',
  '//127.0.0.1:1/back',
  '/back',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'null',
];
const cliRedirectUris = [
  'http://localhost:4000/callback',
  'http://127.0.0.1:4000/other',
  'https://127.0.0.1:4000/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.1:80@evil.example/callback',
  'http://[::1]:4000/callback',
];

type Attempt = readonly [what: string, change: Change, pool?: 'admin'];
const hostile: readonly Attempt[] = [
  ...redirectUris.map((uri) => [`redirect_uri ${uri}`, { redirect_uri: uri }] as const),
  ...cliRedirectUris.map(
    (uri) => [`redirect_uri ${uri} of the CLI`, { client_id: 'parley-cli', redirect_uri: uri }] as const,
  ),
  ['no redirect URI', { redirect_uri: undefined }],
  ['two redirect URIs', { redirect_uri: [back, 'https://evil.example'] }],
  ['no code challenge', { code_challenge: undefined, code_challenge_method: undefined }],
  ['an empty code challenge', { code_challenge: '' }],
  ['a challenge without a method, which defaults to plain', { code_challenge_method: undefined }],
  ['a plain challenge', { code_challenge: verifier, code_challenge_method: 'plain' }],
  ['an unknown challenge method', { code_challenge_method: 'S512' }],
  ['a method without a challenge', { code_challenge: undefined }],
  ['a challenge that is too short', { code_challenge: 'short' }],
  ['a challenge that is not base64url', { code_challenge: `${challenge.slice(0, -1)}!` }],
  ['two challenges', { code_challenge: [challenge, challenge] }],
  ...['token', 'id_token', 'code token', 'code id_token', 'none', ''].map(
    (type) => [`response_type '${type}'`, { response_type: type }] as const,
  ),
  ['no response type', { response_type: undefined }],
  ...['web_message', 'jwt', 'form_post.jwt', 'x'].map(
    (mode) => [`response_mode ${mode}`, { response_mode: mode }] as const,
  ),
  ['no client', { client_id: undefined }],
  ['an unknown client', { client_id: 'nobody' }],
  ['a client in another case', { client_id: 'SHOP' }],
  ['two clients', { client_id: ['shop', 'other'] }],
  ['our own client, which has no redirect URI', { client_id: 'parley' }],
  ['a client of the other pool', { client_id: 'only-admin' }],
  ['the CLI at the admin pool', { client_id: 'parley-cli', redirect_uri: cli }, 'admin'],
  ['the audience of the other pool', { resource: 'urn:parley:admin' }],
  ['an unknown audience', { resource: 'https://evil.example' }],
  ['two audiences', { resource: ['urn:parley:customer', 'urn:parley:admin'] }],
  ['an unsigned request object', { request: unsigned({ redirect_uri: 'https://evil.example' }) }],
  ['a request object to fetch', { request_uri: 'https://evil.example/request' }],
  ['a registration', { registration: '{"redirect_uris":["https://evil.example"]}' }],
  ['prompt=none without a session', { prompt: 'none' }],
  ['prompt=none login', { prompt: 'none login' }],
  ['a negative max_age', { max_age: '-1' }],
  ['an unsigned ID token hint', { id_token_hint: unsigned({ sub: 'usr_x', aud: 'shop' }) }],
];

test('control: the unmodified request starts a sign-in, also for the CLI', async () => {
  for (const change of [{}, { client_id: 'parley-cli', redirect_uri: 'http://127.0.0.1:4000/callback' }]) {
    const response = await authorize(change);
    expect([response.statusCode, response.headers.location]).toEqual([303, expect.stringMatching(/\/interaction\//)]);
  }
});

test('returns 400, or redirects with an error to the registered URI, for every hostile authorization request', async () => {
  const accepted: string[] = [];
  for (const [what, change, pool] of hostile) {
    const { statusCode, headers, body } = await authorize(change, pool);
    const location = typeof headers.location === 'string' ? headers.location : undefined;
    const redirect = URL.parse(location ?? '');
    const isRefused =
      location === undefined
        ? statusCode === 400 && !body.includes('evil.example')
        : redirect !== null && redirect.origin + redirect.pathname === back && /[?#]error=/.test(location);
    if (!isRefused || /[?&#](code|access_token|id_token)=/.test(location ?? ''))
      accepted.push(`${what}: ${statusCode} ${location ?? ''}`);
  }
  expect(accepted).toEqual([]);
  expect(new Set(hostile.map(([what]) => what)).size).toBeGreaterThanOrEqual(probes.authorize.min);
});

describe('a stolen authorization code', () => {
  let person: Awaited<ReturnType<typeof aPerson>>;
  beforeAll(async () => {
    person = await aPerson('customer', (await aTenant()).tenantId);
  });

  test('returns 400 for every exchange except one by the client that requested it', async () => {
    const issuer = `${platform.config.PUBLIC_URL.replace(/\/$/, '')}/pools/customer`;
    const { code, verifier: correctVerifier, exchange } = await signInByCode(app, issuer, 'shop', person);
    const fields = { grant_type: 'authorization_code', client_id: 'shop', redirect_uri: back, code };
    const attempts: [what: string, fields: Record<string, string>, pool?: string][] = [
      ['no verifier', fields],
      ['an empty verifier', { ...fields, code_verifier: '' }],
      ['another verifier', { ...fields, code_verifier: verifier }],
      ['the challenge instead of the verifier', { ...fields, code_verifier: challenge }],
      ['another client', { ...fields, client_id: 'other', code_verifier: correctVerifier }],
      ['another redirect URI', { ...fields, redirect_uri: 'https://evil.example', code_verifier: correctVerifier }],
      [
        'no redirect URI',
        { grant_type: 'authorization_code', client_id: 'shop', code, code_verifier: correctVerifier },
      ],
      ['the other pool', { ...fields, code_verifier: correctVerifier }, 'admin'],
      ['a longer code', { ...fields, code: `${code}x`, code_verifier: correctVerifier }],
    ];
    const accepted: string[] = [];
    for (const [what, payload, pool = 'customer'] of attempts) {
      const response = await app.inject({
        method: 'POST',
        url: `/pools/${pool}/token`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(payload).toString(),
      });
      if (response.statusCode !== 400 || response.body.includes('access_token'))
        accepted.push(`${what}: ${response.statusCode} ${response.body}`);
    }
    expect(accepted).toEqual([]);
    expect(attempts.length).toBeGreaterThanOrEqual(probes.codeExchange.min);
    expect((await exchange()).accessToken).toMatch(/^eyJ/); // the code itself was valid
    await expect(exchange()).rejects.toThrow(); // only once
  });
});
