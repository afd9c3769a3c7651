import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import {
  admin,
  aKey,
  as,
  aTenant,
  aUser,
  eventsOf,
  services,
  openApi,
  countLockWaits,
  type Response,
} from '../../../test/harness.ts';
import { countOf } from '../../../../../tools/testing/size.ts';
import { newId, shardOf, shardText } from '../../platform/ids.ts';
import type { ApiKey } from './api-keys.contract.ts';
import { newSecret } from './api-key-secret.ts';

const url = '/api-keys';
const body = { name: 'CI', keyType: 'secret_server' };
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const keyEvents = async (tenantId: string) => (await eventsOf(tenantId)).filter((type) => type.startsWith('api_key.'));

test.each([url, '/tenants/:tenantId/api-keys'])(
  'POST %s returns 201 with a secret that is shown only once',
  async (template) => {
    const tenant = await aTenant();
    const path = template.replace(':tenantId', tenant.tenantId);
    const created = await tenant.post(path, { name: 'Site', keyType: 'public_widget', boundBotId: tenant.botId });
    expect(created.statusCode, created.body).toBe(201);
    expect(created.headers['cache-control']).toBe('no-store');
    const { apiKey, secret } = created.json();
    expect(apiKey).toMatchObject({
      name: 'Site',
      boundBotId: tenant.botId,
      workspaceId: null,
      status: 'active',
      lastUsedAt: null,
    });
    expect(secret.slice(0, 11)).toBe(`pk_live_${shardText(shardOf(tenant.tenantId))}`);

    expect((await tenant.get(path)).json()).toEqual({ data: [apiKey], nextCursor: null });
    expect((await tenant.get(`${path}/${apiKey.id}`)).json()).toEqual({ apiKey });
    expect(await keyEvents(tenant.tenantId)).toEqual(['api_key.created']);
  },
);

test('lists keys newest first, in pages without gaps or duplicates, and none of another tenant', async () => {
  const [own, other] = [await aTenant(), await aTenant()];
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await aKey(own)).id);
  await aKey(other);
  const listed: string[] = [];
  let cursor = '';
  do {
    const page = (await own.get(`${url}?limit=2${cursor && `&cursor=${cursor}`}`)).json<{
      data: ApiKey[];
      nextCursor: string | null;
    }>();
    listed.push(...page.data.map((key) => key.id));
    cursor = page.nextCursor ?? '';
  } while (cursor);
  expect(listed).toEqual(ids);
  expect(await services.db.selectFrom('apiKeys').selectAll().execute()).toEqual([]); // no tenant is set outside of a transaction
});

test('renaming a key keeps its secret, and is recorded in the audit log', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant);
  expect((await tenant.patch(`${url}/${key.id}`, { name: 'Nightly' })).json().apiKey).toMatchObject({
    name: 'Nightly',
    status: 'active',
  });
  expect((await key.get('/me')).statusCode).toBe(200);
  const { data } = (await tenant.get(`/audit-log?subjectId=${key.id}`)).json();
  expect(data.map((entry: { action: string }) => entry.action)).toEqual(['api_key.updated', 'api_key.created']);
  expect(data[0].actor).toEqual({ type: 'user', id: tenant.userId });
  expect(data[0].requestId).toMatch(/^req_/);
});

test('both secrets work until the overlap of a rotation ends; returns 409 for another rotation before that', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const rotated = await tenant.post(`${url}/${key.id}/rotate`, { overlapSeconds: 2 });
  expect(rotated.statusCode, rotated.body).toBe(200);
  const { apiKey, secret, previousExpiresAt } = rotated.json();
  expect(apiKey).toMatchObject({ id: key.id, status: 'rotating' });
  const renewed = as({ authorization: `Bearer ${secret}`, 'x-service-api-key-id': key.id });
  expect([(await key.get('/me')).statusCode, (await renewed.get('/me')).statusCode]).toEqual([200, 200]);

  const again = await tenant.post(`${url}/${key.id}/rotate`, {});
  expect([again.statusCode, again.json().error.reason]).toEqual([409, 'rotation_in_progress']);

  await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(new Date(previousExpiresAt).getTime());
  const old = await key.get('/me');
  expect([old.statusCode, old.json().error.reason]).toEqual([401, 'key_expired']);
  expect((await renewed.get('/me')).statusCode).toBe(200);
  expect((await tenant.get(`${url}/${key.id}`)).json().apiKey.status).toBe('active');
  expect((await tenant.post(`${url}/${key.id}/rotate`, { overlapSeconds: 0 })).statusCode).toBe(200);
  expect(await keyEvents(tenant.tenantId)).toEqual(['api_key.created', 'api_key.rotated', 'api_key.rotated']);
});

test('only one of several concurrent rotations succeeds', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const rotate = async () => (await tenant.post(`${url}/${key.id}/rotate`, {})).statusCode;
  expect((await Promise.all([rotate(), rotate(), rotate()])).toSorted()).toEqual([200, 409, 409]);
});

test('a revoked key stops working immediately, and revoking it again changes nothing', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant);
  expect((await key.get('/me')).statusCode).toBe(200);
  expect((await key.get(url)).statusCode).toBe(403); // authenticated, but keys can't list keys

  for (const _attempt of [1, 2]) {
    const res = await tenant.post(`${url}/${key.id}/revoke`);
    expect(res.json().apiKey).toMatchObject({ id: key.id, status: 'revoked' });
  }
  const revoked = await key.get('/me');
  expect([revoked.statusCode, revoked.json().error.reason]).toEqual([401, 'invalid_api_key']);
  expect((await tenant.post(`${url}/${key.id}/rotate`, {})).json().error.reason).toBe('key_revoked');
  expect(await keyEvents(tenant.tenantId)).toEqual(['api_key.created', 'api_key.revoked']);
});

test('reveals a widget key to members who manage keys, without recent sign-in; returns 409 for a server key', async () => {
  const tenant = await aTenant();
  const signedInAt = Math.floor(Date.now() / 1_000) - 3_600;
  const late = await aUser([{ tenantId: tenant.tenantId, roles: ['developer'] }], { auth_time: signedInAt });
  const created = (await tenant.post(url, { name: 'Site', keyType: 'public_widget', boundBotId: tenant.botId })).json();
  expect((await late.post(`${url}/${created.apiKey.id}/reveal`)).json()).toEqual({ secret: created.secret });
  const server = await aKey(tenant);
  const refused = await tenant.post(`${url}/${server.id}/reveal`);
  expect([refused.statusCode, refused.json().error.reason]).toEqual([409, 'secret_not_stored']);
});

test('does not store the secret of a server key in any table', async () => {
  const tenant = await aTenant();
  const { secret } = await aKey(tenant);
  const { rows: tables } = await sql<{
    name: string;
  }>`select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'directory')`.execute(admin);
  expect(tables.length).toBeGreaterThan(15);
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.raw(name)} t where t::text like ${`%${secret.slice(8)}%`}`.execute(
      admin,
    );
    expect(rows, name).toEqual([]);
  }
});

test('records the last use in the background', async () => {
  const [tenant, node] = [await aTenant(), await openApi()];
  const key = await aKey(tenant);
  await as(key.headers, node.app).get('/me');
  await node.close(); // a stopping process flushes its buffer
  const { lastUsedAt } = (await tenant.get(`${url}/${key.id}`)).json().apiKey;
  expect(Date.now() - new Date(lastUsedAt).getTime()).toBeLessThan(5_000);
});

test.each([
  ['/name', { name: '' }],
  ['/boundBotId', { keyType: 'public_widget' }],
  ['/expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['/permissions/0', { permissions: ['api_key.manage'] }],
  ['/', { colour: 'red' }],
])('returns 400 with details for %s', async (path, wrong) => {
  const res = await (await aTenant()).post(url, { ...body, ...wrong });
  expect(res.statusCode, res.body).toBe(400);
  expect(res.json().error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path }] });
});

const unknownKey = () => newSecret('secret_server', '000');

test.each<[promise: string, ask: () => Promise<Response>]>([
  ['401 UNAUTHORIZED credential_missing', async () => as({}).get(url)],
  ['401 UNAUTHORIZED wrong_key_type', async () => as({ authorization: `Bearer pk_live_${'x'.repeat(41)}` }).get(url)],
  [
    '401 UNAUTHORIZED invalid_api_key: an unknown key',
    async () => as({ authorization: `Bearer ${unknownKey()}`, 'x-service-api-key-id': newId('apiKey') }).get(url),
  ],
  [
    '401 UNAUTHORIZED invalid_api_key: a key without its id',
    async () => {
      const { headers } = await aKey(await aTenant());
      return as({ authorization: headers['authorization'] ?? '' }).get('/me');
    },
  ],
  [
    '401 UNAUTHORIZED invalid_api_key: a key with the id of another',
    async () => as({ ...(await aKey(await aTenant())).headers, 'x-service-api-key-id': newId('apiKey') }).get('/me'),
  ],
  [
    '401 UNAUTHORIZED key_expired: id and secret match, but the key has expired',
    async () => {
      const key = await aKey(await aTenant(), { expiresAt: soon(300) });
      await new Promise((resolve) => setTimeout(resolve, 350));
      return key.get('/me');
    },
  ],
  ['403 FORBIDDEN permission_missing', async () => (await aTenant({ roles: ['viewer'] })).post(url, body)],
  [
    '403 FORBIDDEN permission_not_grantable: a permission that the user lacks',
    async () => (await aTenant({ roles: ['developer'] })).post(url, { ...body, permissions: ['audit.view'] }),
  ],
  [
    '403 FORBIDDEN tenant_mismatch: another tenant in the path',
    async () => (await aTenant()).post(`/tenants/${(await aTenant()).tenantId}/api-keys`, body),
  ],
  [
    "404 NOT_FOUND bot_not_found: another tenant's bot",
    async () => (await aTenant()).post(url, { ...body, boundBotId: (await aTenant()).botId }),
  ],
  [
    "404 NOT_FOUND api_key_not_found: another tenant's key",
    async () => (await aTenant()).post(`${url}/${(await aKey(await aTenant())).id}/revoke`),
  ],
])('%s', async (promise, ask) => {
  const [status, code, reason] = promise.split(/:? /);
  const res = await ask();
  expect(res.statusCode, res.body).toBe(Number(status));
  const requestId = res.headers['x-request-id'];
  expect(res.json()).toMatchObject({ error: { code, reason, message: expect.any(String), requestId } });
});

test('returns 403 FEATURE_NOT_ENTITLED for key routes and for keys when the plan lacks `api_keys`', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant);
  await admin
    .insertInto('entitlementOverrides')
    .values({ tenantId: tenant.tenantId, name: 'api_keys', value: 0 })
    .execute();
  await expect.poll(async () => (await tenant.get(url)).statusCode, { timeout: 5_000 }).toBe(403);
  for (const res of [await tenant.get(url), await tenant.post(url, body), await key.get('/me')]) {
    expect(res.json().error).toMatchObject({ code: 'FEATURE_NOT_ENTITLED', reason: 'entitlement_missing' });
  }
});

test('returns 409 to all but one of concurrent requests for the last key of the plan', async () => {
  const tenant = await aTenant();
  await admin
    .insertInto('entitlementOverrides')
    .values({ tenantId: tenant.tenantId, name: 'api_keys.max', value: 1 })
    .execute();
  const post = async () => (await tenant.post(url, body)).statusCode;
  // Locking the event stream blocks each creation after the limit was checked: without a lock on the plan, all would pass it.
  const { replies } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`.execute(tx);
    const replies = Promise.all([post(), post(), post()]);
    await expect.poll(countLockWaits).toBe(3);
    return { replies }; // wrapped in an object, so that it isn't awaited before the stream is unlocked
  });
  expect((await replies).toSorted()).toEqual([201, 409, 409]);
});

const secretCount = countOf('SECRETS', { sample: 500, full: 10_000 });
test(`accepts none of ${secretCount} mutated secrets, and rejects typos without a query`, async () => {
  const [typos, unknown] = [secretCount * 0.9, secretCount * 0.1];
  const tenant = await aTenant();
  const key = await aKey(tenant);
  const right = key.secret;
  const lookups = countLookups();
  let accepted = 0;
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_+= ';
  for (let i = 0; i < typos; i++) {
    const wrong = mutate(right, i, characters);
    if (wrong === right) continue;
    const res = await as({ ...key.headers, authorization: `Bearer ${wrong}` }).get('/me');
    if (res.statusCode !== 401) accepted++;
  }
  expect(lookups.count()).toBe(0);
  // Valid checksums of unknown secrets: these require a lookup.
  for (let i = 0; i < unknown; i++) {
    const res = await as({
      ...key.headers,
      authorization: `Bearer ${newSecret('secret_server', right.slice(8, 11))}`,
    }).get('/me');
    if (res.statusCode !== 401) accepted++;
  }
  expect(lookups.count()).toBeGreaterThanOrEqual(unknown);
  lookups.stop();
  expect(accepted).toBe(0);
  expect((await key.get('/me')).statusCode).toBe(200);
});

function mutate(secret: string, i: number, characters: string): string {
  const at = 8 + (i % (secret.length - 8));
  const other = characters[(i * 7 + Math.floor(i / 41)) % characters.length] ?? 'x';
  if (i % 4 === 0) return secret.slice(0, at) + secret.slice(at + 1); // one missing
  if (i % 4 === 1) return secret.slice(0, at) + other + secret.slice(at); // one too many
  if (i % 4 === 2) return secret.slice(0, at) + secret.slice(at).split('').toReversed().join(''); // reversed
  return secret.slice(0, at) + other + secret.slice(at + 1); // one wrong
}

/** Counts the lookups of secrets that this process sends to PostgreSQL. */
function countLookups() {
  const spy = vi.spyOn(Client.prototype, 'query');
  const count = () => spy.mock.calls.filter((args) => JSON.stringify(args).includes('find_api_key_secret')).length;
  return { count, stop: () => spy.mockRestore() };
}

test('returns 401 tenant_required to a member of two tenants unless the path names the tenant', async () => {
  const [first, second] = [await aTenant(), await aTenant()];
  const user = await aUser([first, second].map(({ tenantId }) => ({ tenantId, roles: ['developer'] })));
  expect((await user.get(`/tenants/${second.tenantId}/api-keys`)).statusCode).toBe(200);
  const short = await user.get(url);
  expect([short.statusCode, short.json().error.reason]).toEqual([401, 'tenant_required']);
});
