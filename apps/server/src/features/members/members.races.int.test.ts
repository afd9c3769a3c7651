import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  admin,
  aTenant,
  aUser,
  inside,
  send,
  countLockWaits,
  type Response,
  type TestTenant,
} from '../../../test/harness.ts';
import type { AppError } from '../../platform/errors.ts';
import { acceptInvitation, writeInvitationToken } from './index.ts';
import type { Invitation, Member } from './members.contract.ts';

/**
 * Runs two operations concurrently. A row lock on the event stream stops the first at its last step, before it commits; the
 * second reads while the first is waiting, unless a lock makes it wait too.
 */
async function runConcurrently<A, B>({ tenantId }: TestTenant, first: () => Promise<A>, second: () => Promise<B>) {
  const { results } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenantId} for update`.execute(tx);
    const one = first();
    await expect.poll(countLockWaits).toBe(1);
    const two = second();
    await expect.poll(countLockWaits).toBe(2);
    return { results: Promise.all([one, two]) }; // wrapped, so that it is not awaited before the lock is released
  });
  return results;
}

const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const aMember = ({ tenantId }: TestTenant, ...roles: string[]) => aUser([{ tenantId, roles }]);
const ownersOf = async (tenant: TestTenant) =>
  (await admin.selectFrom('memberships').select(['userId', 'roles']).where('tenantId', '=', tenant.tenantId).execute())
    .filter(({ roles }) => roles.includes('owner'))
    .map(({ userId }) => userId);
const invite = async (tenant: TestTenant, email: string) =>
  (await tenant.post('/invitations', { email, roles: ['viewer'] })).json<{ invitation: Invitation }>().invitation;
const revoke = (tenant: TestTenant, id: string) => send('DELETE', `/invitations/${id}`, tenant.headers);
const accept = ({ tenantId }: TestTenant, id: string, { userId }: Pick<Member, 'userId'>) =>
  inside(tenantId, (ctx) => acceptInvitation(ctx, id, userId)).then(
    () => 'accepted',
    (error: AppError) => error.reason,
  );
const published = async (id: string) =>
  (await sql`select from directory.invitations where invitation_id = ${id}`.execute(admin)).rows.length;

test('returns 409 last_owner when two owners demote each other concurrently', async () => {
  const tenant = await aTenant();
  const other = await aMember(tenant, 'owner');
  const [first, second] = await runConcurrently(
    tenant,
    () => tenant.patch(`/members/${other.userId}`, { roles: ['admin'] }),
    () => other.patch(`/members/${tenant.userId}`, { roles: ['admin'] }),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 409, 'last_owner']);
  expect(await ownersOf(tenant)).toEqual([tenant.userId]);
});

test('returns 409 last_owner when two owners remove each other concurrently', async () => {
  const tenant = await aTenant();
  const other = await aMember(tenant, 'owner');
  const [first, second] = await runConcurrently(
    tenant,
    () => send('DELETE', `/members/${other.userId}`, tenant.headers),
    () => send('DELETE', `/members/${tenant.userId}`, other.headers),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 409, 'last_owner']);
  expect(await ownersOf(tenant)).toEqual([tenant.userId]);
});

test('returns 404 member_not_found and keeps the owner when the new owner is removed concurrently', async () => {
  const tenant = await aTenant();
  const [tenantAdmin, newOwner] = [await aMember(tenant, 'admin'), await aMember(tenant, 'viewer')];
  const [first, second] = await runConcurrently(
    tenant,
    () => send('DELETE', `/members/${newOwner.userId}`, tenantAdmin.headers),
    () => tenant.post(`/members/${newOwner.userId}/transfer-ownership`),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 404, 'member_not_found']);
  expect(await ownersOf(tenant)).toEqual([tenant.userId]);
});

test('returns 403 role_too_low when an owner who is being demoted invites another owner', async () => {
  const tenant = await aTenant();
  const demoted = await aMember(tenant, 'owner');
  const [first, second] = await runConcurrently(
    tenant,
    () => tenant.patch(`/members/${demoted.userId}`, { roles: ['admin'] }),
    () => demoted.post('/invitations', { email: 'friend@example.com', roles: ['owner'] }),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 403, 'role_too_low']);
});

test('returns 409 plan_limit_reached when two concurrent invitations need the last seat', async () => {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  await admin.insertInto('entitlementOverrides').values({ tenantId, name: 'members.max', value: 2 }).execute();
  const [first, second] = await runConcurrently(
    tenant,
    () => tenant.post('/invitations', { email: 'one@example.com', roles: ['viewer'] }),
    () => tenant.post('/invitations', { email: 'two@example.com', roles: ['viewer'] }),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([201, 409, 'plan_limit_reached']);
});

test('an invitation cannot be both revoked and accepted', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const [one, two] = [await invite(tenant, 'one@example.com'), await invite(tenant, 'two@example.com')];
  const [revoked, tooLate] = await runConcurrently(
    tenant,
    () => revoke(tenant, one.id),
    () => accept(tenant, one.id, person),
  );
  expect([revoked.statusCode, tooLate]).toEqual([200, 'invitation_not_open']);
  const [accepted, refused] = await runConcurrently(
    tenant,
    () => accept(tenant, two.id, person),
    () => revoke(tenant, two.id),
  );
  expect([accepted, ...refusal(refused)]).toEqual(['accepted', 409, 'invitation_not_open']);
});

test('an invitation accepted twice concurrently adds one member', async () => {
  const tenant = await aTenant();
  const [first, second] = [await aUser([]), await aUser([])];
  const { id } = await invite(tenant, first.email);
  const results = await runConcurrently(
    tenant,
    () => accept(tenant, id, first),
    () => accept(tenant, id, second),
  );
  expect(results).toEqual(['accepted', 'invitation_not_open']);
  expect((await tenant.get('/members')).json().data).toHaveLength(2);
});

test('does not publish a link for an invitation that ends while its email is rendered or resent', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const [one, two] = [await invite(tenant, 'one@example.com'), await invite(tenant, 'two@example.com')];
  const [, email] = await runConcurrently(
    tenant,
    () => revoke(tenant, one.id),
    () => inside(tenant.tenantId, (ctx) => writeInvitationToken(ctx, one.id)),
  );
  expect([email, await published(one.id)]).toEqual([undefined, 0]);
  const [, resent] = await runConcurrently(
    tenant,
    () => accept(tenant, two.id, person),
    () => tenant.post(`/invitations/${two.id}/resend`),
  );
  expect([...refusal(resent), await published(two.id)]).toEqual([409, 'invitation_not_open', 0]);
});
