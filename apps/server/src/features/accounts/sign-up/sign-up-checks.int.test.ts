import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { solve, type Challenge } from '../../../../../../tools/testing/proof-of-work.ts';
import { admin, aTenant, openApi, type Response } from '../../../../test/harness.ts';
import { sql } from 'kysely';
import { isBlockedDomain } from './sign-up-checks.ts';

// Two processes of one deployment: what one of them has counted, the other knows.
const open = { SIGNUP: 'open', SIGN_UP_CHECK: 'proof_of_work', SIGN_UP_BLOCKED_DOMAINS: 'blocked.example' };
const [api, other] = await Promise.all([openCounting(open), openCounting(open)]);
afterAll(() => Promise.all([api.close(), other.close()]));

/** One that reaches Valkey: until it does, it counts by itself. */
async function openCounting(settings: Record<string, string>) {
  const opened = await openApi(settings);
  await vi.waitFor(() => opened.platform.health.others.valkey(), { timeout: 20_000 });
  return opened;
}

let networks = 0;
/** An address in a /24 that nobody had before in this file. */
const aNetwork = () => `172.20.${networks++}`;
const newEmail = () => `${randomUUID()}@example.com`;
const form = (more: object = {}) => ({ email: newEmail(), name: 'Ada', organisation: 'Engines', ...more });
const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const post = (url: string, payload: object | undefined, remoteAddress: string, { app } = api) =>
  app.inject({ method: 'POST', url, remoteAddress, ...(payload && { payload }) });
const challengeFor = async (address: string) =>
  (await post('/auth/signup/challenge', undefined, address)).json<{ challenge: Challenge }>().challenge;
const signUpsOf = async (email: string) =>
  (await sql`select from customer_pool.signups where email = ${email}`.execute(admin)).rows.length;

test('403 proof_required without a proof, 403 proof_invalid for a forged one, and nothing is stored or sent', async () => {
  const address = `${aNetwork()}.1`;
  const body = form();
  expect(outcome(await post('/auth/signup', body, address))).toEqual([403, 'proof_required']);
  const { salt, signature } = await challengeFor(address);
  for (const proof of [`${salt}99999999.${signature}`, `${salt}1.${'0'.repeat(64)}`, 'x'])
    expect(outcome(await post('/auth/signup', { ...body, proof }, address))).toEqual([403, 'proof_invalid']);
  expect(await signUpsOf(body.email)).toBe(0);
});

test('202 with a solved challenge, and 403 proof_invalid for the same one again, also at another process', async () => {
  const address = `${aNetwork()}.1`;
  const proof = solve(await challengeFor(address));
  const first = form({ proof });
  expect((await post('/auth/signup', first, address)).statusCode).toBe(202);
  expect(await signUpsOf(first.email)).toBe(1);
  expect(outcome(await post('/auth/signup', form({ proof }), address))).toEqual([403, 'proof_invalid']);
  expect(outcome(await post('/auth/signup', form({ proof }), address, other))).toEqual([403, 'proof_invalid']);
});

test('a challenge used ten times at once makes one sign-up', async () => {
  const network = aNetwork();
  const proof = solve(await challengeFor(`${network}.1`));
  const sent = Array.from({ length: 10 }, (_, n) =>
    post('/auth/signup', form({ proof }), `${network}.${n + 2}`, n % 2 ? api : other),
  );
  const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, ...Array<number>(9).fill(403)]);
});

test('the work grows with the challenges of the whole network, and not for its neighbour', async () => {
  const network = aNetwork();
  const asked: number[] = [];
  for (let n = 1; n <= 21; n++) asked.push((await challengeFor(`${network}.${n}`)).maxNumber);
  expect([asked[0], asked[9], asked[10], asked[20]]).toEqual([100_000, 100_000, 200_000, 400_000]);
  expect((await challengeFor(`${aNetwork()}.1`)).maxNumber).toBe(100_000);
});

test('400 email_domain_blocked for disposable domains and those of the setting, below them too, and not for an invitation', async () => {
  const address = `${aNetwork()}.1`;
  for (const domain of [
    'mailinator.com',
    'MAILINATOR.com',
    'a.b.mailinator.com',
    'blocked.example',
    'x.blocked.example',
  ]) {
    const refused = await post('/auth/signup', form({ email: `ada@${domain}` }), address);
    expect([domain, ...outcome(refused)]).toEqual([domain, 400, 'email_domain_blocked']);
    expect(refused.json<{ error: { details: { path: string }[] } }>().error.details[0]?.path).toBe('/email');
  }
  const tenant = await aTenant();
  const invited = await tenant.post('/invitations', { email: `${randomUUID()}@mailinator.com`, roles: ['viewer'] });
  expect(invited.statusCode).toBe(201);
});

test('a name that merely ends or begins like a blocked domain is none', () => {
  for (const domain of ['parley-mailinator.com', 'mailinator.com.example', 'mailinator.example', 'com'])
    expect(isBlockedDomain(`ada@${domain}`, ['blocked.example']), domain).toBe(false);
});

test('429 after a hundred sign-ups of one network within an hour, from whichever of its addresses; others go on', async () => {
  const plain = await openCounting({ SIGNUP: 'open', SIGN_UP_CHECK: 'none' });
  onTestFinished(plain.close);
  const [v4, v6] = [aNetwork(), '2001:db8:7'];
  for (const addressOf of [(n: number) => `${v4}.${n}`, (n: number) => `${v6}:${n.toString(16)}::1`]) {
    const statuses: number[] = [];
    for (let n = 1; n <= 101; n++)
      statuses.push((await post('/auth/signup', form(), addressOf(n % 25), plain)).statusCode);
    expect([addressOf(1), statuses.filter((status) => status === 202).length]).toEqual([addressOf(1), 100]);
    expect(statuses.at(-1)).toBe(429);
  }
  expect((await post('/auth/signup', form(), `${aNetwork()}.1`, plain)).statusCode).toBe(202);
  expect((await post('/auth/signup', form(), '2001:db8:8::1', plain)).statusCode).toBe(202);
});

test('403 signup_closed for a challenge where sign-up is off; null where none is asked for', async () => {
  const [closed, none] = await Promise.all([openApi(), openApi({ SIGNUP: 'open' })]);
  onTestFinished(async () => void (await Promise.all([closed.close(), none.close()])));
  const address = `${aNetwork()}.1`;
  expect(outcome(await post('/auth/signup/challenge', undefined, address, closed))).toEqual([403, 'signup_closed']);
  expect((await post('/auth/signup/challenge', undefined, address, none)).json()).toEqual({ challenge: null });
});

/** Speaks `siteverify` as the providers do: a form in, JSON out. */
async function aVerifier() {
  const calls: Record<string, string>[] = [];
  const state = { answer: undefined as [number, string] | undefined };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      calls.push(sent);
      const isRight = sent['secret'] === 'the secret' && sent['response'] === 'solved';
      const codes = isRight
        ? []
        : [sent['secret'] === 'the secret' ? 'invalid-input-response' : 'invalid-input-secret'];
      const [status, text] = state.answer ?? [200, JSON.stringify({ success: isRight, 'error-codes': codes })];
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const withCaptcha = async (more: object = {}) => {
    const captcha = { provider: 'turnstile', siteKey: 'site', secret: 'the secret', siteverifyUrl: `http://${host}/` };
    const opened = await openCounting({
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

test('202 for a token that the CAPTCHA provider confirms, 403 for any other or none; it is told the address', async () => {
  const { calls, withCaptcha } = await aVerifier();
  const guarded = await withCaptcha();
  const address = `${aNetwork()}.1`;
  expect(outcome(await post('/auth/signup', form(), address, guarded))).toEqual([403, 'proof_required']);
  expect(calls).toEqual([]);
  expect(outcome(await post('/auth/signup', form({ proof: 'guessed' }), address, guarded))).toEqual([
    403,
    'proof_invalid',
  ]);
  expect((await post('/auth/signup', form({ proof: 'solved' }), address, guarded)).statusCode).toBe(202);
  expect(calls.at(-1)).toEqual({ secret: 'the secret', response: 'solved', remoteip: address });
});

test('503 captcha_unavailable, and no sign-up, when the provider is away, talks nonsense or refuses our secret', async () => {
  const { state, withCaptcha } = await aVerifier();
  const guarded = await withCaptcha();
  const address = `${aNetwork()}.1`;
  const unavailable = [503, 'captcha_unavailable'];
  for (const answer of [
    [500, '{"success":true}'],
    [200, '<html>'],
    [200, '{}'],
  ] as [number, string][]) {
    state.answer = answer;
    expect([answer, ...outcome(await post('/auth/signup', form({ proof: 'solved' }), address, guarded))]).toEqual([
      answer,
      ...unavailable,
    ]);
  }
  state.answer = undefined;
  const misconfigured = await withCaptcha({ secret: 'another' });
  expect(outcome(await post('/auth/signup', form({ proof: 'solved' }), address, misconfigured))).toEqual(unavailable);
  const gone = await withCaptcha({ siteverifyUrl: 'http://127.0.0.1:9/' });
  expect(outcome(await post('/auth/signup', form({ proof: 'solved' }), address, gone))).toEqual(unavailable);
});
