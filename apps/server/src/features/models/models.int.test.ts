import { expect, test } from 'vitest';
import { admin, aTenant, eventsOf, inside, send, type TestTenant } from '../../../test/harness.ts';
import { openModel } from './index.ts';
import type { Model } from './models.contract.ts';

const secret = 'sk-very-secret-0123456789';
const own = {
  name: 'Own',
  provider: 'openai-compatible',
  baseUrl: 'https://models.example.com/v1',
  model: 'small-1',
  apiKey: secret,
  inputPrice: 0.15,
  outputPrice: 0.6,
};
const createModel = async (tenant: TestTenant, more: object = {}) => {
  const created = await tenant.post('/models', { ...own, ...more });
  expect(created.statusCode, created.body).toBe(201);
  return created.json<{ model: Model }>().model;
};
const anEnterpriseTenant = () => aTenant({ plan: 'enterprise' });
const reasonOf = (response: { json(): { error: { reason: string } } }) => response.json().error.reason;

test('returns 201 without the API key, which is only decrypted for calls', async () => {
  const tenant = await anEnterpriseTenant();
  const model = await createModel(tenant);
  expect(model).toMatchObject({
    name: 'Own',
    provider: 'openai-compatible',
    hasKey: true,
    inputPrice: 0.15,
    outputPrice: 0.6,
  });
  expect((await tenant.get('/models')).json()).toEqual({ data: [model], nextCursor: null });
  expect((await tenant.get(`/models/${model.id}`)).json()).toEqual({ model });
  expect(await inside(tenant.tenantId, (ctx) => openModel(ctx, model.id))).toEqual({
    provider: 'openai-compatible',
    baseUrl: own.baseUrl,
    model: 'small-1',
    apiKey: secret,
    inputPrice: 0.15,
    outputPrice: 0.6,
  });
});

test('never stores or returns the API key in plain text', async () => {
  const tenant = await anEnterpriseTenant();
  const created = await tenant.post('/models', own, { 'idempotency-key': 'once' });
  const again = await tenant.post('/models', own, { 'idempotency-key': 'once' });
  expect(again.headers['idempotency-replayed']).toBe('true');
  const { id } = created.json<{ model: Model }>().model;
  const changed = await tenant.patch(`/models/${id}`, { apiKey: `${secret}-2` });
  const gone = await send('DELETE', `/models/${id}`, tenant.headers);
  const rows = await Promise.all(
    (['events', 'auditEntries', 'models', 'idempotencyKeys'] as const).map((table) =>
      admin.selectFrom(table).selectAll().where('tenantId', '=', tenant.tenantId).execute(),
    ),
  );
  const texts = [created, again, changed, gone].map(({ body }) => body);
  expect(JSON.stringify(rows) + texts.join()).not.toContain('very-secret');
  expect((await eventsOf(tenant.tenantId)).filter((type) => type.startsWith('model.'))).toEqual([
    'model.created',
    'model.updated',
    'model.deleted',
  ]);
});

test('cannot decrypt a key that was moved to another model', async () => {
  const tenant = await anEnterpriseTenant();
  const [one, two] = [await createModel(tenant), await createModel(tenant, { name: 'Two', apiKey: 'other' })];
  const { encryptedKey } = await admin
    .selectFrom('models')
    .select('encryptedKey')
    .where('id', '=', one.id)
    .executeTakeFirstOrThrow();
  expect(encryptedKey?.includes(secret)).toBe(false);
  await admin.updateTable('models').set({ encryptedKey }).where('id', '=', two.id).execute();
  await expect(inside(tenant.tenantId, (ctx) => openModel(ctx, two.id))).rejects.toThrow();
});

test('keeps, replaces or removes the API key on update', async () => {
  const tenant = await anEnterpriseTenant();
  const { id } = await createModel(tenant);
  const keyOf = async () => (await inside(tenant.tenantId, (ctx) => openModel(ctx, id)))?.apiKey;
  expect((await tenant.patch(`/models/${id}`, { name: 'New', inputPrice: 0 })).json().model).toMatchObject({
    name: 'New',
    inputPrice: 0,
    outputPrice: 0.6,
    hasKey: true,
  });
  expect(await keyOf()).toBe(secret);
  await tenant.patch(`/models/${id}`, { apiKey: 'sk-new' });
  expect(await keyOf()).toBe('sk-new');
  expect((await tenant.patch(`/models/${id}`, { apiKey: null })).json().model.hasKey).toBe(false);
  expect(await keyOf()).toBeNull();
});

test('returns 400 when the URL or provider changes without a new API key', async () => {
  const tenant = await anEnterpriseTenant();
  const { id } = await createModel(tenant);
  for (const change of [{ baseUrl: 'https://evil.example/v1' }, { provider: 'openai', baseUrl: null }]) {
    const response = await tenant.patch(`/models/${id}`, change);
    expect([response.statusCode, reasonOf(response)]).toEqual([400, 'provider_key_required']);
  }
  expect((await inside(tenant.tenantId, (ctx) => openModel(ctx, id)))?.baseUrl).toBe(own.baseUrl);
  expect(
    (await tenant.patch(`/models/${id}`, { baseUrl: 'https://other.example/v1', apiKey: 'sk-other' })).statusCode,
  ).toBe(200);
  expect((await tenant.patch(`/models/${id}`, { baseUrl: 'https://third.example', apiKey: null })).statusCode).toBe(
    200,
  );
  expect((await tenant.patch(`/models/${id}`, { baseUrl: 'https://fourth.example' })).statusCode).toBe(200); // no key to lose
});

test.each([
  ['base_url_required', { baseUrl: undefined }],
  ['base_url_required', { baseUrl: null }],
  ['base_url_not_allowed', { provider: 'anthropic' }],
  ['invalid_fields', { baseUrl: 'http://models.example.com' }],
  ['invalid_fields', { baseUrl: 'https://name:word@models.example.com' }],
  ['invalid_fields', { baseUrl: 'https://models.example.com/?key=1' }],
  ['invalid_fields', { provider: 'skynet' }],
  ['invalid_fields', { inputPrice: -1 }],
  ['invalid_fields', { outputPrice: undefined }],
  ['invalid_fields', { apiKey: 'with\r\nheader: x' }],
  ['invalid_fields', { apiKey: '' }],
  ['invalid_fields', { encryptedKey: 'x' }],
])('returns 400 %s for %j', async (reason, more) => {
  const tenant = await anEnterpriseTenant();
  const response = await tenant.post('/models', { ...own, ...more });
  expect([response.statusCode, reasonOf(response)]).toEqual([400, reason]);
});

test.each(['openai', 'anthropic', 'google'])(
  'returns 201 for %s without a base URL or an API key',
  async (provider) => {
    const tenant = await anEnterpriseTenant();
    const model = await createModel(tenant, { provider, baseUrl: undefined, apiKey: undefined });
    expect(model).toMatchObject({ baseUrl: null, hasKey: false });
    expect((await inside(tenant.tenantId, (ctx) => openModel(ctx, model.id)))?.apiKey).toBeNull();
  },
);

test('returns 409 for a duplicate name', async () => {
  const tenant = await anEnterpriseTenant();
  await createModel(tenant);
  const response = await tenant.post('/models', own);
  expect([response.statusCode, reasonOf(response)]).toEqual([409, 'model_name_taken']);
});

test('deletes a model that a draft uses', async () => {
  const tenant = await anEnterpriseTenant();
  const { id } = await createModel(tenant);
  await tenant.patch(`/bots/${tenant.botId}/draft`, { revision: 1, draft: { answers: { models: [id] } } });
  expect((await send('DELETE', `/models/${id}`, tenant.headers)).statusCode).toBe(200);
  expect(await inside(tenant.tenantId, (ctx) => openModel(ctx, id))).toBeUndefined();
  expect((await tenant.get(`/models/${id}`)).statusCode).toBe(404);
  expect((await tenant.get(`/bots/${tenant.botId}`)).json().bot.draft.answers.models).toEqual([id]);
});

test("returns 404 for another tenant's model and does not decrypt its key", async () => {
  const [mine, theirs] = [await anEnterpriseTenant(), await anEnterpriseTenant()];
  const { id } = await createModel(theirs);
  expect((await mine.get(`/models/${id}`)).statusCode).toBe(404);
  expect((await mine.patch(`/models/${id}`, { name: 'Mine' })).statusCode).toBe(404);
  expect(await inside(mine.tenantId, (ctx) => openModel(ctx, id))).toBeUndefined();
});

test('returns 403 if the plan does not include custom models', async () => {
  const tenant = await aTenant({ plan: 'team' });
  for (const response of [await tenant.get('/models'), await tenant.post('/models', own)])
    expect(response.json().error).toMatchObject({ code: 'FEATURE_NOT_ENTITLED', reason: 'entitlement_missing' });
});
