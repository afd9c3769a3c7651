import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { forgiveAttempt, takeAttempt, type Attempt } from '../../src/features/accounts/password/attempts.store.ts';
import { mint } from '../../src/features/accounts/one-time-tokens.store.ts';
import { isPassword } from '../../src/features/accounts/password/passwords.ts';
import { provePassword, signInWithCode } from '../../src/features/accounts/sign-in/sign-in.ts';
import { connect } from '../../src/platform/db.ts';
import { AppError } from '../../src/platform/errors.ts';
import { inPool } from '../../src/platform/pool.ts';
import { ipKey } from '../../src/platform/rate-limit.ts';
import { hold } from '../faults/hold.ts';
import { admin, api, openApi, urlAs, countLockWaits } from '../harness.ts';
import {
  accountsOf,
  anAccount,
  anIp,
  aResetToken,
  failedSignInEmailsTo as emailsTo,
  hoursPass,
  manyAccounts,
  mfaTokenFor,
  noted,
  rightPassword,
  sendFrom,
  signIn,
  tally,
  waitIsOver,
  withTotp,
  wrongPassword,
} from './accounts-fixture.ts';
import { countOf } from '../../../../tools/testing/size.ts';

// The sample attacks at a fraction of the full size, by the same rules.
const guesses = countOf('GUESSES', { sample: 60, full: 10_000 });
const flood = Math.max(350, guesses);
const crowd = Math.max(130, guesses / 5);
const atOnce = 40; // fewer than may wait for a hash, so that nobody is told that we are busy
const long = { timeout: 120_000 };

// Every comparison with a hash is seen, whatever is answered afterwards.
const hashing = vi.hoisted(() => ({ count: 0, gate: Promise.resolve() }));
vi.mock(import('@node-rs/argon2'), async (original) => {
  const library = await original();
  const verify: typeof library.verify = async (...given) => {
    hashing.count++;
    await hashing.gate;
    return library.verify(...given);
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

/** What the rules promise: so many, then one more after each wait, which doubles up to a quarter of an hour. */
const rules = { pair: [5, 30], ip: [50, 60], account: [100, 300] } as const;
function max([free, firstWait]: readonly [number, number], seconds: number): number {
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
/** A guess past the limit of requests, which else would be what stops it first. */
const guess = (email: string, ip: string) =>
  outcomeOf(provePassword(accounts, { email, password: wrongPassword }, requestFrom(ip)));
const login = async (email: string, ip = anIp(), password = rightPassword) =>
  (await signIn(app, email, password, ip)).statusCode;
const wrongLogins = (count: number, email: string, ip: string) =>
  tally(times(count), 5, () => login(email, ip, wrongPassword));

/** Runs an attack, and holds the answers, the audit log and the hashes against each other and against the rule. */
async function expectBounded(
  name: string,
  rule: readonly [number, number],
  attack: () => Promise<Record<string, number>>,
  whose: { ip?: string; userId?: string },
  /** Somebody signs in meanwhile. */
  meanwhile?: () => Promise<number>,
) {
  hashing.count = 0;
  const began = performance.now();
  const running = attack();
  if (meanwhile) expect(await meanwhile(), 'during the attack').toBe(200);
  const outcomes = await running;
  const seconds = (performance.now() - began) / 1_000;
  const { 401: tried = 0, 429: refused = 0, ...others } = outcomes;
  console.log(`lockout: ${name}: ${tried} tried, ${refused} refused in ${seconds.toFixed(1)} s`);
  expect(others).toEqual({});
  expect(tried).toBeGreaterThanOrEqual(rule[0]);
  expect(tried).toBeLessThanOrEqual(max(rule, seconds));
  expect(await noted('sign_in.failed', whose)).toBe(tried);
  expect(hashing.count - (meanwhile ? 1 : 0)).toBe(tried);
}

test(
  `${guesses} guesses at one account from one IP: 5 are tried, and its owner signs in elsewhere at once`,
  long,
  async () => {
    const [owner, ip] = [await anAccount(), anIp()];
    const attack = () => tally(times(guesses), atOnce, () => guess(owner.email, ip));
    await expectBounded(`${guesses} at one account`, rules.pair, attack, { ip }, () => login(owner.email));
    expect(await login(owner.email), 'after it').toBe(200);
  },
);

test(`${guesses} accounts, half of them there, one guess each from one IP: 50 are tried`, long, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  const known = await manyAccounts(guesses / 2);
  const emails = known.flatMap((email) => [email, `nobody-${email}`]);
  const attack = () => tally(emails, atOnce, (email) => guess(email, ip));
  await expectBounded(`${guesses} accounts`, rules.ip, attack, { ip }, () => login(owner.email));
  expect(await login(known[0] ?? ''), 'after it: the password is right, they belong nowhere').toBe(403);
});

test(
  `${crowd} IPs, one guess each at one account: 100 are tried, and its owner signs in where they did before`,
  long,
  async () => {
    const [owner, home] = [await anAccount(), anIp()];
    expect(await login(owner.email, home)).toBe(200);
    const attack = () => tally(times(crowd), atOnce, () => login(owner.email, anIp(), wrongPassword));
    await expectBounded(`${crowd} IPs`, rules.account, attack, { userId: owner.userId }, () =>
      login(owner.email, home),
    );
    expect(await login(owner.email, home), 'after it').toBe(200);
    expect(await login(owner.email), 'from where attackers may be').toBe(429);
    await waitIsOver();
    expect(await login(owner.email), 'after the wait').toBe(200);
  },
);

test(
  `${flood} requests from one IP at one account, then at as many: 300 a minute get past the door, 5 and 50 are tried`,
  long,
  async () => {
    const owner = await anAccount();
    for (const [rule, emailOf] of [
      [rules.pair, () => owner.email],
      [rules.ip, (n: number) => `${n}@example.com`],
    ] as const) {
      const ip = anIp();
      const limits = new Map<string, number>();
      const attack = () =>
        tally(times(flood), atOnce, async (n) => {
          const { statusCode, headers } = await signIn(app, emailOf(n), wrongPassword, ip);
          const policy = statusCode === 429 ? String(headers['ratelimit-policy']).split(';')[0] : undefined;
          if (policy) limits.set(policy, (limits.get(policy) ?? 0) + 1);
          await setImmediate(); // requests without a socket would leave the database's no turn
          return statusCode;
        });
      await expectBounded(`${flood} requests`, rule, attack, { ip });
      expect((limits.get('"sign-in"') ?? 0) + rule[0], JSON.stringify([...limits])).toBeLessThanOrEqual(600);
    }
  },
);

test('500 guesses at the same instant: counting comes before trying', long, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  const attack = () => tally(times(500), 500, () => guess(owner.email, ip));
  await expectBounded('500 at the same instant', rules.pair, attack, { ip });
});

test(
  '429 for a right password as for a wrong one; each wait is twice the one before, up to a quarter of an hour',
  long,
  async () => {
    const [owner, ip] = [await anAccount(), anIp()];
    expect(await wrongLogins(5, owner.email, ip)).toEqual({ 401: 5 });
    const waits: number[] = [];
    for (let lock = 0; lock < 7; lock++) {
      const answers = [];
      for (const password of [rightPassword, wrongPassword])
        answers.push(await signIn(api.app, owner.email, password, ip));
      for (const { statusCode, headers } of answers) {
        expect(statusCode).toBe(429);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      waits.push(Number(answers[0]?.headers['retry-after']));
      await waitIsOver();
      expect(await login(owner.email, ip, wrongPassword)).toBe(401);
    }
    for (const [n, expected] of [30, 60, 120, 240, 480, 900, 900].entries()) {
      expect(waits[n]).toBeLessThanOrEqual(expected);
      expect(waits[n]).toBeGreaterThan(expected - 10);
    }
    await waitIsOver();
    expect(await login(owner.email, ip), 'the owner, at the attacked ip, after the wait').toBe(200);
    expect(await wrongLogins(5, owner.email, ip), 'and it began anew').toEqual({ 401: 5 });
  },
);

test('whoever holds the mailbox resets the password, and is locked out nowhere any more', long, async () => {
  const [owner, ip] = [await anAccount(), anIp()];
  await tally(times(120), atOnce, () => guess(owner.email, anIp()));
  await wrongLogins(6, owner.email, ip);
  expect([await login(owner.email), await login(owner.email, ip)]).toEqual([429, 429]);
  const password = 'quite another sentence';
  const reset = { token: await aResetToken(owner), password };
  expect((await sendFrom(anIp(), '/auth/password/reset', reset)).statusCode).toBe(200);
  for (const from of [anIp(), ip]) expect(await login(owner.email, from, password)).toBe(200);
});

test('a reset forgets what was guessed at that account, not what its ip guessed at others', long, async () => {
  const [attacker, ip] = [await anAccount(), anIp()];
  await login(attacker.email, ip, wrongPassword);
  await tally(times(60), atOnce, (n) => guess(`somebody-${n}@example.com`, ip));
  expect(await guess('one-more@example.com', ip)).toBe(429);
  const reset = { token: await aResetToken(attacker), password: 'quite another sentence' };
  expect((await sendFrom(anIp(), '/auth/password/reset', reset)).statusCode).toBe(200);
  expect(await guess('one-more@example.com', ip)).toBe(429);
});

test(
  '429 for codes after a reset of the password: the mailbox proves nothing about the second factor',
  long,
  async () => {
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
  },
);

test('a right password at an ip that guessed too often locks nobody else of it out', long, async () => {
  const [first, second, ip] = [await anAccount(), await anAccount(), anIp()];
  await tally(times(60), atOnce, (n) => guess(`anybody-${n}@example.com`, ip));
  expect(await login(first.email, ip)).toBe(429);
  await waitIsOver();
  expect([await login(first.email, ip), await login(second.email, ip)]).toEqual([200, 200]);
});

test('a few wrong passwords a day in a whole office are no attack: they are forgotten after a day', long, async () => {
  const ip = anIp();
  for (let half = 0; half < 40; half++) {
    expect(await tally([1, 2], 1, (n) => guess(`typo-${half}-${n}@example.com`, ip))).toEqual({ 401: 2 });
    await hoursPass(12);
  }
});

test('a right password that opens nothing is no guess: 403 each time, and never 429', async () => {
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

test('wrong codes are written down, and their owner is told: whoever guesses them knows the password', async () => {
  const owner = await anAccount();
  const { wrongCode } = await withTotp(owner);
  const ip = anIp();
  const mfaToken = await mfaTokenFor(owner, ip);
  for (let n = 0; n < 6; n++) await sendCode(mfaToken, wrongCode(n), ip);
  expect(await noted('second_factor.failed', owner)).toBe(5);
  await expect.poll(() => emailsTo(owner.email)).toBe(1);
});

test('what was not tried because too many were signing in does not count', long, async () => {
  const [owner, ip, { promise, resolve }] = [await anAccount(), anIp(), Promise.withResolvers<void>()];
  const another = () => isPassword('customer', null, wrongPassword);
  await another();
  onTestFinished(() => resolve());
  hashing.gate = promise;
  const others = times(availableParallelism() + 50).map(another); // as many as may wait
  const outcomes = await tally(times(5), 5, () => login(owner.email, ip));
  resolve();
  await Promise.all(others);
  expect(outcomes).toEqual({ 503: 5 });
  expect(await login(owner.email, ip)).toBe(200);
});

test('of two sign-ins of one person at once neither stops the other: locks are taken in one order', async () => {
  const take = (ip: string) =>
    inPool(db, 'customer', (tx) =>
      takeAttempt(tx, { what: 'password', account: 'twice@example.com', ip: ip, isFamiliar: false }),
    );
  /** The pair is the last of the three in the order of the locks, the account in the middle. */
  const isInOrder = ({ keys: [pair, ip, account] }: Attempt) =>
    pair && ip && account && ip.compare(account) < 0 && account.compare(pair) < 0;
  let [attempt, ip] = [await take('10.0.0.1'), '10.0.0.1'];
  for (let n = 2; !isInOrder(attempt); n++) attempt = await take((ip = `10.0.0.${n}`));
  const letGo = await hold((tx) =>
    sql`select from customer_pool.login_attempts where key = ${attempt.keys[2]} for update`.execute(tx),
  );
  const taking = outcomeOf(take(ip));
  await expect.poll(countLockWaits).toBe(1);
  const forgiving = outcomeOf(inPool(db, 'customer', (tx) => forgiveAttempt(tx, attempt)));
  await expect.poll(countLockWaits).toBe(2);
  await letGo();
  expect([await taking, await forgiving]).toEqual([200, 200]);
});

test('all IPs of an IPv6 /64 share one count; the next /64 has its own', long, async () => {
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
  expect(again, 'one IP, written in two ways').toEqual({ 401: 4, 429: 1 });
});

test('the owner is written to once, however often and from wherever their account is locked', async () => {
  const owner = await anAccount();
  for (const ip of [anIp(), anIp()]) {
    await wrongLogins(6, owner.email, ip);
    await waitIsOver();
    await wrongLogins(2, owner.email, ip);
  }
  await expect.poll(() => noted('account.locked', owner)).toBeGreaterThanOrEqual(2);
  expect(await emailsTo(owner.email)).toBe(1);
  await wrongLogins(6, 'nobody@example.com', anIp());
  expect(await emailsTo('nobody@example.com')).toBe(0);
});

test('the owner is written to also when many IPs together lock their account', long, async () => {
  const owner = await anAccount();
  await tally(times(110), atOnce, () => guess(owner.email, anIp()));
  await expect.poll(() => emailsTo(owner.email)).toBe(1);
});

test('one lock is one entry in the audit log, also when the guesses came at the same instant', async () => {
  const owner = await anAccount();
  await wrongLogins(5, owner.email, anIp());
  await expect.poll(() => emailsTo(owner.email)).toBe(1);
  await expect.poll(() => noted('account.locked', owner)).toBe(1);
});

test('a stolen access token from 110 IPs tries no more passwords than a stranger could', long, async () => {
  const owner = await anAccount();
  const { accessToken } = (await signIn(api.app, owner.email, rightPassword)).json<{ accessToken: string }>();
  const stolen = { authorization: `Bearer ${accessToken}` };
  const stepUp = () => sendFrom(anIp(), '/auth/step-up', { password: wrongPassword }, stolen);
  const outcomes = await tally(times(110), atOnce, async () => (await stepUp()).statusCode);
  expect(outcomes).toEqual({ 401: 100, 429: 10 });
});

const sendCode = async (mfaToken: string, code: string, ip: string) =>
  (await sendFrom(ip, '/auth/login/mfa', { mfaToken, code })).statusCode;

test(
  `${guesses} wrong codes with the right password, from one IP and from many: 5 and 100 are tried`,
  long,
  async () => {
    const owner = await anAccount();
    const [{ wrongCode }, ip] = [await withTotp(owner), anIp()];
    const mfaToken = await mfaTokenFor(owner, ip);
    const tryCode = (token: string, n: number, from: string) =>
      outcomeOf(signInWithCode(accounts, { mfaToken: token, code: wrongCode(n) }, requestFrom(from)));
    const began = performance.now();
    const { 401: tried = 0, 429: refused = 0 } = await tally(times(guesses), atOnce, (n) => tryCode(mfaToken, n, ip));
    const seconds = (performance.now() - began) / 1_000;
    console.log(`lockout: ${guesses} codes: ${tried} tried, ${refused} refused in ${seconds.toFixed(1)} s`);
    expect(tried).toBeLessThanOrEqual(max(rules.pair, seconds));
    expect(tried + refused).toBe(guesses);
    const fromMany = await tally(times(200), atOnce, async (n) => {
      const from = anIp();
      const data = { ip: ipKey(from), methods: ['pwd'] };
      const token = await inPool(db, 'customer', (tx) =>
        mint(tx, { purpose: 'mfa', seconds: 60, userId: owner.userId, data }),
      );
      return tryCode(token, n, from);
    });
    expect(fromMany).toEqual({ 401: 100 - tried, 429: 100 + tried });
  },
);

test('a code is good once, and a step between two is bound to its ip and good once', async () => {
  const owner = await anAccount();
  const [{ code }, ip] = [await withTotp(owner), anIp()];
  const first = await mfaTokenFor(owner, ip);
  expect(await sendCode(first, code(), anIp()), 'from elsewhere').toBe(401);
  const right = code();
  expect(await sendCode(first, right, ip)).toBe(200);
  expect(await sendCode(first, code(1), ip), 'the step again, with the next code').toBe(401);
  expect(await sendCode(await mfaTokenFor(owner, ip), right, ip), 'the code again').toBe(401);
  expect(await sendCode(await mfaTokenFor(owner, ip), code(1), ip), 'the next code').toBe(200);
});

test('of two who send one recovery code at once one gets in; of two who send one step at once as well', async () => {
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
    const [here, there] = [await step(), await step()];
    expect(await race([here, there].map((each) => ({ ...each, code })))).toEqual([200, 401]);
    const again = await step();
    expect(await sendCode(again.mfaToken, code, again.ip), 'and never again').toBe(401);
  }
  const [one = '', other = ''] = recoveryCodes.slice(4);
  const same = await step();
  expect(await race([one, other].map((code) => ({ ...same, code })))).toEqual([200, 401]);
});
