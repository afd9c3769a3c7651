import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  admin,
  aKey,
  anOperator,
  api,
  as,
  aTenant,
  aUser,
  services,
  openApi,
  type TestTenant,
} from '../../../test/harness.ts';
import { aBot, page } from '../../../test/chat/fixture.ts';
import { open } from '../../../test/chat/helpers.ts';
import { newId } from '../../platform/ids.ts';
import { createRequestErrors, purgeRequestErrors } from './request-errors.ts';
import type { TenantError, TenantHealth } from './support.contract.ts';

const support = await anOperator('support');
let tenant: TestTenant;
let errors: ReturnType<typeof createRequestErrors>;
beforeEach(async () => {
  tenant = await aTenant();
  errors = createRequestErrors(services, api.platform.log, 3_600_000);
});
afterEach(() => errors.stop());

type TenantErrorJson = Omit<TenantError, 'at'> & { at: string };
const errorsOf = async ({ tenantId }: Pick<TestTenant, 'tenantId'>, query = '') => {
  const res = await support.get(`/admin/tenants/${tenantId}/errors${query}`);
  expect(res.statusCode, res.body).toBe(200);
  return res.json<{ data: TenantErrorJson[]; nextCursor: string | null }>();
};
const soon = { timeout: 10_000, interval: 200 };
const rejectedRequest = (more: object = {}) => ({
  tenantId: tenant.tenantId,
  operation: 'getBot',
  status: 404,
  reason: 'bot_not_found',
  requestId: newId('request'),
  traceId: 'a'.repeat(32),
  actor: { type: 'user', id: tenant.userId },
  ...more,
});

test('lists rejected requests by operation, status and reason, grouped by hour, with the last request id', async () => {
  const missing = 'bot_01h00000000000000000000000';
  const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const last = [1, 2, 3].map(() => tenant.get(`/bots/${missing}`));
  const requestIds = (await Promise.all(last)).map(({ headers }) => headers['x-request-id']);
  await viewer.post('/webhooks', { url: 'https://x.example/s3cr3t' });
  const key = await aKey(tenant);
  await key.post('/workspaces', { name: 'Mine' });
  await tenant.post('/workspaces', { name: '', words: 'never kept' });
  await expect.poll(async () => (await errorsOf(tenant)).data.length, soon).toBe(4);
  const { data } = await errorsOf(tenant);
  const found = data.find(({ what }) => what === 'getBot');
  expect(found).toMatchObject({ kind: 'request', status: 404, reason: 'bot_not_found', count: 3 });
  expect(requestIds).toContain(found?.requestId);
  expect(found?.actor).toEqual({ type: 'user', id: tenant.userId });
  expect(data.find(({ what }) => what === 'createWebhook')).toMatchObject({
    status: 403,
    reason: 'permission_missing',
  });
  const workspaceErrors = data
    .filter(({ what }) => what === 'createWorkspace')
    .toSorted((a, b) => (a.status ?? 0) - (b.status ?? 0));
  expect(workspaceErrors).toMatchObject([
    { status: 400, reason: 'invalid_fields' },
    { status: 403, actor: { type: 'api_key', id: key.id } },
  ]);
  const { rows } = await sql<{
    text: string;
  }>`select e::text as text from request_errors e where tenant_id = ${tenant.tenantId}`.execute(admin);
  for (const { text } of rows) for (const word of [missing, 's3cr3t', 'never kept']) expect(text).not.toContain(word);
});

test('lists rejected visitor requests without data about the visitor', async () => {
  const bot = await aBot(tenant);
  expect((await open(api.app, bot, { origin: 'https://evil.example' })).statusCode).toBe(403);
  await expect
    .poll(async () => (await errorsOf(tenant)).data, soon)
    .toMatchObject([
      { what: 'openAnonymousSession', status: 403, reason: 'origin_not_allowed', actor: { type: 'visitor', id: null } },
    ]);
  expect((await open(api.app, bot, { origin: page })).statusCode).toBe(200);
  expect(JSON.stringify(await errorsOf(tenant))).not.toContain('evil.example');
});

test('limits the kinds per process and the rows per tenant, and still counts existing ones', async () => {
  for (let n = 0; n < 300; n++) errors.note(rejectedRequest({ operation: `op${n}` }));
  await errors.flush();
  const count = async () =>
    Number(
      (
        await admin
          .selectFrom('requestErrors')
          .select(({ fn }) => fn.countAll().as('n'))
          .where('tenantId', '=', tenant.tenantId)
          .executeTakeFirstOrThrow()
      ).n,
    );
  expect(await count()).toBe(200);
  for (let round = 1; round < 7; round++) {
    for (let n = 0; n < 200; n++) errors.note(rejectedRequest({ operation: `op${n}`, reason: `reason_${round}` }));
    errors.note(rejectedRequest({ operation: 'op1' }));
    await errors.flush();
  }
  expect(await count()).toBe(1_000);
  errors.note(rejectedRequest({ operation: 'op1' }));
  await errors.flush();
  const existing = admin
    .selectFrom('requestErrors')
    .select('count')
    .where('operation', '=', 'op1')
    .where('reason', '=', 'bot_not_found');
  expect((await existing.where('tenantId', '=', tenant.tenantId).executeTakeFirst())?.count).toBeGreaterThan(1);
});

test('counts correctly when two processes write the same kinds concurrently', async () => {
  const other = createRequestErrors(services, api.platform.log, 3_600_000);
  for (const one of [errors, other]) for (let n = 0; n < 50; n++) one.note(rejectedRequest({ operation: `op${n}` }));
  await Promise.all([errors.flush(), other.stop()]);
  const { data } = await errorsOf(tenant, '?limit=100');
  expect(data).toHaveLength(50);
  expect(data.every(({ count }) => count === 2)).toBe(true);
});

test('purges errors after a week', async () => {
  errors.note(rejectedRequest());
  await errors.flush();
  await sql`insert into request_errors (tenant_id, hour, operation, status, reason, count, last_at, last_request_id, last_actor_type)
    values (${tenant.tenantId}, now() - interval '8 days', 'old', 500, 'x', 1, now() - interval '8 days', 'req_x', 'user')`.execute(
    admin,
  );
  await purgeRequestErrors(services);
  expect((await errorsOf(tenant)).data.map(({ what }) => what)).toEqual(['getBot']);
});

test('lists failed requests, turns, deliveries, runs and syncs in pages, with links to traces', async () => {
  const traced = await openApi({ TRACE_URL: 'https://traces.example/t/{traceId}' });
  const { tenantId, botId } = tenant;
  errors.note(rejectedRequest());
  await errors.flush();
  await sql`insert into turns (tenant_id, conversation_id, id, seq, message_id, reply_id, status, reason, finished_at)
    values (${tenantId}, ${newId('conversation')}, ${newId('turn')}, 1, 'msg_1', 'msg_2', 'failed', 'model_failed', now() - interval '1 minute')`.execute(
    admin,
  );
  await sql`insert into knowledge_sources (tenant_id, id, bot_id, kind, name, config, state, error, created_by, created_at)
    values (${tenantId}, ${newId('knowledgeSource')}, ${botId}, 'url', 'Our site', '{}', 'failed', 'The page answered 404.', 'x', now() - interval '1 hour')`.execute(
    admin,
  );
  const found: TenantErrorJson[] = [];
  for (let cursor = ''; ;) {
    const client = as(support.headers, traced.app);
    const res = await client.get(`/admin/tenants/${tenantId}/errors?limit=1${cursor && `&cursor=${cursor}`}`);
    const { data, nextCursor } = res.json<{ data: TenantErrorJson[]; nextCursor: string | null }>();
    found.push(...data);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  expect(found.map(({ kind, what, reason, traceUrl }) => [kind, what, reason, traceUrl])).toEqual([
    ['request', 'getBot', 'bot_not_found', `https://traces.example/t/${'a'.repeat(32)}`],
    ['turn', 'answer', 'model_failed', null],
    ['sync', 'Our site', 'The page answered 404.', null],
  ]);
  const bad = await support.get(`/admin/tenants/${tenantId}/errors?cursor=bm9wZQ`);
  expect(bad.statusCode).toBe(400);
  await traced.close();
});

test('returns the health of bots, endpoints, keys, runs and budgets, without secrets', async () => {
  const key = await aKey(tenant);
  const url = 'https://hooks.example/s3cr3t';
  await tenant.post('/webhooks', { url, eventTypes: ['*'] });
  await sql`insert into knowledge_sources (tenant_id, id, bot_id, kind, name, config, state, created_by)
    values (${tenant.tenantId}, ${newId('knowledgeSource')}, ${tenant.botId}, 'text', 'T', '{}', 'ready', 'x')`.execute(
    admin,
  );
  const res = await support.get(`/admin/tenants/${tenant.tenantId}/health`);
  expect(res.statusCode, res.body).toBe(200);
  const health = res.json<TenantHealth>();
  expect(health).toMatchObject({
    bots: [
      {
        id: tenant.botId,
        name: 'Bot',
        status: 'active',
        deployedTo: [],
        lastConversationAt: null,
        sources: { ready: 1, failed: 0 },
      },
    ],
    endpoints: [{ host: 'hooks.example', status: 'active', why: 'Delivering.', waiting: 0 }],
    keys: [
      { id: key.id, keyType: 'secret_server', hint: expect.stringContaining(key.secret.slice(-4)), revokedAt: null },
    ],
    unknownRuns: 0,
    budgets: [
      { name: 'messages_this_month', used: 0 },
      { name: 'model_spend_today', used: 0 },
    ],
  });
  for (const secret of [key.secret, 's3cr3t']) expect(res.body).not.toContain(secret);
  for (const path of ['health', 'errors'])
    expect((await support.get(`/admin/tenants/${newId('tenant')}/${path}`)).statusCode).toBe(404);
});
