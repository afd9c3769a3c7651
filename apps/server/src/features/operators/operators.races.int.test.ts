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
 * Runs two requests concurrently. The blocker stops the first one at its last step, after its reads and writes but before
 * its commit. The second one runs meanwhile, unless a lock makes it wait.
 */
async function inParallel<A, B>(blocker: ReturnType<typeof sql>, first: () => Promise<A>, second: () => Promise<B>) {
  const { replies } = await admin.transaction().execute(async (tx) => {
    await blocker.execute(tx);
    const one = first();
    await expect.poll(countLockWaits).toBe(1);
    const two = second();
    await expect.poll(countLockWaits).toBe(2);
    return { replies: Promise.all([one, two]) }; // wrapped in an object, so that it is not awaited before the blocker is released
  });
  return replies;
}
/** Blocks audit entries, which are the last write of every operator change. */
const lockAuditLog = sql`lock table admin_pool.audit_entries in share mode`;

const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
type Operator = Awaited<ReturnType<typeof anOperator>>;
const disable = (client: Operator, { userId }: { userId: string }) =>
  client.post(`/admin/users/${userId}/disable`, { pool: 'admin', reason: 'For the test' });
const demote = (client: Operator, { userId }: { userId: string }) =>
  client.patch(`/admin/users/${userId}`, { roles: ['support'] });

const adminsLeft = async () =>
  (
    await sql<{ userId: string }>`select user_id from directory.users where disabled_at is null
      and 'platform_admin' = any (platform_roles)`.execute(admin)
  ).rows.map(({ userId }) => userId);

// Each test creates its own platform admins; there are no others.
beforeEach(async () => {
  await sql`update directory.users set platform_roles = '{auditor}' where pool = 'admin'`.execute(admin);
});

test('returns 409 last_platform_admin when the last active admin would be disabled or demoted', async () => {
  const [last, other] = [await anOperator(), await anOperator()];
  expect((await disable(last, other)).statusCode).toBe(200);
  expect(errorOf(await demote(last, last))).toEqual([409, 'last_platform_admin']);
  expect((await last.patch(`/admin/users/${last.userId}`, { roles: ['platform_admin', 'auditor'] })).statusCode).toBe(
    200,
  );
  // An operator who is still cached as an admin, but is none any more.
  await sql`update directory.users set disabled_at = null where user_id = ${other.userId}`.execute(admin);
  const third = await anOperator();
  expect((await third.get('/admin/me')).statusCode).toBe(200);
  for (const { userId } of [other, third])
    await sql`update directory.users set platform_roles = '{support}' where user_id = ${userId}`.execute(admin);
  expect(errorOf(await disable(third, last))).toEqual([409, 'last_platform_admin']);
  expect(await adminsLeft()).toEqual([last.userId]);
});

test.each([
  ['disable each other', disable, disable],
  ['demote each other', demote, demote],
  ['disable and demote each other', disable, demote],
])('returns 409 last_platform_admin when the last two concurrently %s', async (_title, first, second) => {
  const [one, two] = [await anOperator(), await anOperator()];
  const [done, refused] = await inParallel(
    lockAuditLog,
    () => first(one, two),
    () => second(two, one),
  );
  expect([done.statusCode, ...errorOf(refused)]).toEqual([200, 409, 'last_platform_admin']);
  expect(await adminsLeft()).toEqual([one.userId]);
});

test('returns 403 permission_missing to an admin who is being disabled concurrently', async () => {
  const [one, two, three] = [await anOperator(), await anOperator(), await anOperator()];
  const [done, refused] = await inParallel(
    lockAuditLog,
    () => disable(one, two),
    () => disable(two, one),
  );
  expect([done.statusCode, ...errorOf(refused)]).toEqual([200, 403, 'permission_missing']);
  expect((await adminsLeft()).sort()).toEqual([one.userId, three.userId].sort());
});

async function prepareImpersonation() {
  const [tenant, platformAdmin, operator] = [await aTenant(), await anOperator(), await anOperator('support')];
  await allowSupport(tenant);
  const body = { userId: tenant.userId, reason: 'For the test' };
  const start = () => operator.post(`/admin/tenants/${tenant.tenantId}/impersonate`, body);
  const stream = sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`;
  const isOpen = async (res: Response) => {
    const { accessToken } = res.json<{ accessToken: string }>();
    return (await as({ authorization: `Bearer ${accessToken}` }).get('/workspaces')).statusCode;
  };
  return { tenant, platformAdmin, operator, start, stream, isOpen };
}

test.each([
  ['disabled', disable],
  [
    'demoted',
    (client: Operator, { userId }: { userId: string }) =>
      client.patch(`/admin/users/${userId}`, { roles: ['auditor'] }),
  ],
])('returns 401 for a token that was created while its operator was being %s', async (_title, act) => {
  const { platformAdmin, operator, start, stream, isOpen } = await prepareImpersonation();
  const [started, done] = await inParallel(stream, start, () => act(platformAdmin, operator));
  expect([started.statusCode, done.statusCode]).toEqual([200, 200]);
  expect(await isOpen(started)).toBe(401);
});

test('returns 403 permission_missing instead of a token when the operator is being disabled', async () => {
  const { tenant, platformAdmin, operator, start } = await prepareImpersonation();
  const [done, refused] = await inParallel(lockAuditLog, () => disable(platformAdmin, operator), start);
  expect([done.statusCode, ...errorOf(refused)]).toEqual([200, 403, 'permission_missing']);
  const { rows } = await sql`select from customer_pool.sessions where user_id = ${tenant.userId}`.execute(admin);
  expect(rows).toEqual([]);
});

test('notifies other nodes only after the commit', async () => {
  const { tenant, platformAdmin, operator, start } = await prepareImpersonation();
  const calls: string[] = [];
  const deps: service.OperatorDeps = {
    services,
    invalidateUser: (pool, id) => void calls.push(`${pool} ${id}`),
    invalidateSession: (pool, id) => void calls.push(`${pool} ${id}`),
    wakeMailer: () => void calls.push('mailer'),
  };
  const actor = { type: 'operator' as const, id: platformAdmin.userId };
  const requestInfo = { ip: '127.0.0.1', userAgent: '', requestId: 'req_test' };
  const request = { operator: { actor, permissions: new Set<never>() }, requestInfo };
  const takeCalls = () => calls.splice(0);
  const startSession = async () => (await start()).json<{ sessionId: string }>().sessionId;

  let sessionId = await startSession();
  await service.disablePerson(deps, request, 'admin', operator.userId, 'For the test');
  expect(takeCalls()).toEqual([`admin ${operator.userId}`, `customer ${sessionId}`]);
  await service.enablePerson(deps, request, 'admin', operator.userId);
  expect(takeCalls()).toEqual([`admin ${operator.userId}`]);
  sessionId = await startSession();
  await service.changeRoles(deps, request, operator.userId, ['auditor']);
  expect(takeCalls()).toEqual([`admin ${operator.userId}`, `customer ${sessionId}`]);
  await service.changeRoles(deps, request, operator.userId, ['support']);
  expect(takeCalls()).toEqual([`admin ${operator.userId}`]);
  sessionId = await startSession();
  await service.endPersonsSessions(deps, request, 'admin', operator.userId);
  expect(takeCalls()).toEqual([`admin ${operator.userId}`, `customer ${sessionId}`]);
  sessionId = await startSession();
  const requestByOperator = { ...request, operator: { ...request.operator, actor: { ...actor, id: operator.userId } } };
  const found = await findImpersonation(deps, requestByOperator.operator, sessionId);
  for (const expected of [[`customer ${sessionId}`], []]) {
    await inTenant(services, asSystem(tenant.tenantId, 'test'), async (ctx) => {
      await endImpersonation(ctx, deps, requestByOperator, found);
      expect(calls).toEqual([]);
    });
    expect(takeCalls()).toEqual(expected);
  }
  sessionId = await startSession();
  await service.disablePerson(deps, request, 'customer', tenant.userId, 'For the test');
  expect(takeCalls()).toEqual([`customer ${tenant.userId}`, `customer ${sessionId}`]);

  const input = { email: 'new@parley.example', name: 'New', roles: ['auditor' as const], locale: 'en' as const };
  await service.createOperator(deps, request, input);
  expect(takeCalls()).toEqual(['mailer']);
  await expect(service.createOperator(deps, request, input)).rejects.toMatchObject({ constraint: 'email_taken' });
  await expect(service.disablePerson(deps, request, 'customer', operator.userId, 'For the test')).rejects.toMatchObject(
    {
      reason: 'user_not_found',
    },
  );
  expect(takeCalls()).toEqual([]);
});
