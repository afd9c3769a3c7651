import { connect, type AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { ensureSigningKeys } from '../../src/features/pools/signing-keys.store.ts';
import type { PoolName } from '../../src/platform/pool.ts';
import { admin, api, services, send, type Headers, type Response, listen, withLoadAllowance } from '../harness.ts';
import { decode, encode, makeJws, signerOf } from './jws.ts';
import { aPerson, signIn } from './people.ts';
import { anAttacker, makeScenes } from './scene.ts';
import { familyNames, makeCorpus, type BadCredential } from './token-corpus.ts';

vi.mock(import('@node-rs/argon2'), async (original) => {
  const { withCheapHashes } = await import('./cheap-hashes.ts');
  return withCheapHashes(await original());
});

const attacker = await anAttacker();
const scenes = await makeScenes(attacker);
const { tenantId, customer } = scenes;
const corpus = await makeCorpus([customer, scenes.admin]);
afterAll(() => attacker.close());

const urls = { customer: '/me', admin: `/admin/tenants/${tenantId}` };
const request = (pool: PoolName, headers: Headers) => send('GET', urls[pool], headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const statusOf = async (token: string, pool: PoolName = 'customer') => (await request(pool, bearer(token))).statusCode;

/** A response must not contain any part of the credential, not even in a header. */
function assertNoEcho(headers: Headers, response: Response) {
  const output = `${response.body}\n${JSON.stringify(response.headers)}`;
  const secrets = Object.values(headers).flatMap((value) => value.match(/[\w-]{16,}/g) ?? []);
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
}

/** One of every two from each pool, sent to that pool only: both have the same verifier. */
const sampleOf = (credentials: BadCredential[]) =>
  (['customer', 'admin'] as const).flatMap((pool, n) =>
    credentials
      .filter(({ name }) => name.startsWith(`${pool}: `))
      .filter((_, at, { length }) => length === 1 || at % 2 === n)
      .map((credential) => ({ ...credential, sentTo: [pool] })),
  );

async function problemsOf({ name, headers, sentTo }: BadCredential): Promise<string[]> {
  const problems: string[] = [];
  for (const pool of sentTo) {
    const response = await request(pool, headers);
    if (response.statusCode !== 401) {
      problems.push(`${response.statusCode} at ${pool === 'customer' ? '/me' : '/admin/tenants/{id}'}, ${name}`);
      continue;
    }
    expect(response.json(), name).toEqual({
      error: {
        code: 'UNAUTHORIZED',
        reason: expect.stringMatching(/^(invalid_token|credential_missing|wrong_pool|invalid_api_key|wrong_key_type)$/),
        message: expect.any(String),
        requestId: response.headers['x-request-id'],
      },
    });
    expect(response.headers['cache-control']).toBe('no-store');
    assertNoEcho(headers, response);
  }
  return problems;
}

beforeAll(() => {
  const counts = familyNames.map((name) => [name, corpus.filter(({ family }) => family === name).length] as const);
  const lines = counts.map(([name, count]) => `${String(count).padStart(5)}  ${name}`);
  console.log(['hostile credentials:', ...lines, `${String(corpus.length).padStart(5)}  total`].join('\n'));
});

test('control: the unmodified tokens and the key return 200', async () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect([await statusOf(customer.token), await statusOf(scenes.admin.token, 'admin')]).toEqual([200, 200]);
  const { id, secret } = customer.apiKey;
  expect((await request('customer', { ...bearer(secret), 'x-service-api-key-id': id })).statusCode).toBe(200);
  for (const { otherTokens, audience, issuer } of [customer, scenes.admin]) {
    // It differs from an access token only in its type.
    const idToken = decode(otherTokens[`an ID token for ${audience}`]?.split('.')[1]);
    expect(idToken).toMatchObject({ iss: issuer, aud: audience });
  }
});

describe('returns 401 without echoing the token for', () => {
  test.each(familyNames)('%s', async (name) => {
    const credentials = corpus.filter(({ family }) => family === name);
    expect(credentials.length).toBeGreaterThan(0);
    const problems: string[] = [];
    for (const credential of isFull ? credentials : sampleOf(credentials))
      problems.push(...(await problemsOf(credential)));
    expect(problems).toEqual([]);
  });

  test('a valid token in the query string', async () => {
    for (const { pool, token } of [customer, scenes.admin])
      for (const query of [`access_token=${token}`, `token=${token}`, `authorization=Bearer%20${token}`])
        expect((await send('GET', `${urls[pool]}?${query}`)).statusCode).toBe(401);
  });
});

test("never requests the attacker's server, although its key would match", async () => {
  expect(attacker.requests).toEqual([]);
  const { header, claims } = customer;
  const token = makeJws(header, claims, signerOf('RS256', attacker.rsa));
  await jwtVerify(token, createRemoteJWKSet(new URL(attacker.url)));
  expect(attacker.requests).toEqual(['/jwks']);
});

test('accepts unusual but valid tokens signed with our key', async () => {
  const { header, claims, sign, audience, token, colleague, signedIn } = customer;
  const now = Math.floor(Date.now() / 1_000);
  const withClaims = (change: object) => makeJws(header, { ...claims, ...change }, sign);
  const withHeader = (change: object) => makeJws({ ...header, ...change }, claims, sign);
  const text = JSON.stringify(claims);
  const last = token.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const legal: Record<string, string> = {
    'typ in capitals': withHeader({ typ: 'AT+JWT' }),
    'typ in mixed case': withHeader({ typ: 'at+JWT' }),
    'typ in full': withHeader({ typ: 'application/at+jwt' }),
    'typ in full, in capitals': withHeader({ typ: 'Application/AT+JWT' }),
    'our audience among others': withClaims({ aud: ['urn:other', audience] }),
    'our audience alone in a list': withClaims({ aud: [audience] }),
    'no kid, as long as there is one key': withHeader({ kid: undefined }),
    'b64 that is true, critical': withHeader({ crit: ['b64'], b64: true }),
    'b64 that is not critical': withHeader({ b64: false }),
    'zip, which has no meaning in a JWS': withHeader({ zip: 'DEF' }),
    'key URLs, which are never fetched': withHeader({ jku: attacker.url, x5u: attacker.url }),
    'an unknown header': withHeader({ extra: 1 }),
    'a duplicate claim, the last one correct': makeJws(header, `{"sub":"${colleague.userId}",${text.slice(1)}`, sign),
    'a byte-order mark before the claims': makeJws(header, `\ufeff${text}`, sign),
    'slightly ahead of our clock': withClaims({ iat: now + 2, nbf: now + 3 }),
    'the unused bits of the last character': token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(last) + 1),
  };
  for (const [name, token] of Object.entries(legal)) {
    const response = await request('customer', bearer(token));
    expect([name, response.statusCode, response.json().userId]).toEqual([name, 200, signedIn.userId]);
  }
  expect(attacker.requests).toHaveLength(1);
});

/** Sends raw bytes, because a client library would refuse most of these. */
async function statusOfLines(lines: readonly string[]): Promise<number> {
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => void (received += bytes.toString()));
  socket.write(['GET /me HTTP/1.1', 'host: x', 'connection: close', ...lines, '', ''].join('\r\n'), 'latin1');
  socket.on('error', () => undefined); // the server may close the connection early
  await new Promise((resolve) => socket.once('close', resolve));
  return Number(received.split(' ')[1]);
}

test('raw HTTP: uses the first Authorization header, trims whitespace and refuses malformed lines', async () => {
  await listen();
  const good = `Authorization: Bearer ${customer.token}`;
  const bad = `Authorization: Bearer ${customer.token}x`;
  const cases: [lines: string[], status: number][] = [
    [[good], 200],
    [[good.replace('Authorization', 'AUTHORIZATION')], 200],
    [[`${good} \t `], 200],
    [[good.replace(': ', ':   ')], 200],
    [[good, bad], 200],
    [[bad, good], 401],
    [['Authorization: Basic eDp5', good], 401],
    [['Authorization:', good], 401],
    [[bad], 401],
    [[good.replace(':', ' :')], 400],
    [[good.replace('Bearer ', 'Bearer\r\n ')], 400],
    [[`${good}\u0000`], 400],
    [[`Authorization: Bearer ${'A'.repeat(20_000)}`], 431],
  ];
  for (const [lines, status] of cases) expect([lines, await statusOfLines(lines)]).toEqual([lines, status]);
});

/** How long a token is still accepted. */
async function msUntilRefused(token: string, maxMs: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < maxMs) {
    if ((await statusOf(token)) === 401) return Math.round(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return Number.POSITIVE_INFINITY;
}

test('returns 401 within five seconds for tokens in use after a revocation directly in the database', async () => {
  const [disabled, revoked, ended, removed] = await Promise.all(
    Array.from({ length: 4 }, async () => signIn(await aPerson('customer', tenantId))),
  );
  if (!disabled || !revoked || !ended || !removed) throw new Error('sign-in failed');
  const tokens = [disabled, revoked, ended, removed].map(({ accessToken }) => accessToken);
  expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual([200, 200, 200, 200]);
  await sql`update directory.users set disabled_at = now() where user_id = ${disabled.userId}`.execute(admin);
  await sql`update directory.users set tokens_valid_after = now() + interval '2 s' where user_id = ${revoked.userId}`.execute(
    admin,
  );
  await sql`update customer_pool.sessions set ended_at = now() where id = ${ended.sid}`.execute(admin);
  await admin.deleteFrom('memberships').where('userId', '=', removed.userId).execute();
  const durations = await Promise.all(tokens.map((token) => msUntilRefused(token, 30_000)));
  expect(Math.max(...durations)).toBeLessThan(await withLoadAllowance(5_500));
});

// Must be last: the customers' signing key is deleted.
describe('returns 401 within five seconds of an emergency key rotation', () => {
  const { header, claims, sign } = customer;
  const aNewToken = () => makeJws(header, { ...claims, jti: encode(String(Math.random())) }, sign);
  const usedToken = aNewToken();

  test('for a token that was not used before', async () => {
    expect(await statusOf(usedToken)).toBe(200);
    await ensureSigningKeys(services, 'customer', 90, { isEmergency: true });
    api.platform.signals.send('signing-keys', '');
    const startedAt = performance.now();
    await expect.poll(() => statusOf(aNewToken()), { interval: 100 }).toBe(401);
    expect(performance.now() - startedAt).toBeLessThan(await withLoadAllowance(5_000));
  });

  test('for a token in use', async () => {
    expect(await msUntilRefused(usedToken, 30_000)).toBeLessThan(await withLoadAllowance(5_000));
  });
});
