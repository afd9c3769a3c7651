import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { costOf, costOfAsync } from '../../../test/cost.ts';
import {
  admin,
  aKey,
  anOperator,
  api,
  as,
  aTenant,
  aUser,
  openApi,
  customers,
  eventsOf,
  send,
  countLockWaits,
} from '../../../test/harness.ts';
import { buildHttp } from './server.ts';
import { publicRoute } from './route.ts';

const reasonOf = (res: { statusCode: number; json(): { error: { reason: string } } }) => [
  res.statusCode,
  res.json().error.reason,
];

test('does not start with a route that declares no permission', async () => {
  const careless = publicRoute({
    method: 'GET',
    path: '/oops',
    name: 'oops',
    tag: 'x',
    summary: 'x',
    permission: 'public',
    response: z.object({}),
    handler: () => ({}),
  });
  const { permission: _permission, ...route } = careless as { permission: string };
  const routes = [route] as unknown as Parameters<typeof buildHttp>[0]['routes'];
  const deps = {
    ...api.platform,
    authenticators: [],
    tenantState: () => Promise.reject(new Error('must not be called')),
    visitorOf: () => Promise.reject(new Error('must not be called')),
    publicUrl: 'https://x.example',
    routes,
  };
  const { Registry } = await import('prom-client');
  await expect(buildHttp({ ...deps, metrics: new Registry() })).rejects.toThrow('GET /oops declares no permission');
});

test('sends X-Request-Id, X-Service-Version and nosniff with every response', async () => {
  const tenant = await aTenant();
  for (const res of [
    await tenant.get('/tenant'),
    await as({}).get('/tenant'),
    await as({}).get('/nowhere'),
    await as({}).get('/health/live'),
  ]) {
    expect(res.headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
    expect(res.headers['x-content-type-options']).toBe('nosniff');
  }
  expect((await tenant.get('/tenant')).headers['x-service-version']).toBe('2026-11-14');
});

test('X-Service-Version: uses a known version and returns 400 for an unknown one', async () => {
  const tenant = await aTenant();
  expect((await as({ ...tenant.headers, 'x-service-version': '2026-11-14' }).get('/me')).statusCode).toBe(200);
  expect(reasonOf(await as({ ...tenant.headers, 'x-service-version': '1999-01-01' }).get('/me'))).toEqual([
    400,
    'unknown_version',
  ]);
});

test('pins a tenant to its first version unless a request names another', async () => {
  const tenant = await aTenant();
  await admin.updateTable('tenants').set({ apiVersion: 'gone' }).where('tenantId', '=', tenant.tenantId).execute();
  expect((await tenant.get('/me')).headers['x-service-version']).toBe('2026-11-14'); // a retired version falls back to the current one
});

test('serves both paths of a route alike, and returns 403 for another tenant in the long one', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  expect((await tenant.get(`/tenants/${tenant.tenantId}`)).json()).toEqual((await tenant.get('/tenant')).json());
  expect(reasonOf(await tenant.get(`/tenants/${other.tenantId}`))).toEqual([403, 'tenant_mismatch']);
  expect(reasonOf(await tenant.get('/tenants/ten_nobody'))).toEqual([403, 'tenant_mismatch']);
});

test("returns the same 404 for another tenant's object as for a missing one", async () => {
  const [mine, theirs] = [await aTenant(), await aTenant()];
  const foreign = await mine.get(`/workspaces/${theirs.workspaceId}`);
  const missing = await mine.get('/workspaces/wsp_01h00000000000000000000000');
  const plain = (body: string) => body.replace(/req_\w+/, 'req');
  expect([foreign.statusCode, plain(foreign.body)]).toEqual([404, plain(missing.body)]);
});

test.each([
  ['unknown field', { name: 'A', colour: 'red' }, '/'],
  ['wrong type', { name: 7 }, '/name'],
  ['missing field', {}, '/name'],
])('returns 400 VALIDATION_ERROR with the field for %s', async (_what, body, path) => {
  const res = await (await aTenant()).post('/workspaces', body);
  expect(res.statusCode).toBe(400);
  expect(res.json().error).toMatchObject({ code: 'VALIDATION_ERROR', reason: 'invalid_fields', details: [{ path }] });
});

test('returns 400 for an unknown filter or a foreign cursor', async () => {
  const tenant = await aTenant();
  expect(reasonOf(await tenant.get('/workspaces?colour=red'))).toEqual([400, 'invalid_fields']);
  expect(reasonOf(await tenant.get('/workspaces?limit=101'))).toEqual([400, 'invalid_fields']);
  expect(reasonOf(await tenant.get('/workspaces?cursor=abc'))).toEqual([400, 'invalid_cursor']);
});

test('returns 413, 415 and 400 with our error body for requests that cannot be parsed', async () => {
  const tenant = await aTenant();
  const raw = (payload: string, type: string) =>
    api.app.inject({
      method: 'POST',
      url: '/workspaces',
      headers: { ...tenant.headers, 'content-type': type },
      payload,
    });
  expect(reasonOf(await raw(JSON.stringify({ name: 'x'.repeat(1_048_577) }), 'application/json'))).toEqual([
    413,
    'body_too_large',
  ]);
  expect(reasonOf(await raw('name=A', 'application/x-www-form-urlencoded'))).toEqual([415, 'unsupported_media_type']);
  expect(reasonOf(await raw('hello', 'text/plain'))).toEqual([415, 'unsupported_media_type']);
  expect(reasonOf(await raw('{"name":', 'application/json'))).toEqual([400, 'invalid_json']);
  expect(reasonOf(await raw('{"name":"A","__proto__":{"x":1}}', 'application/json'))[0]).toBe(400);
});

test('returns 400 for text that cannot be stored and for oversized structures, before validation', async () => {
  const tenant = await aTenant();
  for (const name of ['a\0b', 'half \ud800 a character']) {
    const res = await tenant.post('/workspaces', { name });
    expect([res.statusCode, res.json().error.reason, res.json().error.details[0].path]).toEqual([
      400,
      'malformed_value',
      '/name',
    ]);
  }
  expect(reasonOf(await tenant.get('/audit-log?action=a%00'))).toEqual([400, 'malformed_value']);
  const huge = { name: 'x', keyType: 'secret_server', permissions: Array<string>(170_000).fill('zzz') };
  expect(reasonOf(await tenant.post('/api-keys', huge))).toEqual([400, 'malformed_value']);
  const cost = await costOfAsync(() => tenant.post('/api-keys', huge));
  // The cost of sending and parsing alone. Checking each value would cost more than thirty times as much.
  const bare = costOf(() => JSON.parse(JSON.stringify(huge)) as unknown);
  expect(cost / bare).toBeLessThan(10);
  const long = await tenant.post('/api-keys', {
    name: 'x',
    keyType: 'secret_server',
    permissions: Array(10_000).fill('zzz'),
  });
  expect(long.statusCode).toBe(400);
  expect(long.body.length).toBeLessThan(20_000);
  const deep = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const nested = await api.app.inject({
    method: 'POST',
    url: '/workspaces',
    headers: { ...tenant.headers, 'content-type': 'application/json' },
    payload: deep,
  });
  expect(nested.statusCode).toBe(400);
});

test('returns 400 for a body on a route that takes none', async () => {
  const tenant = await aTenant();
  const key = await aKey(tenant);
  expect(reasonOf(await tenant.post(`/api-keys/${key.id}/revoke`, { tenantId: 'x' }))).toEqual([
    400,
    'unexpected_body',
  ]);
  expect((await tenant.post(`/api-keys/${key.id}/revoke`, {})).statusCode).toBe(200);
});

test('returns 409 for a name that is taken', async () => {
  const tenant = await aTenant();
  expect(reasonOf(await tenant.post('/workspaces', { name: 'Default' }))).toEqual([409, 'workspace_name_taken']);
});

const withKey = (key: string) => ({ 'idempotency-key': key });

test('Idempotency-Key: a repeated request returns the first response and does nothing twice', async () => {
  const tenant = await aTenant();
  const first = await tenant.post('/workspaces', { name: 'Once' }, withKey('k1'));
  const again = await tenant.post('/workspaces', { name: 'Once' }, withKey('k1'));
  const long = await tenant.post(`/tenants/${tenant.tenantId}/workspaces`, { name: 'Once' }, withKey('k1'));
  expect(first.statusCode).toBe(201);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  for (const res of [again, long]) {
    expect([res.statusCode, res.body, res.headers['idempotency-replayed']]).toEqual([201, first.body, 'true']);
  }
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'workspace.created')).toHaveLength(2); // Default and Once
});

test('Idempotency-Key: returns 422 with another body, and is scoped to the tenant', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  await tenant.post('/workspaces', { name: 'A' }, withKey('k1'));
  expect(reasonOf(await tenant.post('/workspaces', { name: 'B' }, withKey('k1')))).toEqual([
    422,
    'idempotency_key_reused',
  ]);
  expect((await other.post('/workspaces', { name: 'A' }, withKey('k1'))).statusCode).toBe(201);
  expect(reasonOf(await tenant.post('/workspaces', { name: 'C' }, withKey('')))).toEqual([
    400,
    'invalid_idempotency_key',
  ]);
});

test('Idempotency-Key: returns 400 where a repeat would be carried out again', async () => {
  const tenant = await aTenant();
  const ask = (headers = {}) => tenant.post(`/bots/${tenant.botId}/ask`, { question: 'When do you open?' }, headers);
  expect(reasonOf(await ask(withKey('k1')))).toEqual([400, 'idempotency_not_supported']);
  expect((await ask()).statusCode).toBe(200);
});

test('Idempotency-Key: is scoped to the member', async () => {
  const tenant = await aTenant();
  const colleague = await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  const mine = await tenant.post('/workspaces', { name: 'Mine' }, withKey('shared'));
  const theirs = await colleague.post('/workspaces', { name: 'Theirs' }, withKey('shared'));
  expect([mine.statusCode, theirs.statusCode, theirs.headers['idempotency-replayed']]).toEqual([201, 201, undefined]);
});

test('Idempotency-Key: is not stored for a failed request', async () => {
  const tenant = await aTenant();
  expect((await tenant.post('/workspaces', { name: 'Default' }, withKey('k1'))).statusCode).toBe(409);
  await tenant.patch(`/workspaces/${tenant.workspaceId}`, { name: 'Renamed' });
  expect((await tenant.post('/workspaces', { name: 'Default' }, withKey('k1'))).statusCode).toBe(201);
});

test('Idempotency-Key: returns 409 for a repeat whose response contained a secret, which is not stored', async () => {
  const tenant = await aTenant();
  const body = { name: 'CI', keyType: 'secret_server' };
  expect((await tenant.post('/api-keys', body, withKey('k1'))).statusCode).toBe(201);
  expect(reasonOf(await tenant.post('/api-keys', body, withKey('k1')))).toEqual([409, 'secret_already_shown']);
  expect((await tenant.get('/api-keys')).json().data).toHaveLength(1);
});

test('Idempotency-Key: two concurrent requests create one object', async () => {
  const tenant = await aTenant();
  const post = () => tenant.post('/workspaces', { name: 'Twin' }, withKey('k1'));
  const { replies } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`.execute(tx);
    const replies = Promise.all([post(), post()]);
    await expect.poll(countLockWaits).toBe(2); // one waits for the event stream that we lock, the other for the idempotency key of the first
    return { replies };
  });
  const [one, two] = await replies;
  expect([one?.statusCode, two?.statusCode, one?.body]).toEqual([201, 201, two?.body]);
});

test('Idempotency-Key: an operator who repeats the creation of a tenant gets the first response', async () => {
  const operator = await anOperator();
  const create = (name: string) => operator.post('/admin/tenants', { name, plan: 'team' }, withKey('k1'));
  const [first, again] = [await create('Acme'), await create('Acme')];
  expect([first.statusCode, again.statusCode, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
  expect(again.body).toBe(first.body);
  expect(reasonOf(await create('Other'))).toEqual([422, 'idempotency_key_reused']);
  const { tenant, workspace, environments } = first.json();
  expect(tenant).toMatchObject({ name: 'Acme', plan: 'team', status: 'active' });
  expect([workspace.name, environments.map(({ name }: { name: string }) => name)]).toEqual([
    'Default',
    ['live', 'test'],
  ]);
});

test('Idempotency-Key: expires after 24 hours', async () => {
  const tenant = await aTenant();
  await tenant.post('/workspaces', { name: 'A' }, withKey('k1'));
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = ${tenant.tenantId}`.execute(
    admin,
  );
  expect((await tenant.post('/workspaces', { name: 'B' }, withKey('k1'))).statusCode).toBe(201);
});

test('returns 429 with Retry-After, and rate limit headers with every limited response', async () => {
  const tenant = await aTenant();
  const rotate = async () => tenant.post('/api-keys/key_01h00000000000000000000000/rotate', {});
  const first = await rotate();
  expect(first.headers['ratelimit-policy']).toBe('"api-key-changes";q=120;w=60');
  expect(first.headers['ratelimit']).toMatch(/^"api-key-changes";r=119;t=\d+$/);
  for (let i = 0; i < 119; i++) await rotate();
  const refused = await rotate();
  expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await (await aTenant()).post('/api-keys', { name: 'x', keyType: 'secret_server' })).statusCode).toBe(201); // others are not affected
});

test('runs GET handlers in a read-only transaction', async () => {
  const { inTenant, asSystem } = await import('../context.ts');
  const tenant = await aTenant();
  const write = inTenant(
    api.platform.services,
    asSystem(tenant.tenantId, 'test'),
    ({ tx }) => tx.updateTable('tenants').set({ name: 'x' }).execute(),
    { readOnly: true },
  );
  await expect(write).rejects.toThrow('read-only transaction');
});

test('tokens: rejects a disabled user, a revoked session and a removed membership within 5 s', async () => {
  const tenant = await aTenant();
  const members = await Promise.all([1, 2, 3].map(() => aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }])));
  const [disabled, cutOff, removed] = members;
  for (const user of members) expect((await user.get('/me')).statusCode).toBe(200);
  await sql`update directory.users set disabled_at = now() where user_id = ${disabled?.userId}`.execute(admin);
  await sql`update directory.users set tokens_valid_after = now() + interval '2 seconds' where user_id = ${cutOff?.userId}`.execute(
    admin,
  );
  await admin
    .deleteFrom('memberships')
    .where('userId', '=', removed?.userId ?? '')
    .execute();
  for (const user of members)
    await expect.poll(async () => (await user.get('/me')).statusCode, { timeout: 5_000 }).toBe(401);
});

test('tokens: returns the same 401 for every invalid token', async () => {
  const tenant = await aTenant();
  const sign = (claims: object, header: object = {}) =>
    customers.sign({ sub: tenant.subject, ...claims }, { ...header });
  const now = Math.floor(Date.now() / 1_000);
  const fetchedBefore = customers.fetched();
  const wrong = [
    await sign({ aud: 'someone-else' }),
    await sign({ iss: 'https://evil.example' }),
    await sign({ exp: now - 60 }),
    await sign({ nbf: now + 600 }),
    await sign({}, { typ: 'JWT' }), // an ID token
    await sign({}, { kid: 'unknown' }),
    await sign({ sub: 'nobody' }),
    `${(await sign({})).slice(0, -3)}AAA`,
    `${btoa('{"alg":"none","typ":"at+jwt"}').replaceAll('=', '')}.${(await sign({})).split('.')[1]}.AA`,
    'a.b.c',
  ];
  for (const token of wrong) {
    const res = await as({ authorization: `Bearer ${token}` }).get('/me');
    expect([res.statusCode, res.json().error.reason], token).toEqual([401, 'invalid_token']);
  }
  expect((await as({ authorization: `Bearer ${await sign({})}` }).get('/me')).statusCode).toBe(200);
  expect(customers.fetched() - fetchedBefore).toBeLessThan(5); // keys are cached, and unknown key ids do not cause endless fetches
});

test('tokens: takes tenant and roles from the membership, not from the token', async () => {
  const [mine, theirs] = [await aTenant({ roles: ['viewer'] }), await aTenant()];
  const claims = { sub: mine.subject, roles: ['owner'], permissions: ['tenant.delete'], tenant_id: mine.tenantId };
  const me = (await as({ authorization: `Bearer ${await customers.sign(claims)}` }).get('/me')).json();
  expect([me.tenantId, me.roles]).toEqual([mine.tenantId, ['viewer']]);
  const foreign = await as({
    authorization: `Bearer ${await customers.sign({ ...claims, tenant_id: theirs.tenantId })}`,
  }).get('/me');
  expect(reasonOf(foreign)).toEqual([401, 'no_membership']);
});

test('pools: returns 401 for a token of the other pool', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  expect(reasonOf(await tenant.get(`/admin/tenants/${tenant.tenantId}`))).toEqual([401, 'wrong_pool']);
  expect(reasonOf(await operator.get('/me'))).toEqual([401, 'wrong_pool']);
  expect(reasonOf(await (await aKey(tenant)).get(`/admin/tenants/${tenant.tenantId}`))).toEqual([401, 'wrong_pool']);
});

test('serves /openapi.json and /docs without third-party resources', async () => {
  const document = (await send('GET', '/openapi.json')).json();
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toContain('/tenants/{tenantId}/api-keys');
  const page = await send('GET', '/docs/');
  expect(page.statusCode).toBe(200);
  expect(page.body).not.toMatch(/(src|href)="https?:/);
  // The page is on the origin that people sign in at: it must not be framed, and only our scripts may run.
  expect(page.headers['x-frame-options']).toBe('DENY');
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-[^;]*';.*frame-ancestors 'none'/,
  );
});

test('sends Strict-Transport-Security only when the public URL is https', async () => {
  const secure = await openApi({ PUBLIC_URL: 'https://api.example' });
  const path = '/health/live';
  const header = 'strict-transport-security';
  expect((await send('GET', path, {}, undefined, secure.app)).headers[header]).toBe('max-age=31536000');
  expect((await send('GET', path)).headers[header]).toBeUndefined();
  await secure.close();
});

test.each(['Acme\nBcc: x@example.com', 'Acme\u0007', 'Acme\u2028Inc'])(
  'returns 400 for a name with control characters: %j',
  async (name) => {
    const tenant = await aTenant();
    expect((await tenant.patch('/tenant', { name })).statusCode).toBe(400);
    const signUp = { email: 'a@example.com', name, organisation: 'Acme' };
    expect((await send('POST', '/auth/signup', {}, signUp)).statusCode).toBe(400);
  },
);
