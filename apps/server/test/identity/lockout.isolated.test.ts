import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { forgiveAttempt, takeAttempt, type Attempt } from '../../src/features/accounts/password/attempts.store.ts';
import { createToken } from '../../src/features/accounts/one-time-tokens.store.ts';
import { isPassword } from '../../src/features/accounts/password/passwords.ts';
import { verifyPassword, signInWithCode } from '../../src/features/accounts/sign-in/sign-in.ts';
import { connect } from '../../src/platform/db.ts';
import { AppError } from '../../src/platform/errors.ts';
import { inPool } from '../../src/platform/pool.ts';
import { ipKey } from '../../src/platform/rate-limit.ts';
import { holdLock } from '../faults/hold-lock.ts';
import { admin, api, openApi, urlAs, countLockWaits } from '../harness.ts';
import {
  accountsOf,
  anAccount,
  anIp,
  aResetToken,
  failedSignInEmailsTo as emailsTo,
  moveAttemptsBack,
  manyAccounts,
  mfaTokenFor,
  countAuditEntries,
  rightPassword,
  sendFrom,
  signIn,
  tally,
  endAllBlocks,
  withTotp,
  wrongPassword,
} from './accounts-fixture.ts';
import { countOf, isFull } from '../../../../tools/testing/size.ts';

// The sample run uses fewer attempts, with the same rules.
const attemptCount = countOf('LOGIN_ATTEMPTS', { sample: 60, full: 10_000 });
const requestCount = Math.max(650, attemptCount); // more than the limit of requests lets through in two minutes
const concurrentCount = isFull ? 500 : 120;
const ipCount = Math.max(110, attemptCount / 5);
const concurrency = 40; // below the limit of queued hashes, so that no request gets a 503
const longTimeout = { timeout: 120_000 };

// Counts every comparison with a hash, whatever the response. In a sample, hashes are cheap: what one costs does not change
// how many are computed.
const hashing = vi.hoisted(() => ({ count: 0, gate: Promise.resolve() }));
vi.mock(import('@node-rs/argon2'), async (original) => {
  const { withCheapHashes } = await import('./cheap-hashes.ts');
  const size = await import('../../../../tools/testing/size.ts');
  const library = size.isFull ? await original() : withCheapHashes(await original());
  const verify: typeof library.verify = async (...args) => {
    hashing.count++;
    await hashing.gate;
    return library.verify(...args);
  };
  return { ...library, verify };
});

const db = connect(urlAs('parley_app'), { max: 20, connectMs: 60_000 });
const accounts = accountsOf('customer', db);
const { app, close } = await openApi({ DATABASE_POOL_SIZE: '20' });
afterAll(async () => {
  await close();
  accounts.pool.stop();
  await db.destroy();
});

/** Free attempts and the first wait in seconds. After that, one attempt per wait, which doubles up to 15 minutes. */
const rules = { pair: [5, 30], ip: [50, 60], account: [100, 300] } as const;
function maxAttempts([free, firstWait]: readonly [number, number], seconds: number): number {
  let [allowed, wait, left] = [free, firstWait, seconds - firstWait];
  while (left >= 0) {
    wait = Math.min(900, wait * 2);
    left -= wait;
    allowed++;
  }
  return allowed;
}

const times = (count: number) => Array.from({ length: count }, (_, n) => n);
const requestFrom = (ip: string) => ({ ip, userAgent: '', requestId: 'req_test' });
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof AppError ? error.status : String(error)),
  );
/** Bypasses the rate limit of requests, which would otherwise apply first. */
const tryWrongPassword = (email: string, ip: string) =>
  outcomeOf(verifyPassword(accounts, { email, password: wrongPassword }, requestFrom(ip)));
const login = async (email: string, ip = anIp(), password = rightPassword) =>
  (await signIn(app, email, password, ip)).statusCode;
const wrongLogins = (count: number, email: string, ip: string) =>
  tally(times(count), 5, () => login(email, ip, wrongPassword));

/** Runs an attack and compares responses, audit log and hash count with each other and with the rule. */
async function expectBounded(
  name: string,
  rule: readonly [number, number],
  attack: () => Promise<Record<string, number>>,
  filter: { ip?: string; userId?: string },
  /** Signs in the owner during the attack. */
  ownerSignIn?: () => Promise<number>,
) {
  hashing.count = 0;
  const startedAt = performance.now();
  const running = attack();
  if (ownerSignIn) expect(await ownerSignIn(), 'during the attack').toBe(200);
  const outcomes = await running;
  const seconds = (performance.now() - startedAt) / 1_000;
  const { 401: checked = 0, 429: refused = 0, ...others } = outcomes;
  console.log(`lockout: ${name}: ${checked} checked, ${refused} refused in ${seconds.toFixed(1)} s`);
  expect(others).toEqual({});
  expect(checked).toBeGreaterThanOrEqual(rule[0]);
  expect(checked).toBeLessThanOrEqual(maxAttempts(rule, seconds));
  expect(await countAuditEntries('sign_in.failed', filter)).toBe(checked);
  expect(hashing.count - (ownerSignIn ? 1 : 0)).toBe(checked);
}

test(
  `checks 5 of ${attemptCount} attempts at one account from one IP, and the owner can sign in from another IP`,
  longTimeout,
  async () => {
    const [owner, ip] = [await anAccount(), anIp()];
    const attack = () => tally(times(attemptCount), concurrency, () => tryWrongPassword(owner.email, ip));
    await expectBounded(`${attemptCount} at one account`, rules.pair, attack, { ip }, () => login(owner.email));
    expect(await login(owner.email), 'after it').toBe(200);
  },
);

test(`checks 50 of ${attemptCount} attempts at different accounts from one IP`, longTimeout, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  const known = await manyAccounts(attemptCount / 2);
  const emails = known.flatMap((email) => [email, `nobody-${email}`]);
  const attack = () => tally(emails, concurrency, (email) => tryWrongPassword(email, ip));
  await expectBounded(`${attemptCount} accounts`, rules.ip, attack, { ip }, () => login(owner.email));
  expect(await login(known[0] ?? ''), 'afterwards: correct password, no tenant').toBe(403);
});

test(
  `checks 100 of ${ipCount} attempts at one account from different IPs, and the owner can sign in from a known IP`,
  longTimeout,
  async () => {
    const [owner, home] = [await anAccount(), anIp()];
    expect(await login(owner.email, home)).toBe(200);
    const attack = () => tally(times(ipCount), concurrency, () => login(owner.email, anIp(), wrongPassword));
    await expectBounded(`${ipCount} IPs`, rules.account, attack, { userId: owner.userId }, () =>
      login(owner.email, home),
    );
    expect(await login(owner.email, home), 'after it').toBe(200);
    expect(await login(owner.email), 'from an unknown IP').toBe(429);
    await endAllBlocks();
    expect(await login(owner.email), 'after the wait').toBe(200);
  },
);

test(
  `limits ${requestCount} requests from one IP to 300 per minute, and checks 5 for one account and 50 for many`,
  longTimeout,
  async () => {
    const owner = await anAccount();
    for (const [rule, emailOf, count] of [
      [rules.pair, () => owner.email, requestCount],
      [rules.ip, (n: number) => `${n}@example.com`, isFull ? requestCount : attemptCount],
    ] as const) {
      const ip = anIp();
      const limits = new Map<string, number>();
      /** A sample ends with the first request that the limit of requests refuses. */
      function* requests() {
        for (let n = 0; n < count && (isFull || limits.size < 2); n++) yield n;
      }
      const attack = () =>
        tally(requests(), concurrency, async (n) => {
          const { statusCode, headers } = await signIn(app, emailOf(n), wrongPassword, ip);
          const policy = statusCode === 429 ? String(headers['ratelimit-policy']).split(';')[0] : undefined;
          if (policy) limits.set(policy, (limits.get(policy) ?? 0) + 1);
          await setImmediate(); // injected requests would otherwise starve database I/O
          return statusCode;
        });
      await expectBounded(`${count} requests`, rule, attack, { ip });
      expect((limits.get('"sign-in"') ?? 0) + rule[0], JSON.stringify([...limits])).toBeLessThanOrEqual(600);
    }
  },
);

test(`checks only 5 of ${concurrentCount} concurrent attempts`, longTimeout, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  const attack = () => tally(times(concurrentCount), concurrentCount, () => tryWrongPassword(owner.email, ip));
  await expectBounded(`${concurrentCount} concurrent`, rules.pair, attack, { ip });
});

test('returns 429 for correct and wrong passwords, with waits that double up to 15 minutes', longTimeout, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  expect(await wrongLogins(5, owner.email, ip)).toEqual({ 401: 5 });
  const waits: number[] = [];
  for (let lock = 0; lock < 7; lock++) {
    const responses = [];
    for (const password of [rightPassword, wrongPassword])
      responses.push(await signIn(api.app, owner.email, password, ip));
    for (const { statusCode, headers } of responses) {
      expect(statusCode).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    waits.push(Number(responses[0]?.headers['retry-after']));
    await endAllBlocks();
    expect(await login(owner.email, ip, wrongPassword)).toBe(401);
  }
  for (const [n, expected] of [30, 60, 120, 240, 480, 900, 900].entries()) {
    expect(waits[n]).toBeLessThanOrEqual(expected);
    expect(waits[n]).toBeGreaterThan(expected - 10);
  }
  await endAllBlocks();
  expect(await login(owner.email, ip), 'the owner, from the same IP, after the wait').toBe(200);
  expect(await wrongLogins(5, owner.email, ip), 'the counter was reset').toEqual({ 401: 5 });
});

test('a password reset ends the lockout for all IPs', longTimeout, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  await tally(times(120), concurrency, () => tryWrongPassword(owner.email, anIp()));
  await wrongLogins(6, owner.email, ip);
  expect([await login(owner.email), await login(owner.email, ip)]).toEqual([429, 429]);
  const password = 'quite another sentence';
  const reset = { token: await aResetToken(owner), password };
  expect((await sendFrom(anIp(), '/auth/password/reset', reset)).statusCode).toBe(200);
  for (const from of [anIp(), ip]) expect(await login(owner.email, from, password)).toBe(200);
});

test('a password reset resets the counter of the account, not that of the IP', longTimeout, async () => {
  const [attacker, ip] = [await anAccount(), anIp()];
  await login(attacker.email, ip, wrongPassword);
  await tally(times(60), concurrency, (n) => tryWrongPassword(`unknown-${n}@example.com`, ip));
  expect(await tryWrongPassword('one-more@example.com', ip)).toBe(429);
  const reset = { token: await aResetToken(attacker), password: 'quite another sentence' };
  expect((await sendFrom(anIp(), '/auth/password/reset', reset)).statusCode).toBe(200);
  expect(await tryWrongPassword('one-more@example.com', ip)).toBe(429);
});

test('returns 429 for codes even after a password reset', longTimeout, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  const { wrongCode } = await withTotp(owner);
  const tryCode = async (n: number, password: string) => {
    const mfaToken = await mfaTokenFor({ ...owner, password }, ip);
    return (await sendFrom(ip, '/auth/login/mfa', { mfaToken, code: wrongCode(n) })).statusCode;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push(await tryCode(n, owner.password));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  const password = 'quite another sentence';
  const reset = { token: await aResetToken(owner), password };
  expect((await sendFrom(anIp(), '/auth/password/reset', reset)).statusCode).toBe(200);
  expect(await tryCode(7, password)).toBe(429);
});

test('a correct password after the wait does not lock out others at the same IP', longTimeout, async () => {
  const [first, second, ip] = [await anAccount(), await anAccount(), anIp()];
  await tally(times(60), concurrency, (n) => tryWrongPassword(`anybody-${n}@example.com`, ip));
  expect(await login(first.email, ip)).toBe(429);
  await endAllBlocks();
  expect([await login(first.email, ip), await login(second.email, ip)]).toEqual([200, 200]);
});

test('a few wrong passwords a day from one IP never cause a lockout', longTimeout, async () => {
  const ip = anIp();
  // More than the 50 that are free.
  for (let half = 0; half < (isFull ? 40 : 28); half++) {
    expect(await tally([1, 2], 1, (n) => tryWrongPassword(`typo-${half}-${n}@example.com`, ip))).toEqual({ 401: 2 });
    await moveAttemptsBack(12);
  }
});

test('does not count a correct password without access as a failed attempt: always 403, never 429', async () => {
  const [member, disabled, operator] = [await anAccount(), await anAccount(), await anAccount({ pool: 'admin' })];
  await sql`delete from directory.user_tenants where user_id = ${member.userId}`.execute(admin);
  await sql`update directory.users set disabled_at = now() where user_id = ${disabled.userId}`.execute(admin);
  const ip = anIp();
  for (let time = 0; time < 7; time++) {
    expect([await login(member.email, ip), await login(disabled.email, ip)]).toEqual([403, 403]);
    const { email, password } = operator;
    expect((await sendFrom(ip, '/admin/auth/login', { email, password })).statusCode).toBe(403);
  }
});

test('writes wrong codes to the audit log and emails the owner', async () => {
  const owner = await anAccount();
  const { wrongCode } = await withTotp(owner);
  const ip = anIp();
  const mfaToken = await mfaTokenFor(owner, ip);
  for (let n = 0; n < 6; n++) await sendCode(mfaToken, wrongCode(n), ip);
  expect(await countAuditEntries('second_factor.failed', owner)).toBe(5);
  await expect.poll(() => emailsTo(owner.email)).toBe(1);
});

test('does not count attempts that failed with 503 because of too many sign-ins', longTimeout, async () => {
  const [owner, ip, { promise, resolve }] = [await anAccount(), anIp(), Promise.withResolvers<void>()];
  const another = () => isPassword('customer', null, wrongPassword);
  await another();
  onTestFinished(() => resolve());
  hashing.gate = promise;
  const others = times(availableParallelism() + 50).map(another); // fills the queue
  const outcomes = await tally(times(5), 5, () => login(owner.email, ip));
  resolve();
  await Promise.all(others);
  expect(outcomes).toEqual({ 503: 5 });
  expect(await login(owner.email, ip)).toBe(200);
});

test('concurrent sign-ins of one account do not deadlock', async () => {
  const take = (ip: string) =>
    inPool(db, 'customer', (tx) =>
      takeAttempt(tx, { kind: 'password', account: 'twice@example.com', ip, isKnownIp: false }),
    );
  /** The lock order is IP, account, pair. */
  const isInOrder = ({ keys: [pair, ip, account] }: Attempt) =>
    pair && ip && account && ip.compare(account) < 0 && account.compare(pair) < 0;
  let [attempt, ip] = [await take('10.0.0.1'), '10.0.0.1'];
  for (let n = 2; !isInOrder(attempt); n++) attempt = await take((ip = `10.0.0.${n}`));
  const release = await holdLock((tx) =>
    sql`select from customer_pool.login_attempts where key = ${attempt.keys[2]} for update`.execute(tx),
  );
  const takeResult = outcomeOf(take(ip));
  await expect.poll(countLockWaits).toBe(1);
  const forgiveResult = outcomeOf(inPool(db, 'customer', (tx) => forgiveAttempt(tx, attempt)));
  await expect.poll(countLockWaits).toBe(2);
  await release();
  expect([await takeResult, await forgiveResult]).toEqual([200, 200]);
});

test('counts attempts per IPv6 /64', longTimeout, async () => {
  const owner = await anAccount();
  const net = (n: number) => `2001:db8:0:${n.toString(16)}`;
  const outcomes = await tally(times(40), 10, (n) =>
    login(owner.email, `${net(1)}::${((n * 7919) % 65_536).toString(16)}`, wrongPassword),
  );
  expect(outcomes).toEqual({ 401: 5, 429: 35 });
  expect(await login(owner.email, `${net(1)}:ffff:ffff:ffff:ffff`)).toBe(429);
  expect(await login(owner.email, `${net(2)}::1`)).toBe(200);
  expect(await login(owner.email, '::ffff:203.0.113.9', wrongPassword)).toBe(401);
  const again = await wrongLogins(5, owner.email, '203.0.113.9');
  expect(again, 'the same IP in two notations').toEqual({ 401: 4, 429: 1 });
});

test('emails the owner once for repeated lockouts from different IPs', async () => {
  const owner = await anAccount();
  for (const ip of [anIp(), anIp()]) {
    await wrongLogins(6, owner.email, ip);
    await endAllBlocks();
    await wrongLogins(2, owner.email, ip);
  }
  await expect.poll(() => countAuditEntries('account.locked', owner)).toBeGreaterThanOrEqual(2);
  expect(await emailsTo(owner.email)).toBe(1);
  await wrongLogins(6, 'nobody@example.com', anIp());
  expect(await emailsTo('nobody@example.com')).toBe(0);
});

test('emails the owner when many IPs together lock the account', longTimeout, async () => {
  const owner = await anAccount();
  await tally(times(110), concurrency, () => tryWrongPassword(owner.email, anIp()));
  await expect.poll(() => emailsTo(owner.email)).toBe(1);
});

test('writes one audit entry per lockout, also for concurrent attempts', async () => {
  const owner = await anAccount();
  await wrongLogins(5, owner.email, anIp());
  await expect.poll(() => emailsTo(owner.email)).toBe(1);
  await expect.poll(() => countAuditEntries('account.locked', owner)).toBe(1);
});

test('a stolen access token allows no more password attempts than an unknown IP', longTimeout, async () => {
  const owner = await anAccount();
  const { accessToken } = (await signIn(api.app, owner.email, rightPassword)).json<{ accessToken: string }>();
  const stolen = { authorization: `Bearer ${accessToken}` };
  const stepUp = () => sendFrom(anIp(), '/auth/step-up', { password: wrongPassword }, stolen);
  const outcomes = await tally(times(110), concurrency, async () => (await stepUp()).statusCode);
  expect(outcomes).toEqual({ 401: 100, 429: 10 });
});

const sendCode = async (mfaToken: string, code: string, ip: string) =>
  (await sendFrom(ip, '/auth/login/mfa', { mfaToken, code })).statusCode;

test(`checks 5 of ${attemptCount} wrong codes from one IP, and 100 from many`, longTimeout, async () => {
  const owner = await anAccount();
  const [{ wrongCode }, ip] = [await withTotp(owner), anIp()];
  const mfaToken = await mfaTokenFor(owner, ip);
  const tryCode = (token: string, n: number, from: string) =>
    outcomeOf(signInWithCode(accounts, { mfaToken: token, code: wrongCode(n) }, requestFrom(from)));
  const startedAt = performance.now();
  const { 401: checked = 0, 429: refused = 0 } = await tally(times(attemptCount), concurrency, (n) =>
    tryCode(mfaToken, n, ip),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`lockout: ${attemptCount} codes: ${checked} checked, ${refused} refused in ${seconds.toFixed(1)} s`);
  expect(checked).toBeLessThanOrEqual(maxAttempts(rules.pair, seconds));
  expect(checked + refused).toBe(attemptCount);
  const manyCount = isFull ? 200 : 110;
  const fromMany = await tally(times(manyCount), concurrency, async (n) => {
    const from = anIp();
    const data = { ip: ipKey(from), methods: ['pwd'] };
    const token = await inPool(db, 'customer', (tx) =>
      createToken(tx, { purpose: 'mfa', seconds: 60, userId: owner.userId, data }),
    );
    return tryCode(token, n, from);
  });
  expect(fromMany).toEqual({ 401: 100 - checked, 429: manyCount - 100 + checked });
});

test('a code works once, and an mfaToken works once and only from its IP', async () => {
  const owner = await anAccount();
  const [{ code }, ip] = [await withTotp(owner), anIp()];
  const first = await mfaTokenFor(owner, ip);
  expect(await sendCode(first, code(), anIp()), 'from another IP').toBe(401);
  const correctCode = code();
  expect(await sendCode(first, correctCode, ip)).toBe(200);
  expect(await sendCode(first, code(1), ip), 'the same mfaToken with the next code').toBe(401);
  expect(await sendCode(await mfaTokenFor(owner, ip), correctCode, ip), 'the same code').toBe(401);
  expect(await sendCode(await mfaTokenFor(owner, ip), code(1), ip), 'the next code').toBe(200);
});

test('of two concurrent requests with the same recovery code or mfaToken, one succeeds', async () => {
  const owner = await anAccount();
  const { recoveryCodes } = await withTotp(owner);
  const race = async (sent: { mfaToken: string; code: string; ip: string }[]) => {
    const responses = await Promise.all(
      sent.map(({ ip, ...body }, n) => sendFrom(ip, '/auth/login/mfa', body, {}, n === 0 ? api.app : app)),
    );
    return responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);
  };
  const step = async () => {
    const ip = anIp();
    return { ip, mfaToken: await mfaTokenFor(owner, ip) };
  };
  for (const code of recoveryCodes.slice(0, 4)) {
    const [first, second] = [await step(), await step()];
    expect(await race([first, second].map((each) => ({ ...each, code })))).toEqual([200, 401]);
    const again = await step();
    expect(await sendCode(again.mfaToken, code, again.ip), 'used again later').toBe(401);
  }
  const [one = '', other = ''] = recoveryCodes.slice(4);
  const same = await step();
  expect(await race([one, other].map((code) => ({ ...same, code })))).toEqual([200, 401]);
});
