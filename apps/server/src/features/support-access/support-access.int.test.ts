import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, anOperator, as, aTenant, aUser, type Response } from '../../../test/harness.ts';

const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const reason = 'Ticket 4711: the widget stays empty';

async function setup() {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const tenantUrl = `/admin/tenants/${tenant.tenantId}`;
  const impersonate = (client = operator) => client.post(`${tenantUrl}/impersonate`, { userId: tenant.userId, reason });
  const request = async () => {
    const response = await operator.post(`${tenantUrl}/support-requests`, { reason });
    expect(response.statusCode, response.body).toBe(201);
    return response.json<{ request: { id: string; status: string } }>().request;
  };
  const decide = (id: string, decision: string, body?: object) =>
    tenant.post(`/support-access/requests/${id}/${decision}`, body);
  return { tenant, operator, tenantUrl, impersonate, request, decide };
}

test('returns 403 support_access_required until an owner approves, and again after the approval expires', async () => {
  const { tenant, impersonate, request, decide, tenantUrl, operator } = await setup();
  expect((await tenant.get('/support-access')).json()).toEqual({ policy: 'ask', requests: [] });
  expect(outcome(await impersonate())).toEqual([403, 'support_access_required']);
  const body = { userId: tenant.userId, reason };
  expect(outcome(await operator.post(`${tenantUrl}/impersonate/portal-link`, body))[0]).not.toBe(200);

  const { id, status } = await request();
  expect(status).toBe('open');
  expect((await request()).id).toBe(id); // a repeated request returns the open one
  expect(outcome(await impersonate())).toEqual([403, 'support_access_required']);

  expect((await decide(id, 'approve', { hours: 2 })).json()).toMatchObject({ request: { status: 'approved' } });
  expect((await impersonate()).statusCode).toBe(200);
  expect(outcome(await impersonate(await anOperator('support')))).toEqual([403, 'support_access_required']); // another operator
  await admin.updateTable('supportRequests').set({ expiresAt: new Date() }).where('id', '=', id).execute();
  expect(outcome(await impersonate())).toEqual([403, 'support_access_required']);
  expect((await tenant.get('/support-access')).json()).toMatchObject({ requests: [{ id, status: 'expired' }] });

  const { data } = (await tenant.get('/audit-log?limit=20')).json<{ data: { action: string }[] }>();
  const actions = data.map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining(['support_access.requested', 'support_access.approved', 'impersonation.started']),
  );
});

test('sends one email per request, to owners only', async () => {
  const { tenant, request } = await setup();
  await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  await request();
  await request();
  const { rows } = await sql<{ recipient: string }>`select recipient from directory.emails
    where kind = 'support-access' and data ->> 'tenantId' = ${tenant.tenantId}`.execute(admin);
  expect(rows).toEqual([{ recipient: tenant.email }]);
});

test('returns 403 after a declined or withdrawn request and with policy never, and 200 with policy allowed', async () => {
  const { tenant, impersonate, request, decide, tenantUrl, operator } = await setup();
  const first = await request();
  await decide(first.id, 'decline');
  expect(outcome(await impersonate())).toEqual([403, 'support_access_required']);
  expect(outcome(await decide(first.id, 'approve', {}))).toEqual([409, 'request_already_decided']);
  const second = await request();
  await decide(second.id, 'approve', {});
  expect((await impersonate()).statusCode).toBe(200);
  await decide(second.id, 'decline');
  expect(outcome(await impersonate())).toEqual([403, 'support_access_required']);

  expect((await tenant.patch('/support-access', { policy: 'never' })).statusCode).toBe(200);
  expect(outcome(await impersonate())).toEqual([403, 'support_access_disabled']);
  expect(outcome(await operator.post(`${tenantUrl}/support-requests`, { reason }))).toEqual([
    403,
    'support_access_disabled',
  ]);
  await tenant.patch('/support-access', { policy: 'allowed' });
  expect((await impersonate()).statusCode).toBe(200);
  expect(outcome(await operator.post(`${tenantUrl}/support-requests`, { reason }))).toEqual([
    409,
    'support_access_already_allowed',
  ]);
});

test('returns 403 for approvals by anyone but a recently signed-in owner, including impersonating operators', async () => {
  const { tenant, impersonate, request } = await setup();
  const { id } = await request();
  const approve = `/support-access/requests/${id}/approve`;
  const manager = await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  expect(outcome(await manager.post(approve, {}))).toEqual([403, 'permission_missing']);
  const staleClaims = { auth_time: Math.floor(Date.now() / 1_000) - 600 };
  const staleOwner = await aUser([{ tenantId: tenant.tenantId, roles: ['owner'] }], staleClaims);
  expect(outcome(await staleOwner.post(approve, {}))).toEqual([403, 'step_up_required']);
  await tenant.patch('/support-access', { policy: 'allowed' });
  const { accessToken } = (await impersonate()).json<{ accessToken: string }>();
  const impersonator = as({ authorization: `Bearer ${accessToken}` });
  expect(outcome(await impersonator.post(approve, {}))).toEqual([403, 'permission_missing']);
});

test('returns 403 while impersonating for changes that outlast the session: endpoints, actions, models, keys, roles', async () => {
  const { tenant, impersonate } = await setup();
  await tenant.patch('/support-access', { policy: 'allowed' });
  const { accessToken } = (await impersonate()).json<{ accessToken: string }>();
  const impersonator = as({ authorization: `Bearer ${accessToken}` });
  for (const [path, body] of [
    ['/webhooks', { url: 'https://example.com', eventTypes: ['*'] }],
    [`/bots/${tenant.botId}/actions`, {}],
    ['/models', {}],
    ['/api-keys', { name: 'Key', keyType: 'secret_server' }],
    ['/invitations', { email: 'a@example.com', roles: ['viewer'] }],
  ] as const)
    expect(outcome(await impersonator.post(path, body)), path).toEqual([403, 'permission_missing']);
  expect((await impersonator.get('/bots')).statusCode).toBe(200);
});
