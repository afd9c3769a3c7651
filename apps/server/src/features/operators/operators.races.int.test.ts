import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import {
  admin,
  allowSupport,
  anOperator,
  as,
  aTenant,
  services,
  countLockWaits,
  type Response,
} from '../../../test/harness.ts';
import { asSystem, inTenant } from '../../platform/context.ts';
import { endImpersonation, findImpersonation } from './impersonation/impersonation.service.ts';
import * as service from './operators.service.ts';

/**
 * Two at the same moment. What is held stops the first at its last step, when it has looked and changed but not
 * committed; the second looks while the first stands there, unless a lock makes it wait.
 */
async function atOnce<A, B>(hold: ReturnType<typeof sql>, first: () => Promise<A>, then: () => Promise<B>) {
  const { replies } = await admin.transaction().execute(async (tx) => {
    await hold.execute(tx);
    const one = first();
    await expect.poll(countLockWaits).toBe(1);
    const two = then();
    await expect.poll(countLockWaits).toBe(2);
    return { replies: Promise.all([one, two]) }; // wrapped: not to be waited for before the hold ends
  });
  return replies;
}
/** No entry is written, and an entry is what every change of an operator ends with. */
const log = sql`lock table admin_pool.audit_entries in share mode`;

const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
type Operator = Awaited<ReturnType<typeof anOperator>>;
const disable = (who: Operator, { userId }: { userId: string }) =>
  who.post(`/admin/users/${userId}/disable`, { pool: 'admin', reason: 'For the test' });
const demote = (who: Operator, { userId }: { userId: string }) =>
  who.patch(`/admin/users/${userId}`, { roles: ['support'] });

const adminsLeft = async () =>
  (
    await sql<{ userId: string }>`select user_id from directory.users where disabled_at is null
      and 'platform_admin' = any (platform_roles)`.execute(admin)
  ).rows.map(({ userId }) => userId);

// Each test has the only admins there are.
beforeEach(async () => {
  await sql`update directory.users set platform_roles = '{auditor}' where pool = 'admin'`.execute(admin);
});

test('409 last_platform_admin: neither disabled nor demoted, not even by themselves; one who is disabled is none', async () => {
  const [last, other] = [await anOperator(), await anOperator()];
  expect((await disable(last, other)).statusCode).toBe(200);
  expect(refusal(await demote(last, last))).toEqual([409, 'last_platform_admin']);
  expect((await last.patch(`/admin/users/${last.userId}`, { roles: ['platform_admin', 'auditor'] })).statusCode).toBe(
    200,
  );
  // Who is remembered for seconds as an admin, and is none any more.
  await sql`update directory.users set disabled_at = null where user_id = ${other.userId}`.execute(admin);
  const third = await anOperator();
  expect((await third.get('/admin/me')).statusCode).toBe(200);
  for (const { userId } of [other, third])
    await sql`update directory.users set platform_roles = '{support}' where user_id = ${userId}`.execute(admin);
  expect(refusal(await disable(third, last))).toEqual([409, 'last_platform_admin']);
  expect(await adminsLeft()).toEqual([last.userId]);
});

test.each([
  ['disable each other', disable, disable],
  ['demote each other', demote, demote],
  ['disable and demote each other', disable, demote],
])('409 last_platform_admin, also when the last two %s at once', async (_what, first, then) => {
  const [one, two] = [await anOperator(), await anOperator()];
  const [done, refused] = await atOnce(
    log,
    () => first(one, two),
    () => then(two, one),
  );
  expect([done.statusCode, ...refusal(refused)]).toEqual([200, 409, 'last_platform_admin']);
  expect(await adminsLeft()).toEqual([one.userId]);
});

test('403 permission_missing: of three, who is being disabled disables nobody', async () => {
  const [one, two, three] = [await anOperator(), await anOperator(), await anOperator()];
  const [done, refused] = await atOnce(
    log,
    () => disable(one, two),
    () => disable(two, one),
  );
  expect([done.statusCode, ...refusal(refused)]).toEqual([200, 403, 'permission_missing']);
  expect((await adminsLeft()).sort()).toEqual([one.userId, three.userId].sort());
});

async function lending() {
  const [tenant, boss, operator] = [await aTenant(), await anOperator(), await anOperator('support')];
  await allowSupport(tenant);
  const body = { userId: tenant.userId, reason: 'For the test' };
  const start = () => operator.post(`/admin/tenants/${tenant.tenantId}/impersonate`, body);
  const stream = sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`;
  const isOpen = async (res: Response) => {
    const { accessToken } = res.json<{ accessToken: string }>();
    return (await as({ authorization: `Bearer ${accessToken}` }).get('/workspaces')).statusCode;
  };
  return { tenant, boss, operator, start, stream, isOpen };
}

test.each([
  ['disabled', disable],
  [
    'demoted',
    (who: Operator, { userId }: { userId: string }) => who.patch(`/admin/users/${userId}`, { roles: ['auditor'] }),
  ],
])('401: a token that was made while its operator was being %s ends with the rest', async (_what, act) => {
  const { boss, operator, start, stream, isOpen } = await lending();
  const [made, done] = await atOnce(stream, start, () => act(boss, operator));
  expect([made.statusCode, done.statusCode]).toEqual([200, 200]);
  expect(await isOpen(made)).toBe(401);
});

test('403 permission_missing: no token is made for an operator who is being disabled', async () => {
  const { tenant, boss, operator, start } = await lending();
  const [done, refused] = await atOnce(log, () => disable(boss, operator), start);
  expect([done.statusCode, ...refusal(refused)]).toEqual([200, 403, 'permission_missing']);
  const { rows } = await sql`select from customer_pool.sessions where user_id = ${tenant.userId}`.execute(admin);
  expect(rows).toEqual([]);
});

test('every node is told, after the commit and not without one', async () => {
  const { tenant, boss, operator, start } = await lending();
  const told: string[] = [];
  const parts: service.Parts = {
    services,
    invalidateUser: (pool, id) => void told.push(`${pool} ${id}`),
    invalidateSession: (pool, id) => void told.push(`${pool} ${id}`),
    wakeMailer: () => void told.push('mailer'),
  };
  const actor = { type: 'operator' as const, id: boss.userId };
  const requestInfo = { ip: '127.0.0.1', userAgent: '', requestId: 'req_test' };
  const by = { operator: { actor, permissions: new Set<never>() }, requestInfo };
  const since = () => told.splice(0);
  const lent = async () => (await start()).json<{ sessionId: string }>().sessionId;

  let sessionId = await lent();
  await service.disablePerson(parts, by, 'admin', operator.userId, 'For the test');
  expect(since()).toEqual([`admin ${operator.userId}`, `customer ${sessionId}`]);
  await service.enablePerson(parts, by, 'admin', operator.userId);
  expect(since()).toEqual([`admin ${operator.userId}`]);
  sessionId = await lent();
  await service.changeRoles(parts, by, operator.userId, ['auditor']);
  expect(since()).toEqual([`admin ${operator.userId}`, `customer ${sessionId}`]);
  await service.changeRoles(parts, by, operator.userId, ['support']);
  expect(since()).toEqual([`admin ${operator.userId}`]);
  sessionId = await lent();
  await service.endPersonsSessions(parts, by, 'admin', operator.userId);
  expect(since()).toEqual([`admin ${operator.userId}`, `customer ${sessionId}`]);
  sessionId = await lent();
  const bySelf = { ...by, operator: { ...by.operator, actor: { ...actor, id: operator.userId } } };
  const found = await findImpersonation(parts, bySelf.operator, sessionId);
  for (const expected of [[`customer ${sessionId}`], []]) {
    await inTenant(services, asSystem(tenant.tenantId, 'test'), async (ctx) => {
      await endImpersonation(ctx, parts, bySelf, found);
      expect(told).toEqual([]);
    });
    expect(since()).toEqual(expected);
  }
  sessionId = await lent();
  await service.disablePerson(parts, by, 'customer', tenant.userId, 'For the test');
  expect(since()).toEqual([`customer ${tenant.userId}`, `customer ${sessionId}`]);

  const wanted = { email: 'new@parley.example', name: 'New', roles: ['auditor' as const], locale: 'en' as const };
  await service.createOperator(parts, by, wanted);
  expect(since()).toEqual(['mailer']);
  await expect(service.createOperator(parts, by, wanted)).rejects.toMatchObject({ constraint: 'email_taken' });
  await expect(service.disablePerson(parts, by, 'customer', operator.userId, 'For the test')).rejects.toMatchObject({
    reason: 'user_not_found',
  });
  expect(since()).toEqual([]);
});
