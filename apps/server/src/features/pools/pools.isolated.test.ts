import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, api, services, send } from '../../../test/harness.ts';
import { inPool } from '../../platform/pool.ts';
import { ensureSigningKeys } from './signing-keys.store.ts';

const day = 86_400_000;

test.each(['customer', 'admin'] as const)(
  '%s: the database role of a pool has access to that pool only',
  async (pool) => {
    const other = pool === 'customer' ? 'admin' : 'customer';
    const query = (text: string) => inPool(services.db, pool, (tx) => sql.raw(text).execute(tx));
    await expect(query('select 1 from accounts limit 1')).resolves.toBeDefined();
    for (const table of [
      `${other}_pool.accounts`,
      `${other}_pool.people`,
      'directory.users',
      'public.tenants',
      'public.api_keys',
    ])
      await expect(query(`select 1 from ${table} limit 1`), table).rejects.toThrow('permission denied');
    await expect(query('delete from audit_entries')).rejects.toThrow('permission denied');
  },
);

test('the server role has no access to a pool, and a pooled connection does not keep the role of one', async () => {
  await inPool(services.db, 'admin', (tx) => tx.selectFrom('accounts').select('userId').limit(1).execute());
  for (let time = 0; time < 8; time++) {
    await expect(sql`select 1 from admin_pool.accounts limit 1`.execute(services.db)).rejects.toThrow(
      'permission denied',
    );
    await expect(sql`select 1 from customer_pool.accounts limit 1`.execute(services.db)).rejects.toThrow(
      'permission denied',
    );
  }
});

test('a pool cannot read or create people of the other pool', async () => {
  const insert = (pool: 'customer' | 'admin', asPool: string) =>
    inPool(services.db, pool, (tx) =>
      tx
        .insertInto('people')
        .values({
          userId: `usr_${pool}_${asPool}`,
          pool: asPool,
          email: `${pool}-${asPool}@x.example`,
          name: 'X',
          platformRoles: [],
        })
        .execute(),
    );
  await insert('customer', 'customer');
  await expect(insert('customer', 'admin')).rejects.toThrow('check option');
  const found = await inPool(services.db, 'admin', (tx) =>
    tx.selectFrom('people').select('userId').where('userId', '=', 'usr_customer_customer').execute(),
  );
  expect(found).toEqual([]);
});

test('encrypts signing keys at rest and publishes no private parts', async () => {
  const [key] = await ensureSigningKeys(services, 'customer', 90);
  const secret = key?.privateJwk.d ?? '';
  expect(secret.length).toBeGreaterThan(300);
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(k)::text || encode(k.encrypted, 'escape') as row from customer_pool.signing_keys k`.execute(admin);
  for (const { row } of rows) expect(row).not.toContain(secret.slice(0, 40));
  const published = await send('GET', '/pools/customer/jwks');
  for (const jwk of published.json<{ keys: object[] }>().keys)
    expect(Object.keys(jwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('publishes the next key a day before it signs, keeps the old one for a day, and creates one key under concurrency', async () => {
  const start = new Date(Date.now() + 1_000 * day); // later than the keys of other tests
  const at = (days: number) => new Date(start.getTime() + days * day);
  await api.stopBackgroundWork(); // the API would add keys for today
  await sql`delete from admin_pool.signing_keys`.execute(admin);
  const ensureKeysAt = async (days: number) =>
    (await ensureSigningKeys(services, 'admin', 90, { now: at(days) })).map(({ kid }) => kid);

  const [first = ''] = await ensureKeysAt(0);
  expect(await ensureKeysAt(50)).toEqual([first]);
  expect(await ensureKeysAt(88.9)).toEqual([first]);
  const published = await Promise.all([89, 89, 89, 89].map(ensureKeysAt));
  const second = published[0]?.[1] ?? '';
  expect(new Set(published.map((kids) => kids.join())).size).toBe(1);
  expect(published[0]).toEqual([first, second]); // the old key still signs
  expect(await ensureKeysAt(90.01)).toEqual([second, first]);
  expect(await ensureKeysAt(90.9)).toEqual([second, first]);
  expect(await ensureKeysAt(91.01)).toEqual([second]);
  const [emergency] = await ensureSigningKeys(services, 'admin', 90, { now: at(92), isEmergency: true });
  expect(await ensureKeysAt(92)).toEqual([emergency?.kid]);
  await sql`delete from admin_pool.signing_keys`.execute(admin);
});
