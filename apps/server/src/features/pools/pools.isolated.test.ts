import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, services, send } from '../../../test/harness.ts';
import { inPool } from '../../platform/pool.ts';
import { tendKeys } from './signing-keys.store.ts';

const day = 86_400_000;

test.each(['customer', 'admin'] as const)(
  '%s: the role of one pool reaches that pool and nothing else',
  async (pool) => {
    const other = pool === 'customer' ? 'admin' : 'customer';
    const ask = (text: string) => inPool(services.db, pool, (tx) => sql.raw(text).execute(tx));
    await expect(ask('select 1 from accounts limit 1')).resolves.toBeDefined();
    for (const table of [
      `${other}_pool.accounts`,
      `${other}_pool.people`,
      'directory.users',
      'public.tenants',
      'public.api_keys',
    ])
      await expect(ask(`select 1 from ${table} limit 1`), table).rejects.toThrow('permission denied');
    await expect(ask('delete from audit_entries')).rejects.toThrow('permission denied');
  },
);

test('the server by itself reaches neither pool, and a pooled connection forgets which it was in', async () => {
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

test('a person of one pool is neither seen nor made through the other', async () => {
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
  const seen = await inPool(services.db, 'admin', (tx) =>
    tx.selectFrom('people').select('userId').where('userId', '=', 'usr_customer_customer').execute(),
  );
  expect(seen).toEqual([]);
});

test('signing keys are encrypted at rest, and the published set holds no private part', async () => {
  const [key] = await tendKeys(services, 'customer', 90);
  const secret = key?.privateJwk.d ?? '';
  expect(secret.length).toBeGreaterThan(300);
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(k)::text || encode(k.encrypted, 'escape') as row from customer_pool.signing_keys k`.execute(admin);
  for (const { row } of rows) expect(row).not.toContain(secret.slice(0, 40));
  const published = await send('GET', '/pools/customer/jwks');
  for (const jwk of published.json<{ keys: object[] }>().keys)
    expect(Object.keys(jwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('the next key is published a day before it signs, the old one stays a day, and many at once make one', async () => {
  const start = new Date(Date.now() + 1_000 * day); // a time of its own, after what other tests made
  const at = (days: number) => new Date(start.getTime() + days * day);
  await sql`delete from admin_pool.signing_keys`.execute(admin);
  const tend = async (days: number) => (await tendKeys(services, 'admin', 90, { now: at(days) })).map(({ kid }) => kid);

  const [first = ''] = await tend(0);
  expect(await tend(50)).toEqual([first]);
  expect(await tend(88.9)).toEqual([first]);
  const published = await Promise.all([89, 89, 89, 89].map(tend));
  const second = published[0]?.[1] ?? '';
  expect(new Set(published.map((kids) => kids.join())).size).toBe(1);
  expect(published[0]).toEqual([first, second]); // the old one signs on
  expect(await tend(90.01)).toEqual([second, first]);
  expect(await tend(90.9)).toEqual([second, first]);
  expect(await tend(91.01)).toEqual([second]);
  const [emergency] = await tendKeys(services, 'admin', 90, { now: at(92), isEmergency: true });
  expect(await tend(92)).toEqual([emergency?.kid]);
  await sql`delete from admin_pool.signing_keys`.execute(admin);
});
