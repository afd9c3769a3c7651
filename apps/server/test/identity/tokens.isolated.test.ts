import { connect, type AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tendKeys } from '../../src/features/pools/signing-keys.store.ts';
import type { PoolName } from '../../src/platform/pool.ts';
import { admin, api, services, send, type Headers, type Response, listen, withLoadAllowance } from '../harness.ts';
import { decode, encode, makeJws, signerOf } from './jws.ts';
import { aPerson, signIn } from './people.ts';
import { anAttacker, makeScenes } from './scene.ts';
import { familyNames, makeCorpus, type BadCredential } from './token-corpus.ts';

const attacker = await anAttacker();
const scenes = await makeScenes(attacker);
const { tenantId, customer } = scenes;
const corpus = await makeCorpus([customer, scenes.admin]);
afterAll(() => attacker.close());

const urls = { customer: '/me', admin: `/admin/tenants/${tenantId}` };
const ask = (pool: PoolName, headers: Headers) => send('GET', urls[pool], headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const statusOf = async (token: string, pool: PoolName = 'customer') => (await ask(pool, bearer(token))).statusCode;

/** Nothing of a credential is ever said back, not even in a header. */
function assertSilent(headers: Headers, response: Response) {
  const said = `${response.body}\n${JSON.stringify(response.headers)}`;
  const words = Object.values(headers).flatMap((value) => value.match(/[\w-]{16,}/g) ?? []);
  expect(words.filter((word) => said.includes(word))).toEqual([]);
}

async function problemsOf({ name, headers, sentTo }: BadCredential): Promise<string[]> {
  const problems: string[] = [];
  for (const pool of sentTo) {
    const response = await ask(pool, headers);
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
    assertSilent(headers, response);
  }
  return problems;
}

beforeAll(() => {
  const counts = familyNames.map((name) => [name, corpus.filter(({ family }) => family === name).length] as const);
  const lines = counts.map(([name, count]) => `${String(count).padStart(5)}  ${name}`);
  console.log(['hostile credentials:', ...lines, `${String(corpus.length).padStart(5)}  in all`].join('\n'));
});

test('control: the untouched tokens are 200, each at its own place, and so is the key', async () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect([await statusOf(customer.token), await statusOf(scenes.admin.token, 'admin')]).toEqual([200, 200]);
  const { id, secret } = customer.apiKey;
  expect((await ask('customer', { ...bearer(secret), 'x-service-api-key-id': id })).statusCode).toBe(200);
  for (const { otherTokens, audience, issuer } of [customer, scenes.admin]) {
    // Only its type tells it from an access token of this pool.
    const idToken = decode(otherTokens[`an ID token for ${audience}`]?.split('.')[1]);
    expect(idToken).toMatchObject({ iss: issuer, aud: audience });
  }
});

describe('401, in our words and without a word of the token', () => {
  test.each(familyNames)('%s', async (name) => {
    const ours = corpus.filter(({ family }) => family === name);
    expect(ours.length).toBeGreaterThan(0);
    const problems: string[] = [];
    for (const credential of ours) problems.push(...(await problemsOf(credential)));
    expect(problems).toEqual([]);
  });

  test('a good token anywhere but in its header', async () => {
    for (const { pool, token } of [customer, scenes.admin])
      for (const query of [`access_token=${token}`, `token=${token}`, `authorization=Bearer%20${token}`])
        expect((await send('GET', `${urls[pool]}?${query}`)).statusCode).toBe(401);
  });
});

test("nobody asked the attacker's server, whose key would have fitted", async () => {
  expect(attacker.asked).toEqual([]);
  const { header, claims } = customer;
  const token = makeJws(header, claims, signerOf('RS256', attacker.rsa));
  await jwtVerify(token, createRemoteJWKSet(new URL(attacker.url)));
  expect(attacker.asked).toEqual(['/jwks']);
});

test('what the standards allow and the library accepts, if our key signed it', async () => {
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
    'b64 that nobody calls critical': withHeader({ b64: false }),
    'zip, which means nothing in a signed token': withHeader({ zip: 'DEF' }),
    'addresses of keys, which we never follow': withHeader({ jku: attacker.url, x5u: attacker.url }),
    'an unknown header': withHeader({ extra: 1 }),
    'a claim said twice, the last one right': makeJws(header, `{"sub":"${colleague.userId}",${text.slice(1)}`, sign),
    'a byte-order mark before the claims': makeJws(header, `\ufeff${text}`, sign),
    'a moment ahead of our clock': withClaims({ iat: now + 2, nbf: now + 3 }),
    'the unused bits of the last character': token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(last) + 1),
  };
  for (const [name, made] of Object.entries(legal)) {
    const response = await ask('customer', bearer(made));
    expect([name, response.statusCode, response.json().userId]).toEqual([name, 200, signedIn.userId]);
  }
  expect(attacker.asked).toHaveLength(1);
});

/** As bytes: a client library would refuse to send most of these. */
async function statusOfLines(lines: readonly string[]): Promise<number> {
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (bytes) => void (said += bytes.toString()));
  socket.write(['GET /me HTTP/1.1', 'host: x', 'connection: close', ...lines, '', ''].join('\r\n'), 'latin1');
  socket.on('error', () => undefined); // it may hang up on us in the middle
  await new Promise((resolve) => socket.once('close', resolve));
  return Number(said.split(' ')[1]);
}

test('on the wire: the first Authorization counts, blanks around it do not, broken lines are refused', async () => {
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

/** How long a token that was good goes on being good. */
async function lastsMs(token: string, maxMs: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < maxMs) {
    if ((await statusOf(token)) === 401) return Math.round(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return Number.POSITIVE_INFINITY;
}

test('401 within five seconds for tokens in use, of somebody cut off behind our back', async () => {
  const [disabled, cut, ended, left] = await Promise.all(
    Array.from({ length: 4 }, async () => signIn(await aPerson('customer', tenantId))),
  );
  if (!disabled || !cut || !ended || !left) throw new Error('nobody');
  const tokens = [disabled, cut, ended, left].map(({ accessToken }) => accessToken);
  expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual([200, 200, 200, 200]);
  await sql`update directory.users set disabled_at = now() where user_id = ${disabled.userId}`.execute(admin);
  await sql`update directory.users set tokens_valid_after = now() + interval '2 s' where user_id = ${cut.userId}`.execute(
    admin,
  );
  await sql`update customer_pool.sessions set ended_at = now() where id = ${ended.sid}`.execute(admin);
  await admin.deleteFrom('memberships').where('userId', '=', left.userId).execute();
  const lasted = await Promise.all(tokens.map((token) => lastsMs(token, 30_000)));
  expect(Math.max(...lasted)).toBeLessThan(await withLoadAllowance(5_500));
});

// The last ones: the customers' key is gone afterwards.
describe('401 within five seconds of the emergency in which its signing key was deleted', () => {
  const { header, claims, sign } = customer;
  const unseen = () => makeJws(header, { ...claims, jti: encode(String(Math.random())) }, sign);
  const seen = unseen();

  test('for a token that nobody has shown yet', async () => {
    expect(await statusOf(seen)).toBe(200);
    await tendKeys(services, 'customer', 90, { isEmergency: true });
    api.platform.signals.send('signing-keys', '');
    const startedAt = performance.now();
    while ((await statusOf(unseen())) === 200 && performance.now() - startedAt < 30_000);
    expect(performance.now() - startedAt).toBeLessThan(await withLoadAllowance(5_000));
  });

  test('for a token in use', async () => {
    expect(await lastsMs(seen, 30_000)).toBeLessThan(await withLoadAllowance(5_000));
  });
});
