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
const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const call = (path: string, body?: object, headers = {}) => send('POST', path, headers, body, api.app);
const take = (code: string) => call('/auth/impersonation', { code });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
interface Lent {
  accessToken: string;
  sessionId: string;
  userId: string;
  tenantId: string;
}

async function offered(role = 'support') {
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
const lentTo = async (userId: string) =>
  (await sql`select from customer_pool.sessions where user_id = ${userId} and operator_id is not null`.execute(admin))
    .rows.length;
const outlive = (code: string) =>
  sql`update customer_pool.one_time_tokens set expires_at = now() where hash = ${createHash('sha256').update(code).digest()}`.execute(
    admin,
  );

test('200: an address in the customer portal with a code for a minute, of which only the hash is kept', async () => {
  const { impersonationUrl, expiresIn, code, tenant } = await offered();
  expect(impersonationUrl).toBe(`${portalUrl}/impersonation?code=${code}`);
  expect(expiresIn).toBe(60);
  const { rows } = await sql<{ seconds: number; whole: string }>`
    select round(extract(epoch from expires_at - now()))::int as seconds, t::text as whole from customer_pool.one_time_tokens t
    where hash = ${createHash('sha256').update(code).digest()}`.execute(admin);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.seconds).toBeGreaterThan(50);
  expect(rows[0]?.whole).not.toContain(code);
  // Nobody is in anybody's place yet.
  expect(await lentTo(tenant.userId)).toBe(0);
});

test('200: the page reads who, in whose place and why, as often as it likes, before anything happens', async () => {
  const { code, tenant } = await offered();
  for (let n = 0; n < 2; n++)
    expect((await call('/auth/impersonation/preview', { code })).json()).toEqual({
      operatorName: 'Operator',
      name: 'Test Person',
      email: tenant.email,
      tenantName: 'Test',
      reason,
    });
  expect(await lentTo(tenant.userId)).toBe(0);
});

test('200 once: the code becomes a token for fifteen minutes that `GET /me` owns up to; 409 impersonation_link_expired after it', async () => {
  const { code, tenant, operator } = await offered();
  const res = await take(code);
  expect(res.statusCode, res.body).toBe(200);
  const lent = res.json<Lent>();
  expect(lent).toMatchObject({ tenantId: tenant.tenantId, userId: tenant.userId, expiresIn: 900 });
  const me = (await send('GET', '/me', bearer(lent.accessToken), undefined, api.app)).json<Me>();
  expect(me).toMatchObject({
    actor: { type: 'operator', id: operator.userId },
    impersonation: { operatorName: 'Operator', reason, expiresAt: expect.any(String) },
  });
  expect((await tenant.get('/me')).json<Me>().impersonation).toBeNull();
  expect(refusal(await take(code))).toEqual([409, 'impersonation_link_expired']);
  expect(refusal(await call('/auth/impersonation/preview', { code }))).toEqual([409, 'impersonation_link_expired']);
  expect(await lentTo(tenant.userId)).toBe(1);
});

test('of many who come with one code at once, one gets the token', async () => {
  const { code, tenant } = await offered();
  const responses = await Promise.all(Array.from({ length: 6 }, () => take(code)));
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  expect(responses.filter((response) => refusal(response)[1] === 'impersonation_link_expired')).toHaveLength(5);
  expect(await lentTo(tenant.userId)).toBe(1);
});

test('409 impersonation_link_expired after its minute, for one that was made up, and for a code of another purpose or pool', async () => {
  const { code, tenant } = await offered();
  await outlive(code);
  await sql`insert into customer_pool.one_time_tokens (hash, purpose, user_id, expires_at)
    values (${createHash('sha256').update('a reset').digest()}, 'reset', null, now() + interval '1 hour')`.execute(
    admin,
  );
  await sql`insert into admin_pool.one_time_tokens (hash, purpose, user_id, data, expires_at)
    select ${createHash('sha256').update('of the admins').digest()}, 'impersonation', null, data, now() + interval '1 hour'
    from customer_pool.one_time_tokens where purpose = 'impersonation' and user_id = ${tenant.userId}`.execute(admin);
  for (const wrong of [code, `${code.slice(0, -1)}x`, 'forged', 'a reset', 'of the admins'])
    for (const path of ['/auth/impersonation', '/auth/impersonation/preview'])
      expect(refusal(await call(path, { code: wrong })), `${path} ${wrong}`).toEqual([
        409,
        'impersonation_link_expired',
      ]);
  // And it opens nothing else.
  const fresh = await offered();
  const password = { token: fresh.code, password: 'correct horse battery staple' };
  expect((await call('/auth/password/reset', password)).statusCode).toBeGreaterThanOrEqual(400);
  expect(await lentTo(tenant.userId)).toBe(0);
});

test('403, 404, 409: not for an auditor, a stranger or a disabled member, nor by an operator who lost the role meanwhile', async () => {
  const [tenant, theirs, support] = [await aTenant(), await aTenant(), await anOperator('support')];
  await allowSupport(tenant);
  const path = `/admin/tenants/${tenant.tenantId}/impersonate/portal-link`;
  const auditor = await anOperator('auditor');
  const ask = (who: { headers: Record<string, string> }, userId: string) => call(path, { userId, reason }, who.headers);
  expect(refusal(await ask(auditor, tenant.userId))).toEqual([403, 'permission_missing']);
  for (const userId of [theirs.userId, newId('user')])
    expect(refusal(await ask(support, userId))).toEqual([404, 'member_not_found']);

  const { code, operator, tenant: other } = await offered();
  await sql`update directory.users set platform_roles = '{auditor}' where user_id = ${operator.userId}`.execute(admin);
  expect(refusal(await take(code))).toEqual([403, 'permission_missing']);
  expect(await lentTo(other.userId)).toBe(0);

  const { code: late, tenant: last } = await offered();
  await sql`update directory.users set disabled_at = now() where user_id = ${last.userId}`.execute(admin);
  expect(refusal(await take(late))).toEqual([409, 'member_disabled']);
  expect(await lentTo(last.userId)).toBe(0);
});

test('409 portal_not_configured: without an address of the portal nobody is led anywhere', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator('support')];
  const res = await operator.post(`/admin/tenants/${tenant.tenantId}/impersonate/portal-link`, {
    userId: tenant.userId,
    reason,
  });
  expect(refusal(res)).toEqual([409, 'portal_not_configured']);
});

test('200: the tenant and operators see who is there at this moment; it ends with the token it was lent with, and is told', async () => {
  const { code, tenant, operator } = await offered();
  const lent = (await take(code)).json<Lent>();
  const visit = {
    sessionId: lent.sessionId,
    userId: tenant.userId,
    name: 'Test Person',
    operatorName: 'Operator',
    reason,
  };
  expect((await tenant.get('/impersonations')).json()).toMatchObject({ data: [visit] });
  const mine = `/admin/impersonations?tenantId=${tenant.tenantId}`;
  const auditor = await anOperator('auditor');
  expect((await auditor.get(mine)).json()).toMatchObject({
    data: [{ ...visit, tenantId: tenant.tenantId, operatorId: operator.userId }],
  });
  const viewer = await aUser([{ tenantId: tenant.tenantId, roles: ['viewer'] }]);
  expect(refusal(await viewer.get('/impersonations'))).toEqual([403, 'permission_missing']);
  expect((await (await aTenant()).get('/impersonations')).json()).toEqual({ data: [], nextCursor: null });

  const asThem = as(bearer(lent.accessToken), api.app);
  expect((await asThem.post('/auth/impersonation/end')).json()).toEqual({ status: 'done' });
  await expect.poll(async () => (await asThem.get('/me')).statusCode, { timeout: 5_000 }).toBe(401);
  expect((await tenant.get('/impersonations')).json()).toEqual({ data: [], nextCursor: null });
  const log = (await tenant.get('/audit-log?limit=5')).json<{ data: { action: string; actor: unknown }[] }>().data;
  const actor = { type: 'operator', id: operator.userId };
  expect(log.slice(0, 2)).toMatchObject([
    { action: 'impersonation.ended', actor },
    { action: 'impersonation.started', actor },
  ]);
  expect(refusal(await tenant.post('/auth/impersonation/end'))).toEqual([403, 'not_impersonating']);
});
