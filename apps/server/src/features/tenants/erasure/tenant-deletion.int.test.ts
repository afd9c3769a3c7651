import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reason, remove, removeAs } from '../../../../test/deleted-tenant.ts';
import {
  admin,
  aKey,
  anOperator,
  as,
  aTenant,
  aUser,
  eventsOf,
  openApi,
  send,
  type Response,
  type TestTenant,
} from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';

const days30 = 30 * 86_400_000;
const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;
const adminUrl = ({ tenantId }: TestTenant, action: string) => `/admin/tenants/${tenantId}/${action}`;
const statusOf = async ({ tenantId }: TestTenant) =>
  (await admin.selectFrom('tenants').select('status').where('tenantId', '=', tenantId).executeTakeFirst())?.status;
const statusEvents = async ({ tenantId }: TestTenant) =>
  (await eventsOf(tenantId)).filter((type) => /^tenant\.(?!created)/.test(type));
const timersOf = async ({ tenantId }: TestTenant) =>
  (
    await sql<{
      kind: string;
      dueAt: Date;
    }>`select kind, due_at from directory.timers where tenant_id = ${tenantId}`.execute(admin)
  ).rows;

test.each(['/tenant', '/tenants/:tenantId'])(
  'DELETE %s returns 200, blocks access immediately, schedules the erasure in 30 days and audits the actor',
  async (path) => {
    const tenant = await aTenant();
    const key = await aKey(tenant);
    for (const client of [tenant, key]) expect((await client.get('/me')).statusCode).toBe(200);
    const res = await remove(tenant, 'Test', path.replace(':tenantId', tenant.tenantId));
    expect(res.statusCode, res.body).toBe(200);
    const { tenant: deleted, erasedAfter } = res.json<{ tenant: object; erasedAfter: string }>();
    expect(deleted).toMatchObject({ id: tenant.tenantId, name: 'Test', status: 'deleted' });
    expect(Math.abs(new Date(erasedAfter).getTime() - Date.now() - days30)).toBeLessThan(10_000);
    for (const client of [tenant, key]) expect(errorOf(await client.get('/me'))).toEqual([403, 'tenant_deleted']);
    expect(errorOf(await remove(tenant))).toEqual([403, 'tenant_deleted']);

    expect(await timersOf(tenant)).toEqual([{ kind: 'tenant-erasure', dueAt: new Date(erasedAfter) }]);
    const entries = admin.selectFrom('auditEntries').selectAll().where('tenantId', '=', tenant.tenantId);
    expect(await entries.where('action', '=', 'tenant.deleted').execute()).toMatchObject([
      { actorType: 'user', actorId: tenant.userId, data: { object: { status: 'deleted' }, erasedAfter } },
    ]);
    const events = admin.selectFrom('events').select('isPublic').where('tenantId', '=', tenant.tenantId);
    expect(await events.where('type', '=', 'tenant.deleted').execute()).toEqual([{ isPublic: false }]);
  },
);

test('returns 403 tenant_deleted to tokens and keys on every node within 5 s, and 200 after restoring', async () => {
  const second = await openApi();
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const otherNode = [tenant, await aKey(tenant)].map(({ headers }) => as(headers, second.app));
  for (const caller of otherNode) expect((await caller.get('/me')).statusCode).toBe(200);
  expect((await removeAs(operator, tenant.tenantId)).statusCode).toBe(200);
  for (const caller of otherNode)
    await expect
      .poll(async () => errorOf(await caller.get('/me')), { timeout: 5_000, interval: 20 })
      .toEqual([403, 'tenant_deleted']);
  const restored = await operator.post(adminUrl(tenant, 'restore'), { reason });
  expect(restored.json().tenant).toMatchObject({ id: tenant.tenantId, status: 'active' });
  for (const caller of otherNode)
    await expect.poll(async () => (await caller.get('/me')).statusCode, { timeout: 5_000, interval: 20 }).toBe(200);
  await second.close();
});

test('operators delete and restore with a reason; a repeated request changes nothing and emits no event', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const first = await removeAs(operator, tenant.tenantId);
  expect(first.statusCode, first.body).toBe(200);
  expect((await removeAs(operator, tenant.tenantId)).body).toBe(first.body);
  expect((await operator.get(`/admin/tenants/${tenant.tenantId}`)).json().tenant).toEqual(first.json().tenant);
  for (const _attempt of [1, 2])
    expect((await operator.post(adminUrl(tenant, 'restore'), { reason })).json().tenant.status).toBe('active');
  expect(await timersOf(tenant)).toEqual([]);
  expect(await statusEvents(tenant)).toEqual(['tenant.deleted', 'tenant.restored']);
  const { data } = (await tenant.get(`/audit-log?subjectId=${tenant.tenantId}`)).json();
  const actor = { type: 'operator', id: operator.userId };
  expect(data).toMatchObject([
    { action: 'tenant.restored', actor, data: { reason } },
    { action: 'tenant.deleted', actor, data: { reason } },
    { action: 'tenant.created' },
  ]);
  expect((await remove(tenant)).json().tenant.status).toBe('deleted');
  expect(await timersOf(tenant)).toHaveLength(1);
});

test('returns 409 tenant_deleted when a deleted tenant is suspended or resumed', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  await remove(tenant);
  expect(errorOf(await operator.post(adminUrl(tenant, 'suspend'), { reason }))).toEqual([409, 'tenant_deleted']);
  expect(errorOf(await operator.post(adminUrl(tenant, 'resume')))).toEqual([409, 'tenant_deleted']);
  expect([await statusOf(tenant), await statusEvents(tenant)]).toEqual(['deleted', ['tenant.deleted']]);
});

test('restoring a tenant that is not deleted changes nothing; a suspended tenant stays suspended', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  await operator.post(adminUrl(tenant, 'suspend'), { reason });
  expect((await operator.post(adminUrl(tenant, 'restore'), { reason })).json().tenant.status).toBe('suspended');
  expect(errorOf(await remove(tenant))).toEqual([403, 'tenant_suspended']);
  expect(await statusEvents(tenant)).toEqual(['tenant.suspended']);
});

const anOwner = ({ tenantId }: TestTenant, claims: object) => aUser([{ tenantId, roles: ['owner'] }], { ...claims });

test.each<[title: string, request: (tenant: TestTenant) => Promise<Response>]>([
  [
    '403 step_up_required: owner signed in five minutes ago',
    async (tenant) => remove(await anOwner(tenant, { auth_time: secondsAgo(300) })),
  ],
  [
    '403 step_up_required: token without auth_time',
    async (tenant) => remove(await anOwner(tenant, { auth_time: undefined })),
  ],
  [
    '403 permission_missing: server key, even with the permission in its row',
    async (tenant) => {
      const key = await aKey(tenant);
      await admin
        .updateTable('apiKeys')
        .set({ permissions: ['tenant.delete'] })
        .where('id', '=', key.id)
        .execute();
      return remove(key);
    },
  ],
  [
    '403 step_up_required: operator signed in five minutes ago',
    async ({ tenantId }) => removeAs(await anOperator('platform_admin', { auth_time: secondsAgo(300) }), tenantId),
  ],
  ['403 permission_missing: server key', async (tenant) => remove(await aKey(tenant))],
  [
    '403 permission_missing: admin',
    async ({ tenantId }) => remove(await aUser([{ tenantId, roles: ['admin', 'developer', 'agent'] }])),
  ],
  ...(['support', 'auditor'] as const).map((role): [string, (tenant: TestTenant) => Promise<Response>] => [
    `403 permission_missing: operator with role ${role}`,
    async ({ tenantId }) => removeAs(await anOperator(role), tenantId),
  ]),
  [
    '403 permission_missing: restore by an operator with role support',
    async (tenant) => (await anOperator('support')).post(adminUrl(tenant, 'restore'), { reason }),
  ],
  [
    '403 tenant_mismatch: owner of another tenant',
    async ({ tenantId }) => remove(await aTenant(), 'Test', `/tenants/${tenantId}`),
  ],
  ['422 name_mismatch: another name', (tenant) => remove(tenant, 'Acme')],
  ['422 name_mismatch: name in another letter case', (tenant) => remove(tenant, 'test')],
  ['422 name_mismatch: name with a trailing space', (tenant) => remove(tenant, 'Test ')],
  ['422 name_mismatch: empty name', (tenant) => remove(tenant, '')],
  ['400 invalid_fields: empty body', (tenant) => send('DELETE', '/tenant', tenant.headers, {})],
  [
    '400 invalid_fields: operator without a reason',
    async ({ tenantId }) => send('DELETE', `/admin/tenants/${tenantId}`, (await anOperator()).headers, {}),
  ],
  ['404 tenant_not_found: unknown tenant', async () => removeAs(await anOperator(), newId('tenant'))],
  [
    '404 tenant_not_found: restore of an unknown tenant',
    async () => (await anOperator()).post(`/admin/tenants/${newId('tenant')}/restore`, { reason }),
  ],
])('%s', async (title, request) => {
  const tenant = await aTenant();
  const [status, errorReason] = title.split(/:? /);
  expect(errorOf(await request(tenant))).toEqual([Number(status), errorReason]);
  expect([await statusOf(tenant), await statusEvents(tenant), await timersOf(tenant)]).toEqual(['active', [], []]);
});
