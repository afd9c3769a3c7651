import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import {
  admin,
  allowSupport,
  anOperator,
  as,
  aTenant,
  aUser,
  openApi,
  send,
  type Response,
} from '../../../../test/harness.ts';
import { newId } from '../../../platform/ids.ts';
import type { Me } from '../../users/users.contract.ts';

const portalUrl = 'https://portal.example';
const api = await openApi({ PORTAL_URL: portalUrl });
afterAll(api.close);

const reason = 'Ticket 4711: the widget stays empty';
const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const call = (path: string, body?: object, headers = {}) => send('POST', path, headers, body, api.app);
const exchange = (code: string) => call('/auth/impersonation', { code });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
interface ImpersonationResponse {
  accessToken: string;
  sessionId: string;
  userId: string;
  tenantId: string;
}

async function createLink(role = 'support') {
  const [tenant, operator] = [await aTenant(), await anOperator(role)];
  await allowSupport(tenant);
  const { headers } = operator;
  const body = { userId: tenant.userId, reason };
  const res = await call(`/admin/tenants/${tenant.tenantId}/impersonate/portal-link`, body, headers);
  expect(res.statusCode, res.body).toBe(200);
  const { impersonationUrl, expiresIn } = res.json<{ impersonationUrl: string; expiresIn: number }>();
  const code = new URL(impersonationUrl).searchParams.get('code') ?? '';
  return { tenant, operator: { ...as(headers, api.app), userId: operator.userId }, impersonationUrl, expiresIn, code };
}
const countImpersonations = async (userId: string) =>
  (await sql`select from customer_pool.sessions where user_id = ${userId} and operator_id is not null`.execute(admin))
    .rows.length;
const expire = (code: string) =>
  sql`update customer_pool.one_time_tokens set expires_at = now() where hash = ${createHash('sha256').update(code).digest()}`.execute(
    admin,
  );

test('returns a customer portal URL with a one-minute code, and stores only its hash', async () => {
  const { impersonationUrl, expiresIn, code, tenant } = await createLink();
  expect(impersonationUrl).toBe(`${portalUrl}/impersonation?code=${code}`);
  expect(expiresIn).toBe(60);
  const { rows } = await sql<{ seconds: number; text: string }>`
    select round(extract(epoch from expires_at - now()))::int as seconds, t::text as text from customer_pool.one_time_tokens t
    where hash = ${createHash('sha256').update(code).digest()}`.execute(admin);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.seconds).toBeGreaterThan(50);
  expect(rows[0]?.text).not.toContain(code);
  // The link alone starts no impersonation.
  expect(await countImpersonations(tenant.userId)).toBe(0);
});

test('previews operator, member and reason any number of times without using the code', async () => {
  const { code, tenant } = await createLink();
  for (let n = 0; n < 2; n++)
    expect((await call('/auth/impersonation/preview', { code })).json()).toEqual({
      operatorName: 'Operator',
      name: 'Test Person',
      email: tenant.email,
      tenantName: 'Test',
      reason,
    });
  expect(await countImpersonations(tenant.userId)).toBe(0);
});

test('exchanges the code once for a 15-minute token, then returns 409 impersonation_link_expired', async () => {
  const { code, tenant, operator } = await createLink();
  const res = await exchange(code);
  expect(res.statusCode, res.body).toBe(200);
  const impersonation = res.json<ImpersonationResponse>();
  expect(impersonation).toMatchObject({ tenantId: tenant.tenantId, userId: tenant.userId, expiresIn: 900 });
  const me = (await send('GET', '/me', bearer(impersonation.accessToken), undefined, api.app)).json<Me>();
  expect(me).toMatchObject({
    actor: { type: 'operator', id: operator.userId },
    impersonation: { operatorName: 'Operator', reason, expiresAt: expect.any(String) },
  });
  expect((await tenant.get('/me')).json<Me>().impersonation).toBeNull();
  expect(errorOf(await exchange(code))).toEqual([409, 'impersonation_link_expired']);
  expect(errorOf(await call('/auth/impersonation/preview', { code }))).toEqual([409, 'impersonation_link_expired']);
  expect(await countImpersonations(tenant.userId)).toBe(1);
});

test('returns one token for concurrent exchanges of one code', async () => {
  const { code, tenant } = await createLink();
  const responses = await Promise.all(Array.from({ length: 6 }, () => exchange(code)));
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  expect(responses.filter((response) => errorOf(response)[1] === 'impersonation_link_expired')).toHaveLength(5);
  expect(await countImpersonations(tenant.userId)).toBe(1);
});

test('returns 409 impersonation_link_expired for expired or forged codes, and for codes of another purpose or pool', async () => {
  const { code, tenant } = await createLink();
  await expire(code);
  await sql`insert into customer_pool.one_time_tokens (hash, purpose, user_id, expires_at)
    values (${createHash('sha256').update('a reset').digest()}, 'reset', null, now() + interval '1 hour')`.execute(
    admin,
  );
  await sql`insert into admin_pool.one_time_tokens (hash, purpose, user_id, data, expires_at)
    select ${createHash('sha256').update('of the admins').digest()}, 'impersonation', null, data, now() + interval '1 hour'
    from customer_pool.one_time_tokens where purpose = 'impersonation' and user_id = ${tenant.userId}`.execute(admin);
  for (const wrong of [code, `${code.slice(0, -1)}x`, 'forged', 'a reset', 'of the admins'])
    for (const path of ['/auth/impersonation', '/auth/impersonation/preview'])
      expect(errorOf(await call(path, { code: wrong })), `${path} ${wrong}`).toEqual([
        409,
        'impersonation_link_expired',
      ]);
  // The code does not work for a password reset either.
  const fresh = await createLink();
  const password = { token: fresh.code, password: 'correct horse battery staple' };
  expect((await call('/auth/password/reset', password)).statusCode).toBeGreaterThanOrEqual(400);
  expect(await countImpersonations(tenant.userId)).toBe(0);
});

test('returns 403 to an auditor or an operator who lost the role, 404 for a non-member and 409 for a disabled member', async () => {
  const [tenant, otherTenant, support] = [await aTenant(), await aTenant(), await anOperator('support')];
  await allowSupport(tenant);
  const path = `/admin/tenants/${tenant.tenantId}/impersonate/portal-link`;
  const auditor = await anOperator('auditor');
  const requestLink = (client: { headers: Record<string, string> }, userId: string) =>
    call(path, { userId, reason }, client.headers);
  expect(errorOf(await requestLink(auditor, tenant.userId))).toEqual([403, 'permission_missing']);
  for (const userId of [otherTenant.userId, newId('user')])
    expect(errorOf(await requestLink(support, userId))).toEqual([404, 'member_not_found']);

  const { code, operator, tenant: other } = await createLink();
  await sql`update directory.users set platform_roles = '{auditor}' where user_id = ${operator.userId}`.execute(admin);
  expect(errorOf(await exchange(code))).toEqual([403, 'permission_missing']);
  expect(await countImpersonations(other.userId)).toBe(0);

  const { code: laterCode, tenant: disabledOwner } = await createLink();
  await sql`update directory.users set disabled_at = now() where user_id = ${disabledOwner.userId}`.execute(admin);
  expect(errorOf(await exchange(laterCode))).toEqual([409, 'member_disabled']);
  expect(await countImpersonations(disabledOwner.userId)).toBe(0);
});

test('returns 409 portal_not_configured without a portal URL', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const res = await operator.post(`/admin/tenants/${tenant.tenantId}/impersonate/portal-link`, {
    userId: tenant.userId,
    reason,
  });
  expect(errorOf(res)).toEqual([409, 'portal_not_configured']);
});

test('lists active impersonations to the tenant and to operators; the operator can end it with its token, which is audited', async () => {
  const { code, tenant, operator } = await createLink();
  const impersonation = (await exchange(code)).json<ImpersonationResponse>();
  const expected = {
    sessionId: impersonation.sessionId,
    userId: tenant.userId,
    name: 'Test Person',
    operatorName: 'Operator',
    reason,
  };
  expect((await tenant.get('/impersonations')).json()).toMatchObject({ data: [expected] });
  const listUrl = `/admin/impersonations?tenantId=${tenant.tenantId}`;
  const auditor = await anOperator('auditor');
  expect((await auditor.get(listUrl)).json()).toMatchObject({
    data: [{ ...expected, tenantId: tenant.tenantId, operatorId: operator.userId }],
  });
  const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  expect(errorOf(await viewer.get('/impersonations'))).toEqual([403, 'permission_missing']);
  expect((await (await aTenant()).get('/impersonations')).json()).toEqual({ data: [], nextCursor: null });

  const impersonator = as(bearer(impersonation.accessToken), api.app);
  expect((await impersonator.post('/auth/impersonation/end')).json()).toEqual({ status: 'done' });
  await expect.poll(async () => (await impersonator.get('/me')).statusCode, { timeout: 5_000 }).toBe(401);
  expect((await tenant.get('/impersonations')).json()).toEqual({ data: [], nextCursor: null });
  const log = (await tenant.get('/audit-log?limit=5')).json<{ data: { action: string; actor: unknown }[] }>().data;
  const actor = { type: 'operator', id: operator.userId };
  expect(log.slice(0, 2)).toMatchObject([
    { action: 'impersonation.ended', actor },
    { action: 'impersonation.started', actor },
  ]);
  expect(errorOf(await tenant.post('/auth/impersonation/end'))).toEqual([403, 'not_impersonating']);
});
