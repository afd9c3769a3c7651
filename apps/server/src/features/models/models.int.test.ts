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
const make = async (tenant: TestTenant, more: object = {}) => {
  const made = await tenant.post('/models', { ...own, ...more });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ model: Model }>().model;
};
const rich = () => aTenant({ plan: 'enterprise' });
const reasonOf = (response: { json(): { error: { reason: string } } }) => response.json().error.reason;

test('201: a model is shown without its key, which opens for a call only', async () => {
  const tenant = await rich();
  const model = await make(tenant);
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

test('the key stands nowhere in the database, nor in an answer', async () => {
  const tenant = await rich();
  const made = await tenant.post('/models', own, { 'idempotency-key': 'once' });
  const again = await tenant.post('/models', own, { 'idempotency-key': 'once' });
  expect(again.headers['idempotency-replayed']).toBe('true');
  const { id } = made.json<{ model: Model }>().model;
  const changed = await tenant.patch(`/models/${id}`, { apiKey: `${secret}-2` });
  const gone = await send('DELETE', `/models/${id}`, tenant.headers);
  const rows = await Promise.all(
    (['events', 'auditEntries', 'models', 'idempotencyKeys'] as const).map((table) =>
      admin.selectFrom(table).selectAll().where('tenantId', '=', tenant.tenantId).execute(),
    ),
  );
  const texts = [made, again, changed, gone].map(({ body }) => body);
  expect(JSON.stringify(rows) + texts.join()).not.toContain('very-secret');
  expect((await eventsOf(tenant.tenantId)).filter((type) => type.startsWith('model.'))).toEqual([
    'model.created',
    'model.updated',
    'model.deleted',
  ]);
});

test('an encrypted key that is moved to another model does not open', async () => {
  const tenant = await rich();
  const [one, two] = [await make(tenant), await make(tenant, { name: 'Two', apiKey: 'other' })];
  const { encryptedKey } = await admin
    .selectFrom('models')
    .select('encryptedKey')
    .where('id', '=', one.id)
    .executeTakeFirstOrThrow();
  expect(encryptedKey?.includes(secret)).toBe(false);
  await admin.updateTable('models').set({ encryptedKey }).where('id', '=', two.id).execute();
  await expect(inside(tenant.tenantId, (ctx) => openModel(ctx, two.id))).rejects.toThrow();
});

test('200: a change keeps the key, replaces it, or takes it away', async () => {
  const tenant = await rich();
  const { id } = await make(tenant);
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

test('400: the key does not go to another address than it was given for', async () => {
  const tenant = await rich();
  const { id } = await make(tenant);
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
])('400 %s: %j', async (reason, more) => {
  const tenant = await rich();
  const response = await tenant.post('/models', { ...own, ...more });
  expect([response.statusCode, reasonOf(response)]).toEqual([400, reason]);
});

test.each(['openai', 'anthropic', 'google'])(
  '201: %s is known without an address, and needs no key to be noted',
  async (provider) => {
    const tenant = await rich();
    const model = await make(tenant, { provider, baseUrl: undefined, apiKey: undefined });
    expect(model).toMatchObject({ baseUrl: null, hasKey: false });
    expect((await inside(tenant.tenantId, (ctx) => openModel(ctx, model.id)))?.apiKey).toBeNull();
  },
);

test('409: two models have two names', async () => {
  const tenant = await rich();
  await make(tenant);
  const response = await tenant.post('/models', own);
  expect([response.statusCode, reasonOf(response)]).toEqual([409, 'model_name_taken']);
});

test('200: a model that a draft names can be deleted, and is then none', async () => {
  const tenant = await rich();
  const { id } = await make(tenant);
  await tenant.patch(`/bots/${tenant.botId}/draft`, { revision: 1, draft: { answers: { models: [id] } } });
  expect((await send('DELETE', `/models/${id}`, tenant.headers)).statusCode).toBe(200);
  expect(await inside(tenant.tenantId, (ctx) => openModel(ctx, id))).toBeUndefined();
  expect((await tenant.get(`/models/${id}`)).statusCode).toBe(404);
  expect((await tenant.get(`/bots/${tenant.botId}`)).json().bot.draft.answers.models).toEqual([id]);
});

test("404: another tenant's model is not there, and does not open", async () => {
  const [mine, theirs] = [await rich(), await rich()];
  const { id } = await make(theirs);
  expect((await mine.get(`/models/${id}`)).statusCode).toBe(404);
  expect((await mine.patch(`/models/${id}`, { name: 'Mine' })).statusCode).toBe(404);
  expect(await inside(mine.tenantId, (ctx) => openModel(ctx, id))).toBeUndefined();
});

test('403: not in every plan', async () => {
  const tenant = await aTenant({ plan: 'team' });
  for (const response of [await tenant.get('/models'), await tenant.post('/models', own)])
    expect(response.json().error).toMatchObject({ code: 'FEATURE_NOT_ENTITLED', reason: 'entitlement_missing' });
});
