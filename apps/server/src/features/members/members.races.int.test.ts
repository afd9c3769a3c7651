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
 * Two at the same moment. A held stream of events stops the first at its last step, when it has looked and changed but
 * not committed; the second looks while the first stands there, unless a lock makes it wait.
 */
async function atOnce<A, B>({ tenantId }: TestTenant, first: () => Promise<A>, second: () => Promise<B>) {
  const { replies } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenantId} for update`.execute(tx);
    const one = first();
    await expect.poll(countLockWaits).toBe(1);
    const two = second();
    await expect.poll(countLockWaits).toBe(2);
    return { replies: Promise.all([one, two]) }; // wrapped: not to be waited for before the stream is let go
  });
  return replies;
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

test('409 last_owner, also when two owners demote each other at once', async () => {
  const tenant = await aTenant();
  const other = await aMember(tenant, 'owner');
  const [first, second] = await atOnce(
    tenant,
    () => tenant.patch(`/members/${other.userId}`, { roles: ['admin'] }),
    () => other.patch(`/members/${tenant.userId}`, { roles: ['admin'] }),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 409, 'last_owner']);
  expect(await ownersOf(tenant)).toEqual([tenant.userId]);
});

test('409 last_owner, also when two owners remove each other at once', async () => {
  const tenant = await aTenant();
  const other = await aMember(tenant, 'owner');
  const [first, second] = await atOnce(
    tenant,
    () => send('DELETE', `/members/${other.userId}`, tenant.headers),
    () => send('DELETE', `/members/${tenant.userId}`, other.headers),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 409, 'last_owner']);
  expect(await ownersOf(tenant)).toEqual([tenant.userId]);
});

test('404 member_not_found: an owner stays one when the heir is removed at the same moment', async () => {
  const tenant = await aTenant();
  const [boss, heir] = [await aMember(tenant, 'admin'), await aMember(tenant, 'viewer')];
  const [first, second] = await atOnce(
    tenant,
    () => send('DELETE', `/members/${heir.userId}`, boss.headers),
    () => tenant.post(`/members/${heir.userId}/transfer-ownership`),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 404, 'member_not_found']);
  expect(await ownersOf(tenant)).toEqual([tenant.userId]);
});

test('403 role_too_low: nobody invites an owner while they are being demoted', async () => {
  const tenant = await aTenant();
  const fallen = await aMember(tenant, 'owner');
  const [first, second] = await atOnce(
    tenant,
    () => tenant.patch(`/members/${fallen.userId}`, { roles: ['admin'] }),
    () => fallen.post('/invitations', { email: 'friend@example.com', roles: ['owner'] }),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([200, 403, 'role_too_low']);
});

test('409 plan_limit_reached: two invitations at once cannot share the last place', async () => {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  await admin.insertInto('entitlementOverrides').values({ tenantId, name: 'members.max', value: 2 }).execute();
  const [first, second] = await atOnce(
    tenant,
    () => tenant.post('/invitations', { email: 'one@example.com', roles: ['viewer'] }),
    () => tenant.post('/invitations', { email: 'two@example.com', roles: ['viewer'] }),
  );
  expect([first.statusCode, ...refusal(second)]).toEqual([201, 409, 'plan_limit_reached']);
});

test('an invitation is either revoked or accepted, never both', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const [one, two] = [await invite(tenant, 'one@example.com'), await invite(tenant, 'two@example.com')];
  const [revoked, tooLate] = await atOnce(
    tenant,
    () => revoke(tenant, one.id),
    () => accept(tenant, one.id, person),
  );
  expect([revoked.statusCode, tooLate]).toEqual([200, 'invitation_not_open']);
  const [accepted, refused] = await atOnce(
    tenant,
    () => accept(tenant, two.id, person),
    () => revoke(tenant, two.id),
  );
  expect([accepted, ...refusal(refused)]).toEqual(['accepted', 409, 'invitation_not_open']);
});

test('an invitation makes one member, however often it is accepted at once', async () => {
  const tenant = await aTenant();
  const [first, second] = [await aUser([]), await aUser([])];
  const { id } = await invite(tenant, first.email);
  const replies = await atOnce(
    tenant,
    () => accept(tenant, id, first),
    () => accept(tenant, id, second),
  );
  expect(replies).toEqual(['accepted', 'invitation_not_open']);
  expect((await tenant.get('/members')).json().data).toHaveLength(2);
});

test('an invitation that ends while its email is written or sent again is not found by any link', async () => {
  const [tenant, person] = [await aTenant(), await aUser([])];
  const [one, two] = [await invite(tenant, 'one@example.com'), await invite(tenant, 'two@example.com')];
  const [, email] = await atOnce(
    tenant,
    () => revoke(tenant, one.id),
    () => inside(tenant.tenantId, (ctx) => writeInvitationToken(ctx, one.id)),
  );
  expect([email, await published(one.id)]).toEqual([undefined, 0]);
  const [, resent] = await atOnce(
    tenant,
    () => accept(tenant, two.id, person),
    () => tenant.post(`/invitations/${two.id}/resend`),
  );
  expect([...refusal(resent), await published(two.id)]).toEqual([409, 'invitation_not_open', 0]);
});
