import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { removeAs } from '../../../../test/deleted-tenant.ts';
import { admin, aKey, anOperator, aTenant, aUser, eventsOf, type Response } from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';

const operator = await anOperator();
const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const getTenant = async (tenantId: string, path = '') => {
  const res = await operator.get(`/admin/tenants/${tenantId}${path}`);
  expect(res.statusCode, res.body).toBe(200);
  return res.json();
};
const emailsTo = async (email: string) =>
  (
    await sql<{
      kind: string;
      data: object;
    }>`select kind, data from directory.emails where recipient = ${email}`.execute(admin)
  ).rows;
const create = async (owner?: object, key = {}) => {
  const res = await operator.post('/admin/tenants', { name: 'Onboarded', plan: 'team', ...(owner && { owner }) }, key);
  expect(res.statusCode, res.body).toBe(201);
  return res.json();
};
const anEmail = () => `${newId('user')}@example.com`;

// ---- onboarding

test('creates a tenant and invites its owner; a repeated request sends no second email', async () => {
  const email = anEmail();
  const key = { 'idempotency-key': newId('request') };
  const created = await create({ email: email.toUpperCase(), locale: 'de' }, key);
  expect(created.invitation).toMatchObject({ email, roles: ['owner'], status: 'open', invitedBy: operator.userId });
  expect(await emailsTo(email)).toMatchObject([
    { kind: 'invitation', data: { tenantId: created.tenant.id, invitationId: created.invitation.id, locale: 'de' } },
  ]);
  expect((await create({ email: email.toUpperCase(), locale: 'de' }, key)).tenant.id).toBe(created.tenant.id);
  expect(await emailsTo(email)).toHaveLength(1);
  expect(await eventsOf(created.tenant.id)).toContain('invitation.created');
  const { overview } = await getTenant(created.tenant.id);
  expect(overview).toMatchObject({ owners: [], members: 0, ownerInvitation: { email, status: 'open' } });
});

test('creates a tenant without an owner, and returns 400 for an invalid owner email', async () => {
  expect((await create()).invitation).toBeUndefined();
  const before = await operator.get('/admin/tenants?limit=1');
  const res = await operator.post('/admin/tenants', { name: 'Refused', owner: { email: 'nobody' } });
  expect(errorOf(res)).toEqual([400, 'invalid_fields']);
  expect((await operator.get('/admin/tenants?limit=1')).body).toBe(before.body);
});

test('re-invites an owner at another email address and revokes the first invitation', async () => {
  const [wrong, right] = [anEmail(), anEmail()];
  const { tenant, invitation } = await create({ email: wrong });
  const reinvite = async (email: string) => {
    const res = await operator.post(`/admin/tenants/${tenant.id}/owner-invitation`, { email });
    expect(res.statusCode, res.body).toBe(201);
    return res.json().invitation;
  };
  const corrected = await reinvite(right);
  expect(corrected).toMatchObject({ email: right, roles: ['owner'], status: 'open' });
  const rows = admin.selectFrom('invitations').select(['id', 'revokedAt']).where('tenantId', '=', tenant.id);
  expect((await rows.execute()).find(({ id }) => id === invitation.id)?.revokedAt).toBeInstanceOf(Date);
  expect((await getTenant(tenant.id)).overview.ownerInvitation).toMatchObject({ id: corrected.id });
  expect((await reinvite(right)).email).toBe(right);
  expect(await emailsTo(right)).toHaveLength(2);
});

test('returns 409 owner_exists while an owner can sign in, and 201 once they are disabled', async () => {
  const tenant = await aTenant();
  const invite = () => operator.post(`/admin/tenants/${tenant.tenantId}/owner-invitation`, { email: anEmail() });
  expect(errorOf(await invite())).toEqual([409, 'owner_exists']);
  await operator.post(`/admin/users/${tenant.userId}/disable`, { pool: 'customer', reason: 'gone for good' });
  expect((await invite()).statusCode).toBe(201);
});

// ---- one tenant

test('returns an overview with owners, counts, last activity and the last status change', async () => {
  const tenant = await aTenant();
  await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  const initial = await getTenant(tenant.tenantId);
  expect(initial.overview).toEqual({
    owners: [{ userId: tenant.userId, email: tenant.email, name: 'Test Person', isDisabled: false }],
    ownerInvitation: null,
    members: 2,
    bots: 1,
    lastActivityAt: null,
    state: null,
    erasedAfter: null,
  });
  await tenant.patch('/tenant', { name: 'Renamed' });
  await operator.post(`/admin/tenants/${tenant.tenantId}/suspend`, { reason: 'unpaid bills' });
  const by = { type: 'operator', id: operator.userId, email: `${operator.userId}@parley.example` };
  const suspended = await getTenant(tenant.tenantId);
  expect(suspended).toMatchObject({
    tenant: { name: 'Renamed', status: 'suspended' },
    overview: { lastActivityAt: expect.any(String), state: { reason: 'unpaid bills', by }, erasedAfter: null },
  });
  await operator.post(`/admin/tenants/${tenant.tenantId}/resume`);
  const deleted = (await removeAs(operator, tenant.tenantId)).json();
  expect((await getTenant(tenant.tenantId)).overview).toMatchObject({
    erasedAfter: deleted.erasedAfter,
    state: { by },
  });
});

test('lists changes with old and new values, newest first, and who set each override', async () => {
  const tenant = await aTenant();
  const change = (body: object) => operator.patch(`/admin/tenants/${tenant.tenantId}/entitlements`, body);
  await change({ plan: 'enterprise', overrides: { 'bots.max': 7 } });
  await change({ overrides: { 'bots.max': 9, webhooks: 0 } });
  await change({ overrides: { 'bots.max': null } });
  await tenant.patch('/tenant', { name: 'Renamed' });
  await operator.post(`/admin/tenants/${tenant.tenantId}/suspend`, { reason: 'unpaid bills' });
  await operator.post(`/admin/tenants/${tenant.tenantId}/resume`);
  const email = `${operator.userId}@parley.example`;
  const { data } = await getTenant(tenant.tenantId, '/changes');
  expect(data.map(({ action, changes }: { action: string; changes: object }) => [action, changes])).toEqual([
    ['tenant.resumed', [{ name: 'status', from: 'suspended', to: 'active' }]],
    ['tenant.suspended', [{ name: 'status', from: 'active', to: 'suspended' }]],
    ['tenant.updated', [{ name: 'name', from: 'Test', to: 'Renamed' }]],
    ['entitlements.changed', [{ name: 'bots.max', from: 9, to: null }]],
    [
      'entitlements.changed',
      [
        { name: 'bots.max', from: 7, to: 9 },
        { name: 'webhooks', from: null, to: 0 },
      ],
    ],
    [
      'entitlements.changed',
      [
        { name: 'plan', from: 'team', to: 'enterprise' },
        { name: 'bots.max', from: null, to: 7 },
      ],
    ],
    ['tenant.created', [{ name: 'plan', from: null, to: 'team' }]],
  ]);
  expect(data[1]).toMatchObject({ reason: 'unpaid bills', actor: { type: 'operator', email } });
  expect(data[2].actor).toMatchObject({ type: 'user', email: tenant.email });
  const page = await getTenant(tenant.tenantId, '/changes?limit=2');
  expect((await getTenant(tenant.tenantId, `/changes?limit=2&cursor=${page.nextCursor}`)).data[0].id).toBe(data[2].id);

  const entitlements = await getTenant(tenant.tenantId, '/entitlements');
  expect(entitlements).toMatchObject({
    plan: 'enterprise',
    entitlements: { webhooks: 0, 'bots.max': 1_000 },
    plans: { enterprise: { webhooks: 1 }, free: { 'bots.max': 1 } },
  });
  expect(entitlements.overrides).toEqual([
    { name: 'webhooks', value: 0, changedBy: operator.userId, changedByEmail: email, changedAt: expect.any(String) },
  ]);
});

test('returns usage for the requested number of days, without other tenants’ usage', async () => {
  const [tenant, other] = [await aTenant(), await aTenant()];
  const insertUsage = (tenantId: string, botId: string, daysAgo: number, messages: number) =>
    sql`insert into usage_days (tenant_id, day, bot_id, messages, spend_micros)
      values (${tenantId}, current_date - ${daysAgo}::int, ${botId}, ${messages}, 1500000)`.execute(admin);
  await insertUsage(tenant.tenantId, tenant.botId, 0, 3);
  await insertUsage(tenant.tenantId, tenant.botId, 6, 4);
  await insertUsage(tenant.tenantId, tenant.botId, 7, 5);
  await insertUsage(other.tenantId, other.botId, 0, 100);
  expect((await getTenant(tenant.tenantId, '/usage?days=7')).total).toMatchObject({ messages: 7, spend: 3 });
  expect((await getTenant(tenant.tenantId, '/usage')).total.messages).toBe(12);
  expect(errorOf(await operator.get(`/admin/tenants/${tenant.tenantId}/usage?days=401`))).toEqual([
    400,
    'invalid_fields',
  ]);
});

test('lists members with roles and last activity, which ignores impersonations', async () => {
  const tenant = await aTenant();
  const session = (operatorId: string | null, minutesAgo: number, at = tenant.tenantId) =>
    sql`insert into customer_pool.sessions (id, grant_hash, user_id, tenant_id, client_id, methods, authenticated_at, ip,
        user_agent, operator_id, reason, last_seen_at, expires_at)
      values (${newId('session')}, sha256(${newId('session')}::bytea), ${tenant.userId}, ${at}, 'portal', '{pwd}', now(), '127.0.0.1',
        'x', ${operatorId}, ${operatorId && 'a test'}, date_trunc('second', now()) - ${minutesAgo}::int * interval '1 minute', now() + interval '1 hour')`.execute(
      admin,
    );
  const { data } = await getTenant(tenant.tenantId, '/members');
  expect(data).toMatchObject([
    { userId: tenant.userId, email: tenant.email, roles: ['owner'], isDisabled: false, lastSeenAt: null },
  ]);
  await session(null, 10);
  await session(operator.userId, 1);
  await session(null, 2, (await aTenant()).tenantId);
  const [member] = (await getTenant(tenant.tenantId, '/members')).data;
  const minutes = (Date.now() - Date.parse(member.lastSeenAt)) / 60_000;
  expect(minutes).toBeGreaterThan(9);
  expect(minutes).toBeLessThan(12);
});

test('lists audit entries without their data, and returns 403 to support', async () => {
  const tenant = await aTenant();
  await tenant.patch('/tenant', { name: 'A new secret name' });
  const res = await operator.get(`/admin/tenants/${tenant.tenantId}/audit-log?action=tenant.updated`);
  expect(res.json().data).toMatchObject([
    { action: 'tenant.updated', subjectId: tenant.tenantId, actor: { id: tenant.userId, email: tenant.email } },
  ]);
  expect(res.body).not.toContain('secret name');
  expect(res.json().data[0]).not.toHaveProperty('data');
  const support = await anOperator('support');
  expect(errorOf(await support.get(`/admin/tenants/${tenant.tenantId}/audit-log`))).toEqual([
    403,
    'permission_missing',
  ]);
});

test('counts what a suspension would stop', async () => {
  const tenant = await aTenant();
  const { tenantId, botId, environmentId } = tenant;
  const empty = await getTenant(tenantId, '/suspension-effects');
  expect(empty).toEqual({
    liveBots: 0,
    widgetKeys: 0,
    serverKeys: 0,
    endpoints: 0,
    waitingEndpoints: 0,
    waitingDeliveries: 0,
    openConversations: 0,
    runningSyncs: 0,
    members: 1,
  });
  const [activeKey, revoked] = [await aKey(tenant), await aKey(tenant)];
  await tenant.post(`/api-keys/${revoked.id}/revoke`);
  await aKey(tenant, { keyType: 'public_widget', boundBotId: botId });
  await sql`insert into bot_versions (tenant_id, id, bot_id, number, content_hash, content, created_by)
    values (${tenantId}, 'bver_1', ${botId}, 1, '', '{}', 'x')`.execute(admin);
  await sql`insert into bot_deployments (tenant_id, bot_id, environment_id, version_id, deployed_by)
    values (${tenantId}, ${botId}, ${environmentId}, 'bver_1', 'x')`.execute(admin);
  // Valid ids: workers and operator routes of other test files also read these rows.
  const webhookIds = [newId('webhook'), newId('webhook')] as const;
  for (const id of webhookIds)
    await sql`insert into webhooks (tenant_id, id, url, event_types, rate_limit, ordering, created_by)
      values (${tenantId}, ${id}, 'https://a.example', '{*}', 1, 'none', 'x')`.execute(admin);
  for (const id of [newId('delivery'), newId('delivery')])
    await sql`insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, position, next_attempt_at, created_at)
      values (${tenantId}, ${id}, ${webhookIds[0]}, ${newId('event')}, 'x', 1, now() + interval '1 day', now())`.execute(
      admin,
    );
  for (const state of ['bot', 'human', 'closed'])
    await sql`insert into conversations (tenant_id, id, environment_id, bot_id, version_id, state, expires_at)
      values (${tenantId}, ${newId('conversation')}, ${environmentId}, ${botId}, 'bver_1', ${state}, now())`.execute(
      admin,
    );
  for (const state of ['syncing', 'ready'])
    await sql`insert into knowledge_sources (tenant_id, id, bot_id, kind, name, config, state, created_by)
      values (${tenantId}, ${newId('knowledgeSource')}, ${botId}, 'text', 'x', '{}', ${state}, 'x')`.execute(admin);
  expect(activeKey.secret).toBeTruthy();
  expect(await getTenant(tenantId, '/suspension-effects')).toEqual({
    liveBots: 1,
    widgetKeys: 1,
    serverKeys: 1,
    endpoints: 2,
    waitingEndpoints: 1,
    waitingDeliveries: 2,
    openConversations: 2,
    runningSyncs: 1,
    members: 1,
  });
});

test.each(['', '/entitlements', '/changes', '/usage', '/members', '/audit-log', '/suspension-effects'])(
  'GET /admin/tenants/…%s returns 404 tenant_not_found for an unknown tenant',
  async (path) => {
    expect(errorOf(await operator.get(`/admin/tenants/${newId('tenant')}${path}`))).toEqual([404, 'tenant_not_found']);
  },
);

test('owner invitations return 404 for an unknown tenant and 403 to support', async () => {
  const invite = (id: string, by = operator) => by.post(`/admin/tenants/${id}/owner-invitation`, { email: anEmail() });
  expect(errorOf(await invite(newId('tenant')))).toEqual([404, 'tenant_not_found']);
  const { tenant } = await create();
  expect(errorOf(await invite(tenant.id, await anOperator('support')))).toEqual([403, 'permission_missing']);
});
