import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  admin,
  aKey,
  anOperator,
  aTenant,
  aUser,
  services,
  inside,
  send,
  urlAs,
  type TestTenant,
} from '../../../../test/harness.ts';
import { acrossTenants } from '../../../platform/cross-tenant.ts';
import { connect } from '../../../platform/db.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import type { TenantHit } from './tenants.operator.contract.ts';
import { parseSearch } from './tenant-queries.ts';
import { findTenants, newestTenants } from './tenants.cross-tenant.ts';
import { createTenant, renameTenant } from '../tenants.service.ts';

const operator = await anOperator('support');
const hits = async (query: Record<string, string>): Promise<TenantHit[]> => {
  const res = await operator.get(`/admin/tenants?${new URLSearchParams(query).toString()}`);
  expect(res.statusCode, res.body).toBe(200);
  return res.json<{ data: TenantHit[] }>().data;
};
const search = async (query: string, more = {}) => (await hits({ query, ...more })).map(({ id }) => id);
const foundBy = async (query: string, { tenantId }: { tenantId: string }) =>
  (await hits({ query })).find(({ id }) => id === tenantId)?.foundBy;

async function createNamed(name: string, plan: 'free' | 'team' | 'enterprise' = 'free') {
  const tenantId = newId('tenant');
  await inside(tenantId, (ctx) => createTenant(ctx, { name, plan }));
  return tenantId;
}
const rename = (tenantId: Id<'tenant'>, name: string) => inside(tenantId, (ctx) => renameTenant(ctx, name));
const allow = ({ tenantId }: TestTenant, origins: string[]) =>
  admin.updateTable('bots').set({ allowedOrigins: origins }).where('tenantId', '=', tenantId).execute();

test('lists tenants newest first in pages, with empty foundBy without a query', async () => {
  const created: string[] = [];
  for (let n = 0; n < 6; n++) created.unshift(await createNamed(`Page ${n}`));
  const listed: TenantHit[] = [];
  for (let cursor = ''; listed.length < 6;) {
    const page = (await operator.get(`/admin/tenants?limit=2${cursor}`)).json();
    expect(page.data).toHaveLength(2);
    listed.push(...page.data);
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(listed.map(({ id }) => id)).toEqual(created);
  expect(listed[0]).toEqual({
    id: created[0],
    name: 'Page 5',
    plan: 'free',
    status: 'active',
    createdAt: expect.any(String),
    foundBy: [],
  });
});

test('filters by status, plan or both', async () => {
  const [free, team] = [await createNamed('Filter'), await createNamed('Filter', 'team')];
  const suspended = await createNamed('Filter', 'team');
  await (await anOperator()).post(`/admin/tenants/${suspended}/suspend`, { reason: 'a test' });
  const ids = async (query: Record<string, string>) => (await hits({ limit: '100', ...query })).map(({ id }) => id);
  expect(await ids({ status: 'suspended' })).toEqual([suspended]);
  expect(await ids({ plan: 'team' })).toEqual(expect.arrayContaining([suspended, team]));
  expect(await ids({ plan: 'team' })).not.toContain(free);
  expect(await ids({ plan: 'free', status: 'suspended' })).toEqual([]);
  expect(await search('filter', { plan: 'team', status: 'active' })).toEqual([team]);
  expect(await search('filter', { status: 'suspended' })).toEqual([suspended]);
  expect((await operator.get('/admin/tenants?status=gone')).statusCode).toBe(400);
});

test('finds tenants by token prefixes of the name in any case and order, and by a new name immediately', async () => {
  const tenantId = await createNamed('Blaue Hügel & Söhne GmbH');
  for (const query of ['blaue', 'hügel', 'HÜGEL sö', 'blaue hügel & söhne gmbh', 'gmbh bla', 'sö blaue', 'gmb'])
    expect(await search(query), query).toEqual([tenantId]);
  for (const query of ['laue', 'hugel', 'blaue gelb', 'hügelig']) expect(await search(query), query).toEqual([]);
  await rename(tenantId, 'Grüne Wiese');
  expect(await search('hügel')).toEqual([]);
  expect(await search('wiese')).toEqual([tenantId]);
  expect(await foundBy('wiese', { tenantId })).toEqual([{ kind: 'name', text: 'Grüne Wiese' }]);
});

test('returns exact matches first, and nothing for a query of symbols only', async () => {
  const longer = await createNamed('Quorum Partners');
  const exact = await createNamed('Quorum');
  const containing = await createNamed('The Quorum');
  expect(await search('quorum')).toEqual([containing, exact, longer]);
  expect(await search('quorum p')).toEqual([longer]);
  expect(await search('& %')).toEqual([]);
});

test('finds a tenant by its id or an id prefix', async () => {
  const tenant = await aTenant();
  expect(await search(tenant.tenantId)).toEqual([tenant.tenantId]);
  expect(await search(tenant.tenantId.slice(0, 24).toUpperCase())).toEqual([tenant.tenantId]);
  expect(await foundBy(tenant.tenantId, tenant)).toEqual([{ kind: 'id', text: tenant.tenantId }]);
  expect(await search(newId('tenant'))).toEqual([]);
});

test('finds a tenant by a key hint or the last four characters of a key', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const [key] = [await aKey(tenant), await aKey(other)];
  const ending = key.secret.slice(-4);
  for (const query of [`sc_live_…${ending}`, ending, `…${ending}`, key.secret])
    expect(await search(query), query).toEqual([tenant.tenantId]);
  expect(await foundBy(ending, tenant)).toEqual([{ kind: 'key', text: `sc_live_…${ending}` }]);
  expect(await search(`pk_live_…${ending}`)).toEqual([]);
});

test('finds a tenant by an allowed domain of a bot, or its parent domain', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  await allow(tenant, ['https://elsewhere.example', 'https://www.fine-shop.example']);
  await allow(other, ['https://*.other-shop.example']);
  for (const query of ['fine-shop.example', 'https://www.fine-shop.example/cart', 'WWW.fine-shop.example'])
    expect(await search(query), query).toEqual([tenant.tenantId]);
  expect(await foundBy('fine-shop.example', tenant)).toEqual([
    { kind: 'domain', text: 'https://www.fine-shop.example' },
  ]);
  expect(await search('other-shop.example')).toEqual([other.tenantId]);
  expect(await search('shop.example')).toEqual([]);
});

test('finds a tenant by a member’s email address or its prefix, and never by an operator’s', async () => {
  const tenant = await aTenant();
  const person = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  for (const query of [person.email, person.email.toUpperCase(), person.email.slice(0, -12)])
    expect(await foundBy(query, tenant), query).toEqual([{ kind: 'member', text: person.email }]);
  expect(await search(person.email.replace('@', '%'))).toEqual([]);
  expect(await search(`${operator.userId}@parley.example`)).toEqual([]);
});

test.each([
  ['a one-character query', '/admin/tenants?query=x', 200],
  ['an empty query', '/admin/tenants?query=%20', 400],
  ['a query that is too long', `/admin/tenants?query=${'x'.repeat(255)}`, 400],
  ['an invalid cursor', '/admin/tenants?cursor=x', 400],
])('%s: %s returns %i', async (_title, url, status) => {
  expect((await operator.get(url)).statusCode).toBe(status);
});

test('returns 401 to customers and without credentials', async () => {
  const tenant = await aTenant();
  expect((await tenant.get('/admin/tenants')).statusCode).toBe(401);
  expect((await send('GET', '/admin/tenants')).statusCode).toBe(401);
});

test('no search among 10,000 tenants uses a sequential scan', { timeout: 240_000 }, async () => {
  const all = sql`generate_series(1, 10000) as n`;
  const id = sql`'ten_01h' || lpad(to_hex(n), 10, '0') || substr(md5(n::text), 1, 13)`;
  const statements = [
    sql`set session_replication_role = replica`,
    sql`insert into tenants (tenant_id, name, plan, status, api_version)
      select ${id}, 'Blue Shoes Unique' || n || ' Company', 'free', 'active', 'x' from ${all} on conflict do nothing`,
    sql`insert into directory.tenant_name_tokens select tenant_id, place, tokens, status, plan
      from tenants, directory.name_tokens_of(name) on conflict do nothing`,
    sql`insert into bots (tenant_id, id, workspace_id, name, allowed_origins)
      select ${id}, 'bot_' || n, 'wsp', 'Bot', array['https://shop' || n || '.example'] from ${all} on conflict do nothing`,
    sql`insert into api_key_secrets (tenant_id, key_id, version, secret_hash, hint)
      select ${id}, 'key_' || n, 1, sha256(n::text::bytea), 'pk_live_…' || lpad(to_hex(n % 65536), 4, '0') from ${all} on conflict do nothing`,
    sql`insert into directory.users (user_id, pool, email, name)
      select 'usr_' || n, 'customer', 'info.' || n || '@mail.example', 'Member' from ${all} on conflict do nothing`,
    sql`insert into directory.user_tenants select 'usr_' || n, ${id} from ${all} on conflict do nothing`,
    sql`set session_replication_role = origin`,
    sql`analyze tenants, directory.tenant_name_tokens, bots, api_key_secrets, directory.users, directory.user_tenants`,
    sql`select pg_stat_force_next_flush()`, // so that these reads are not counted below
  ];
  const fillDb = connect(urlAs('postgres'), { max: 1, queryMs: 120_000 }); // longer than requests may take
  for (const statement of statements) await statement.execute(fillDb);
  await fillDb.destroy();
  const reads = async () =>
    (
      await sql<{ name: string; rows: number }>`select relname as name, seq_tup_read::int as rows
        from pg_stat_all_tables where relname in ('tenants', 'tenant_name_tokens', 'bots', 'api_key_secrets', 'users', 'user_tenants')
          and schemaname in ('public', 'directory') order by 1`.execute(admin)
    ).rows;
  const flush = () => acrossTenants(services.db, (tx) => sql`select pg_stat_force_next_flush()`.execute(tx));
  await flush();
  const before = await reads();
  for (const query of [
    'company',
    'c',
    'unique77',
    'company unique77',
    'company shoes',
    'nothing like this',
    'ten_01h0',
    'pk_live_…00ff',
    'shop77.example',
    'nowhere.example',
    'info',
    'info.77@mail.example',
    'nobody@mail.example',
  ])
    for (const state of [{}, { status: 'deleted', plan: 'team' } as const]) {
      await findTenants(services.db, parseSearch(query), state);
      await newestTenants(services.db, state, undefined, 26);
    }
  await flush();
  // Other connections may report a few rows at any time; a sequential scan reports ten thousand.
  const scannedRows = (await reads()).map(({ name, rows }, n) => ({ name, rows: rows - (before[n]?.rows ?? 0) }));
  expect(scannedRows.filter(({ rows }) => rows > 5_000)).toEqual([]);
});
