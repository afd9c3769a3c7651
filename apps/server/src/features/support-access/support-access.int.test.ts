import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, anOperator, as, aTenant, aUser, type Response } from '../../../test/harness.ts';

const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const reason = 'Ticket 4711: the widget stays empty';

async function aScene() {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const at = `/admin/tenants/${tenant.tenantId}`;
  const act = (who = operator) => who.post(`${at}/impersonate`, { userId: tenant.userId, reason });
  const request = async () => {
    const response = await operator.post(`${at}/support-requests`, { reason });
    expect(response.statusCode, response.body).toBe(201);
    return response.json<{ request: { id: string; status: string } }>().request;
  };
  const decide = (id: string, how: string, body?: object) => tenant.post(`/support-access/requests/${id}/${how}`, body);
  return { tenant, operator, at, act, request, decide };
}

test('403 support_access_required by default, until an owner approves; then it works until the approval ends', async () => {
  const { tenant, act, request, decide, at, operator } = await aScene();
  expect((await tenant.get('/support-access')).json()).toEqual({ policy: 'ask', requests: [] });
  expect(outcome(await act())).toEqual([403, 'support_access_required']);
  const body = { userId: tenant.userId, reason };
  expect(outcome(await operator.post(`${at}/impersonate/portal-link`, body))[0]).not.toBe(200);

  const { id, status } = await request();
  expect(status).toBe('open');
  expect((await request()).id).toBe(id); // asking again is the same request
  expect(outcome(await act())).toEqual([403, 'support_access_required']);

  expect((await decide(id, 'approve', { hours: 2 })).json()).toMatchObject({ request: { status: 'approved' } });
  expect((await act()).statusCode).toBe(200);
  expect(outcome(await act(await anOperator('support')))).toEqual([403, 'support_access_required']); // another operator
  await admin.updateTable('supportRequests').set({ expiresAt: new Date() }).where('id', '=', id).execute();
  expect(outcome(await act())).toEqual([403, 'support_access_required']);
  expect((await tenant.get('/support-access')).json()).toMatchObject({ requests: [{ id, status: 'expired' }] });

  const { data } = (await tenant.get('/audit-log?limit=20')).json<{ data: { action: string }[] }>();
  const actions = data.map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining(['support_access.requested', 'support_access.approved', 'impersonation.started']),
  );
});

test('owners get one email for a request, and nobody else does', async () => {
  const { tenant, request } = await aScene();
  await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  await request();
  await request();
  const { rows } = await sql<{ recipient: string }>`select recipient from directory.emails
    where kind = 'support-access' and data ->> 'tenantId' = ${tenant.tenantId}`.execute(admin);
  expect(rows).toEqual([{ recipient: tenant.email }]);
});

test('403 after an owner declined or took an approval back, and with the policy never; 200 with allowed', async () => {
  const { tenant, act, request, decide, at, operator } = await aScene();
  const first = await request();
  await decide(first.id, 'decline');
  expect(outcome(await act())).toEqual([403, 'support_access_required']);
  expect(outcome(await decide(first.id, 'approve', {}))).toEqual([409, 'request_already_decided']);
  const second = await request();
  await decide(second.id, 'approve', {});
  expect((await act()).statusCode).toBe(200);
  await decide(second.id, 'decline');
  expect(outcome(await act())).toEqual([403, 'support_access_required']);

  expect((await tenant.patch('/support-access', { policy: 'never' })).statusCode).toBe(200);
  expect(outcome(await act())).toEqual([403, 'support_access_disabled']);
  expect(outcome(await operator.post(`${at}/support-requests`, { reason }))).toEqual([403, 'support_access_disabled']);
  await tenant.patch('/support-access', { policy: 'allowed' });
  expect((await act()).statusCode).toBe(200);
  expect(outcome(await operator.post(`${at}/support-requests`, { reason }))).toEqual([
    409,
    'support_access_already_allowed',
  ]);
});

test('403 to everybody but an owner who signed in a moment ago, and to the operator in their place', async () => {
  const { tenant, act, request } = await aScene();
  const { id } = await request();
  const approve = `/support-access/requests/${id}/approve`;
  const manager = await aUser([{ tenantId: tenant.tenantId, roles: ['admin'] }]);
  expect(outcome(await manager.post(approve, {}))).toEqual([403, 'permission_missing']);
  const old = { auth_time: Math.floor(Date.now() / 1_000) - 600 };
  const tired = await aUser([{ tenantId: tenant.tenantId, roles: ['owner'] }], old);
  expect(outcome(await tired.post(approve, {}))).toEqual([403, 'step_up_required']);
  await tenant.patch('/support-access', { policy: 'allowed' });
  const { accessToken } = (await act()).json<{ accessToken: string }>();
  const lent = as({ authorization: `Bearer ${accessToken}` });
  expect(outcome(await lent.post(approve, {}))).toEqual([403, 'permission_missing']);
});

test('403 in a member’s place for what would outlive it: endpoints, actions, models, keys, roles', async () => {
  const { tenant, act } = await aScene();
  await tenant.patch('/support-access', { policy: 'allowed' });
  const { accessToken } = (await act()).json<{ accessToken: string }>();
  const lent = as({ authorization: `Bearer ${accessToken}` });
  for (const [path, body] of [
    ['/webhooks', { url: 'https://example.com', eventTypes: ['*'] }],
    [`/bots/${tenant.botId}/actions`, {}],
    ['/models', {}],
    ['/api-keys', { name: 'Key', keyType: 'secret_server' }],
    ['/invitations', { email: 'a@example.com', roles: ['viewer'] }],
  ] as const)
    expect(outcome(await lent.post(path, body)), path).toEqual([403, 'permission_missing']);
  expect((await lent.get('/bots')).statusCode).toBe(200);
});
