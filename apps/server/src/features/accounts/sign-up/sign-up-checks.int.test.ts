import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { solve, type Challenge } from '../../../../../../tools/testing/proof-of-work.ts';
import { admin, api as closed, aTenant, openApi, type Response } from '../../../../test/harness.ts';
import { sql } from 'kysely';
import { isBlockedDomain } from './sign-up-checks.ts';

// Two processes of one deployment, which share their counters.
const open = { SIGNUP: 'open', SIGN_UP_CHECK: 'proof_of_work', SIGN_UP_BLOCKED_DOMAINS: 'blocked.example' };
const [api, other, withoutCheck] = await Promise.all([
  openWithValkey(open),
  openWithValkey(open),
  openWithValkey({ SIGNUP: 'open', SIGN_UP_CHECK: 'none' }),
]);
afterAll(() => Promise.all([api.close(), other.close(), withoutCheck.close()]));

/** Waits for Valkey: before that, rate limits are local. */
async function openWithValkey(settings: Record<string, string>) {
  const opened = await openApi(settings);
  await vi.waitFor(() => opened.platform.health.others.valkey(), { timeout: 20_000 });
  return opened;
}

let networks = 0;
/** A /24 network that no other test of this file uses. */
const aNetwork = () => `172.20.${networks++}`;
const newEmail = () => `${randomUUID()}@example.com`;
const form = (more: object = {}) => ({ email: newEmail(), name: 'Ada', organisation: 'Engines', ...more });
const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const post = (url: string, payload: object | undefined, remoteAddress: string, { app } = api) =>
  app.inject({ method: 'POST', url, remoteAddress, ...(payload && { payload }) });
const challengeFor = async (ip: string) =>
  (await post('/auth/signup/challenge', undefined, ip)).json<{ challenge: Challenge }>().challenge;
const signUpsOf = async (email: string) =>
  (await sql`select from customer_pool.signups where email = ${email}`.execute(admin)).rows.length;

test('returns 403 proof_required without a proof and 403 proof_invalid for a forged one, and stores nothing', async () => {
  const ip = `${aNetwork()}.1`;
  const body = form();
  expect(outcome(await post('/auth/signup', body, ip))).toEqual([403, 'proof_required']);
  const { salt, signature } = await challengeFor(ip);
  for (const proof of [`${salt}99999999.${signature}`, `${salt}1.${'0'.repeat(64)}`, 'x'])
    expect(outcome(await post('/auth/signup', { ...body, proof }, ip))).toEqual([403, 'proof_invalid']);
  expect(await signUpsOf(body.email)).toBe(0);
});

test('returns 202 for a solved challenge, and 403 proof_invalid when it is reused, on another process too', async () => {
  const ip = `${aNetwork()}.1`;
  const proof = solve(await challengeFor(ip));
  const first = form({ proof });
  expect((await post('/auth/signup', first, ip)).statusCode).toBe(202);
  expect(await signUpsOf(first.email)).toBe(1);
  expect(outcome(await post('/auth/signup', form({ proof }), ip))).toEqual([403, 'proof_invalid']);
  expect(outcome(await post('/auth/signup', form({ proof }), ip, other))).toEqual([403, 'proof_invalid']);
});

test('accepts one of ten concurrent sign-ups with the same challenge', async () => {
  const network = aNetwork();
  const proof = solve(await challengeFor(`${network}.1`));
  const sent = Array.from({ length: 10 }, (_, n) =>
    post('/auth/signup', form({ proof }), `${network}.${n + 2}`, n % 2 ? api : other),
  );
  const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, ...Array<number>(9).fill(403)]);
});

test('the difficulty grows with the challenges of a network, but not for other networks', async () => {
  const network = aNetwork();
  const difficulties: number[] = [];
  for (let n = 1; n <= 21; n++) difficulties.push((await challengeFor(`${network}.${n}`)).maxNumber);
  expect([difficulties[0], difficulties[9], difficulties[10], difficulties[20]]).toEqual([
    100_000, 100_000, 200_000, 400_000,
  ]);
  expect((await challengeFor(`${aNetwork()}.1`)).maxNumber).toBe(100_000);
});

test('returns 400 email_domain_blocked for disposable and blocked domains and their subdomains, but not for invitations', async () => {
  const ip = `${aNetwork()}.1`;
  for (const domain of [
    'mailinator.com',
    'MAILINATOR.com',
    'a.b.mailinator.com',
    'blocked.example',
    'x.blocked.example',
  ]) {
    const refused = await post('/auth/signup', form({ email: `ada@${domain}` }), ip);
    expect([domain, ...outcome(refused)]).toEqual([domain, 400, 'email_domain_blocked']);
    expect(refused.json<{ error: { details: { path: string }[] } }>().error.details[0]?.path).toBe('/email');
  }
  const tenant = await aTenant();
  const invited = await tenant.post('/invitations', { email: `${randomUUID()}@mailinator.com`, roles: ['viewer'] });
  expect(invited.statusCode).toBe(201);
});

test('does not block domains that merely contain a blocked domain', () => {
  for (const domain of ['parley-mailinator.com', 'mailinator.com.example', 'mailinator.example', 'com'])
    expect(isBlockedDomain(`ada@${domain}`, ['blocked.example']), domain).toBe(false);
});

test('returns 429 after a hundred sign-ups from one network within an hour, but not for other networks', async () => {
  const [v4, v6] = [aNetwork(), '2001:db8:7'];
  for (const ipOf of [(n: number) => `${v4}.${n}`, (n: number) => `${v6}:${n.toString(16)}::1`]) {
    const statuses: number[] = [];
    for (let n = 1; n <= 101; n++)
      statuses.push((await post('/auth/signup', form(), ipOf(n % 25), withoutCheck)).statusCode);
    expect([ipOf(1), statuses.filter((status) => status === 202).length]).toEqual([ipOf(1), 100]);
    expect(statuses.at(-1)).toBe(429);
  }
  expect((await post('/auth/signup', form(), `${aNetwork()}.1`, withoutCheck)).statusCode).toBe(202);
  expect((await post('/auth/signup', form(), '2001:db8:8::1', withoutCheck)).statusCode).toBe(202);
});

test('returns 403 signup_closed for a challenge if sign-up is off, and null if none is required', async () => {
  const ip = `${aNetwork()}.1`;
  expect(outcome(await post('/auth/signup/challenge', undefined, ip, closed))).toEqual([403, 'signup_closed']);
  expect((await post('/auth/signup/challenge', undefined, ip, withoutCheck)).json()).toEqual({ challenge: null });
});

/** A fake CAPTCHA provider with the `siteverify` protocol. */
async function aVerifier() {
  const calls: Record<string, string>[] = [];
  const state = { response: undefined as [number, string] | undefined };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      calls.push(sent);
      const isValid = sent['secret'] === 'the secret' && sent['response'] === 'solved';
      const codes = isValid
        ? []
        : [sent['secret'] === 'the secret' ? 'invalid-input-response' : 'invalid-input-secret'];
      const [status, text] = state.response ?? [200, JSON.stringify({ success: isValid, 'error-codes': codes })];
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const withCaptcha = async (more: object = {}) => {
    const captcha = { provider: 'turnstile', siteKey: 'site', secret: 'the secret', siteverifyUrl: `http://${host}/` };
    const opened = await openWithValkey({
      SIGNUP: 'open',
      SIGN_UP_CHECK: 'captcha',
      CAPTCHA: JSON.stringify({ ...captcha, ...more }),
      EGRESS_OPEN_HOSTS: host,
    });
    onTestFinished(opened.close);
    return opened;
  };
  return { calls, state, withCaptcha };
}

test('returns 202 for a token that the CAPTCHA provider confirms and 403 otherwise, and sends the IP address to the provider', async () => {
  const { calls, withCaptcha } = await aVerifier();
  const guarded = await withCaptcha();
  const ip = `${aNetwork()}.1`;
  expect(outcome(await post('/auth/signup', form(), ip, guarded))).toEqual([403, 'proof_required']);
  expect(calls).toEqual([]);
  expect(outcome(await post('/auth/signup', form({ proof: 'invalid' }), ip, guarded))).toEqual([403, 'proof_invalid']);
  expect((await post('/auth/signup', form({ proof: 'solved' }), ip, guarded)).statusCode).toBe(202);
  expect(calls.at(-1)).toEqual({ secret: 'the secret', response: 'solved', remoteip: ip });
});

test('returns 503 captcha_unavailable when the provider is unreachable, returns garbage or refuses the secret', async () => {
  const { state, withCaptcha } = await aVerifier();
  const guarded = await withCaptcha();
  const ip = `${aNetwork()}.1`;
  const unavailable = [503, 'captcha_unavailable'];
  for (const providerResponse of [
    [500, '{"success":true}'],
    [200, '<html>'],
    [200, '{}'],
  ] as [number, string][]) {
    state.response = providerResponse;
    expect([providerResponse, ...outcome(await post('/auth/signup', form({ proof: 'solved' }), ip, guarded))]).toEqual([
      providerResponse,
      ...unavailable,
    ]);
  }
  state.response = undefined;
  const misconfigured = await withCaptcha({ secret: 'another' });
  expect(outcome(await post('/auth/signup', form({ proof: 'solved' }), ip, misconfigured))).toEqual(unavailable);
  const unreachable = await withCaptcha({ siteverifyUrl: 'http://127.0.0.1:9/' });
  expect(outcome(await post('/auth/signup', form({ proof: 'solved' }), ip, unreachable))).toEqual(unavailable);
});
