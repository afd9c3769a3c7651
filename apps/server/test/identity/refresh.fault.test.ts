import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startValkey } from '../../../../tools/stack/index.ts';
import { setDisabled } from '../../src/features/accounts/accounts.store.ts';
import { tendKeys } from '../../src/features/pools/signing-keys.store.ts';
import { inPool } from '../../src/platform/pool.ts';
import { startChild, type Child } from '../faults/child.ts';
import { codeOf, createClient, type Answer } from '../faults/client.ts';
import { hold } from '../faults/hold.ts';
import { randomFrom, rounds, seed } from '../faults/random.ts';
import { admin, aTenant, services, settings, countLockWaits, ownDir, withLoadAllowance } from '../harness.ts';
import { anAccount, anIp, type TestAccount } from './accounts-fixture.ts';
import { isFull } from '../../../../tools/testing/size.ts';

// Two API processes of one deployment, on one database, and a Valkey that may vanish without harm to other tests.
const dir = ownDir('refresh');
const valkey = await startValkey(dir);
const child = settings({
  LOG_LEVEL: 'info',
  DATABASE_POOL_SIZE: '10',
  VALKEY_URL: valkey.url,
  TRUSTED_PROXIES: '127.0.0.1', // so that each request can come from an address of its own
});
const children: Child[] = [];
async function startApi() {
  const api = startChild('src/api.ts', child);
  children.push(api);
  return { ...api, url: (await api.ready).url ?? '' };
}
type Api = Awaited<ReturnType<typeof startApi>>;
let [first, second] = await Promise.all([startApi(), startApi()]);
const both = () => [first, second];
const client = createClient();
const random = randomFrom(seed);

afterAll(async () => {
  children.forEach(({ signal }) => signal('SIGKILL'));
  client.close();
  await valkey.kill();
  rmSync(dir, { recursive: true, force: true });
});

interface Tokens {
  accessToken: string;
  refreshToken: string;
}
/** Every refresh token there ever was: none of them may lie anywhere. */
const everyToken: string[] = [];
function tokensOf(answer: Answer): Tokens {
  expect(answer.status, answer.body).toBe(200);
  const tokens = JSON.parse(answer.body) as Tokens;
  everyToken.push(tokens.refreshToken);
  return tokens;
}

const post = (api: Api, path: string, body: unknown, accessToken?: string) =>
  client.call(
    'POST',
    api.url + path,
    { 'x-forwarded-for': anIp(), ...(accessToken && { authorization: `Bearer ${accessToken}` }) },
    body,
  );
const signIn = async (api: Api, { email, password }: TestAccount) =>
  tokensOf(await post(api, '/auth/login', { email, password }));
const refresh = (api: Api, { refreshToken }: Tokens) => post(api, '/auth/refresh', { refreshToken });
const refreshed = async (api: Api, tokens: Tokens) => tokensOf(await refresh(api, tokens));
const get = (api: Api, path: string, { accessToken }: Tokens) =>
  client.call('GET', api.url + path, { authorization: `Bearer ${accessToken}` });
const me = async (api: Api, tokens: Tokens) => (await get(api, '/me', tokens)).status;

const hashOf = (token: string) => createHash('sha256').update(token).digest();
/** As if it had been used so long ago. */
const usedAgo = ({ refreshToken }: Tokens, seconds: number) =>
  sql`update customer_pool.oidc_items set consumed_at = now() - make_interval(secs => ${seconds})
    where kind = 'RefreshToken' and id = ${hashOf(refreshToken)}`.execute(admin);

const usedOf = async (tokens: Tokens[]) => {
  const hashes = tokens.map(({ refreshToken }) => hashOf(refreshToken));
  const used = sql`select from customer_pool.oidc_items where kind = 'RefreshToken' and id = any(${hashes}::bytea[])
    and consumed_at is not null`;
  return (await used.execute(admin)).rows.length;
};
/** A refresh of theirs uses its token up, and then waits. */
const holdSessions = ({ userId }: TestAccount) =>
  hold((tx) => sql`select from customer_pool.sessions where user_id = ${userId} for update`.execute(tx));

/** On both processes, which knew the token a moment ago, so that this is more than a look-up. Says how long it took. */
async function expectDeadSoon(tokens: Tokens, end: () => Promise<unknown>) {
  const asked = performance.now();
  for (const api of both()) expect(await me(api, tokens)).toBe(200);
  // The promise is five seconds; on a busy machine the requests that ask for it take their time as well.
  const promisedMs = 5_000 + 20 * (performance.now() - asked);
  await end();
  const began = performance.now();
  const took = await Promise.all(
    both().map(async (api) => {
      await expect.poll(() => me(api, tokens), { timeout: 30_000, interval: 50 }).toBe(401);
      return Math.round(performance.now() - began);
    }),
  );
  for (const ms of took) expect(ms).toBeLessThan(promisedMs);
  return took;
}

describe.each(['there', 'gone'])('Valkey is %s:', (valkeyIs) => {
  const took: Record<string, number[]> = {};
  beforeAll(async () => {
    if (valkeyIs === 'there') return;
    await valkey.kill();
    await sleep(500);
  });
  afterAll(async () => {
    console.log(`refresh: Valkey ${valkeyIs}, dead on both processes after (ms)`, JSON.stringify(took));
  });

  test(
    '8 refreshes with one token at once, over both processes: all 200, and each goes on',
    { timeout: 60_000 },
    async () => {
      const account = await anAccount();
      for (let round = 0; round < Math.ceil(rounds / 10); round++) {
        const tokens = await signIn(first, account);
        const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => refresh(n % 2 ? first : second, tokens)));
        const members = answers.map(tokensOf);
        expect(new Set(members.map(({ refreshToken }) => refreshToken)).size).toBe(8);
        for (const [n, member] of members.entries()) {
          const api = n % 2 ? second : first; // the other one
          expect(await me(api, member)).toBe(200);
          expect(await me(api, await refreshed(api, member))).toBe(200);
        }
        expect((await refresh(first, tokens)).status, 'a lost answer, asked for again').toBe(200);
      }
    },
  );

  test('a token used again after the grace: 401, and the whole family is dead on both; another device is not', async () => {
    const account = await anAccount();
    const [stolen, device] = [await signIn(first, account), await signIn(second, account)];
    const [branch, next] = [await refreshed(second, stolen), await refreshed(first, stolen)];
    const newest = await refreshed(second, next);
    await usedAgo(stolen, 20);
    expect((await refresh(second, stolen)).status, 'the grace has not passed').toBe(200);
    await usedAgo(stolen, 31);
    took['reuse'] = await expectDeadSoon(newest, async () => {
      expect((await refresh(first, stolen)).status).toBe(401);
    });
    for (const member of [stolen, branch, next, newest])
      for (const api of both())
        expect([(await refresh(api, member)).status, await me(api, member)]).toEqual([401, 401]);
    for (const api of both()) expect(await me(api, device)).toBe(200);
    expect(await me(second, await refreshed(first, device))).toBe(200);
  });

  test(
    'kill -9 in the middle of refreshes: whoever lost the answer repeats it at the other process, and goes on',
    { timeout: 120_000 },
    async () => {
      console.log(`refresh: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
      const account = await anAccount();
      let devices: Tokens[] = [];
      for (let n = 0; n < (isFull ? 24 : 12); n++) devices.push(await signIn(second, account));
      const outcomes: Record<string, number> = {};
      for (let kill = 0; kill < Math.max(2, rounds / 25); kill++) {
        const killed = first;
        // Held first: their tokens are used, and nothing is answered. Then at a random point.
        const isHeld = kill === 0;
        const letGo = isHeld ? await holdSessions(account) : async () => {};
        const burst = devices.map((device) => refresh(killed, device).catch(codeOf));
        if (isHeld) await expect.poll(countLockWaits, { timeout: 10_000 }).toBeGreaterThan(5);
        else
          await expect
            .poll(() => usedOf(devices), { timeout: 10_000, interval: 5 })
            .toBeGreaterThan(random.between(0, (devices.length * 2) / 3));
        expect(killed.signal('SIGKILL')).toBe(true);
        const answers = await Promise.all(burst);
        await letGo();
        const next = answers.map(async (answer, n) => {
          const device = devices[n];
          if (!device) throw new Error('no such device');
          const outcome = typeof answer === 'string' ? `${answer}, ${(await usedOf([device])) ? '' : 'un'}used` : '200';
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
          return typeof answer === 'string' ? refreshed(second, device) : tokensOf(answer);
        });
        devices = await Promise.all(next);
        for (const device of devices) expect(await me(second, device)).toBe(200);
        first = await startApi();
      }
      console.log(`refresh: Valkey ${valkeyIs}, killed in mid-burst:`, JSON.stringify(outcomes));
      expect(outcomes['ECONNRESET, used']).toBeGreaterThan(0);
      for (const device of devices) await refreshed(first, device);
    },
  );

  test('a session ended with DELETE /sessions/{id} at one process is dead at the other within 5 s', async () => {
    const account = await anAccount();
    const [here, there] = [await signIn(first, account), await signIn(second, account)];
    const listed = JSON.parse((await get(second, '/sessions', there)).body) as {
      data: { id: string; isCurrent: boolean }[];
    };
    const id = listed.data.find(({ isCurrent }) => isCurrent)?.id ?? '';
    took['DELETE'] = await expectDeadSoon(there, async () => {
      const headers = { authorization: `Bearer ${here.accessToken}` };
      expect((await client.call('DELETE', `${first.url}/sessions/${id}`, headers)).status).toBe(200);
    });
    expect((await refresh(second, there)).status).toBe(401);
    expect(await me(second, here)).toBe(200);
  });

  test('a changed password ends every other session within 5 s, at both processes', async () => {
    const account = await anAccount();
    const [here, there] = [await signIn(first, account), await signIn(second, account)];
    took['password'] = await expectDeadSoon(there, async () => {
      const change = { currentPassword: account.password, newPassword: 'quite another sentence' };
      expect((await post(first, '/auth/password/change', change, here.accessToken)).status).toBe(200);
    });
    expect((await refresh(first, there)).status).toBe(401);
    expect(await me(second, await refreshed(second, here))).toBe(200);
  });

  test('a taken role acts at the other process within 5 s; a disabled user is out of both, and back when enabled', async () => {
    const tenant = await aTenant();
    const account = await anAccount({ tenant, roles: ['admin'] });
    const tokens = await signIn(second, account);
    const rolesSeen = async () => (JSON.parse((await get(second, '/me', tokens)).body) as { roles: string[] }).roles;
    expect(await rolesSeen()).toEqual(['admin']);
    const path = `${first.url}/members/${account.userId}`;
    const changed = await client.call('PATCH', path, tenant.headers, { roles: ['viewer'] });
    expect(changed.status, changed.body).toBe(200);
    const began = performance.now();
    await expect.poll(rolesSeen, { timeout: 30_000, interval: 50 }).toEqual(['viewer']);
    took['role'] = [Math.round(performance.now() - began)];
    expect(performance.now() - began).toBeLessThan(await withLoadAllowance(5_000));
    expect((await get(second, '/members', tokens)).status).toBe(403);

    const disable = (isDisabled: boolean) =>
      inPool(services.db, 'customer', (tx) => setDisabled(tx, account.userId, isDisabled)); // told to nobody
    took['disabled'] = await expectDeadSoon(tokens, () => disable(true));
    for (const api of both()) expect((await refresh(api, tokens)).status).toBe(401);
    await disable(false);
    for (const api of both()) await expect.poll(() => me(api, tokens), { timeout: 6_000 }).toBe(200);
  });
});

describe('signing keys:', () => {
  /** Every process looks by itself, every four seconds. */
  const processesLook = () => sleep(5_000);
  const kidOf = ({ accessToken }: Tokens) => decodeProtectedHeader(accessToken).kid ?? '';
  const published = async (api: Api) => {
    const { body } = await client.call('GET', `${api.url}/pools/customer/jwks`);
    return (JSON.parse(body) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid).toSorted();
  };
  const emergency = async () => {
    const [key] = await tendKeys(services, 'customer', 90, { isEmergency: true });
    if (!key) throw new Error('no key was made');
    return key;
  };

  beforeAll(async () => {
    await valkey.start();
    const isUp = async (api: Api) =>
      (await client.call('GET', `${api.url}/health/ready`)).body.includes('"valkey":"up"');
    for (const api of both()) await vi.waitUntil(() => isUp(api), { timeout: 10_000 });
  });

  test('an emergency, told to nobody: what the old key signed is dead within 5 s, and the session goes on', async () => {
    const account = await anAccount();
    const [seen, unseen, there] = [
      await signIn(first, account),
      await signIn(first, account),
      await signIn(second, account),
    ];
    let kid = '';
    const took = await expectDeadSoon(seen, async () => {
      ({ kid } = await emergency());
    });
    console.log('refresh: the old key withdrawn, its tokens dead on both processes after (ms)', JSON.stringify(took));
    expect(await Promise.all(both().map(published))).toEqual([[kid], [kid]]);
    for (const api of both()) expect(await me(api, unseen)).toBe(401);
    for (const [api, other, tokens] of [
      [first, second, seen],
      [second, first, there],
    ] as const) {
      const next = await refreshed(api, tokens);
      expect([kidOf(next), await me(api, next), await me(other, next)]).toEqual([kid, 200, 200]);
    }
  });

  test('an emergency: what a process signs that has the new key is accepted at once by one that has not looked yet', async () => {
    const seen = await signIn(first, await anAccount());
    const { kid, privateJwk } = await emergency();
    const accessToken = await new SignJWT(decodeJwt(seen.accessToken))
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
      .sign(await importJWK(privateJwk));
    // At most one look a second is made for a key that is not known.
    for (const api of both())
      await expect.poll(() => me(api, { ...seen, accessToken }), { timeout: 1_500, interval: 50 }).toBe(200);
  });

  test(
    'a planned change: the next key is published, signs later, the old one verifies for a day and goes, without a restart',
    { timeout: 60_000 },
    async () => {
      const account = await anAccount();
      const { kid: old } = await emergency();
      await processesLook();
      const signsFrom = async (kid: string, hours: number) => {
        await sql`update customer_pool.signing_keys set signs_from = now() + make_interval(hours => ${hours})
          where kid = ${kid}`.execute(admin);
        await processesLook();
      };
      const [seen, unseen] = [await signIn(first, account), await signIn(first, account)];
      expect(kidOf(seen)).toBe(old);

      await signsFrom(old, -89 * 24 - 1);
      const kids = await published(first);
      const next = kids.find((kid) => kid !== old) ?? '';
      expect(await published(second)).toEqual(kids);
      expect(kids).toEqual([old, next].toSorted());
      for (const api of both()) expect(kidOf(await signIn(api, account)), 'published, and does not sign yet').toBe(old);

      await signsFrom(next, 0);
      for (const [api, other] of [
        [first, second],
        [second, first],
      ] as const) {
        const tokens = await signIn(api, account);
        expect(kidOf(tokens)).toBe(next);
        expect([await me(other, tokens), await me(other, seen), (await published(api)).length]).toEqual([200, 200, 2]);
      }
      await signsFrom(next, -23);
      for (const api of both()) expect([await me(api, seen), (await published(api)).length]).toEqual([200, 2]);

      await signsFrom(next, -25);
      for (const api of both())
        expect([await published(api), await me(api, seen), await me(api, unseen)]).toEqual([[next], 401, 401]);
      expect(await me(second, await refreshed(first, unseen)), 'the session goes on').toBe(200);
    },
  );
});

test('no row of any table holds a refresh token, in whatever way of writing', async () => {
  const { rows: tables } = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`.execute(admin);
  let everything = '';
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} as t`.execute(admin);
    everything += rows.map(({ row }) => `${name} ${row}\n`).join('');
  }
  const written = (token: string) => [
    token,
    ...(['hex', 'base64'] as const).map((way) => Buffer.from(token).toString(way)),
  ];
  const isStored = (text: string) => everything.includes(text);
  console.log(`refresh: ${everyToken.length} refresh tokens looked for in ${tables.length} tables`);
  expect(everyToken.flatMap(written).filter(isStored)).toEqual([]);
  expect(isStored(hashOf(everyToken.at(-1) ?? '').toString('hex')), 'its hash is found by this').toBe(true);
});
