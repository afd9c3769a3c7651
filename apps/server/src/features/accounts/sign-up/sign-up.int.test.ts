import { afterAll, expect, test } from 'vitest';
import { aPerson, signIn } from '../../../../test/identity/people.ts';
import { anIp, rightPassword } from '../../../../test/identity/accounts-fixture.ts';
import { admin, aTenant, services, inside, openApi, type Response } from '../../../../test/harness.ts';
import { inPool } from '../../../platform/pool.ts';
import { writeInvitationToken } from '../../members/index.ts';
import { mint } from '../one-time-tokens.store.ts';

// Whoever signs up with somebody else's email address, or reads a link that was sent to it, gets into no account and no
// tenant by that alone.

const api = await openApi({ SIGNUP: 'open' });
afterAll(api.close);

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'POST', url, payload, headers, remoteAddress: anIp() });
const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const login = (email: string, password: string) => post('/auth/login', { email, password });
const chosen = 'violet thunder over Lisbon';

/** As the email brings it. */
async function confirmToken(email: string): Promise<string> {
  const { id } = await inPool(services.db, 'customer', (tx) =>
    tx.selectFrom('signups').select('id').where('email', '=', email).executeTakeFirstOrThrow(),
  );
  return inPool(services.db, 'customer', (tx) => mint(tx, { purpose: 'signup', seconds: 60, data: { signupId: id } }));
}

test('400 when a password comes with the sign-up, and only the one chosen with the link opens the account', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const signUp = { email, name: 'Mallory', organisation: 'Not yours' };
  expect((await post('/auth/signup', { ...signUp, password: rightPassword })).statusCode).toBe(400);
  expect((await post('/auth/signup', signUp)).statusCode).toBe(202);
  const token = await confirmToken(email);
  expect((await post('/auth/email/verify', { token })).statusCode).toBe(400);
  expect(outcome(await post('/auth/email/verify', { token, password: 'short' }))[0]).toBe(400);
  expect((await post('/auth/email/verify', { token, password: chosen })).statusCode).toBe(200);
  expect(outcome(await login(email, rightPassword))).toEqual([401, 'invalid_credentials']);
  expect((await login(email, chosen)).statusCode).toBe(200);
  expect(outcome(await post('/auth/email/verify', { token, password: rightPassword }))).toEqual([409, 'link_expired']);
});

async function invited(email: string) {
  const tenant = await aTenant();
  const response = await tenant.post('/invitations', { email, roles: ['admin'] });
  const { id } = response.json<{ invitation: { id: string } }>().invitation;
  const made = await inside(tenant.tenantId, (ctx) => writeInvitationToken(ctx, id));
  return { tenant, token: made?.token ?? '' };
}
const membersOf = (tenantId: string) =>
  admin.selectFrom('memberships').select(['userId', 'roles']).where('tenantId', '=', tenantId).execute();

test('409 account_exists when the link of an invitation is all that somebody with an account brings', async () => {
  const person = await aPerson('customer', (await aTenant()).tenantId);
  const { tenant, token } = await invited(person.email);
  const form = { token, name: 'Mallory', password: chosen };
  expect(outcome(await post('/auth/invitations/accept', form))).toEqual([409, 'account_exists']);
  expect(await membersOf(tenant.tenantId)).toHaveLength(1);
  expect((await login(person.email, chosen)).statusCode).toBe(401);
});

test('200 when its owner is signed in; 401 without a session, 403 for anybody else', async () => {
  const person = await aPerson('customer', (await aTenant()).tenantId);
  const stranger = await aPerson('customer', (await aTenant()).tenantId);
  const { tenant, token } = await invited(person.email);
  const join = async (who?: typeof person) => {
    const headers = who ? { authorization: `Bearer ${(await signIn(who)).accessToken}` } : {};
    return post('/auth/invitations/join', { token }, headers);
  };
  expect(outcome(await join())).toEqual([401, 'credential_missing']);
  expect(outcome(await join(stranger))).toEqual([403, 'invitation_email_mismatch']);
  expect(await membersOf(tenant.tenantId)).toHaveLength(1);
  const joined = await join(person);
  expect([joined.statusCode, joined.json()]).toMatchObject([200, { tenantId: tenant.tenantId, roles: ['admin'] }]);
  expect(await membersOf(tenant.tenantId)).toContainEqual({ userId: person.userId, roles: ['admin'] });
  expect(outcome(await join(person))).toEqual([409, 'link_expired']);
});

test('200: the preview names organisation, address and whether there is an account; 409 once the link has expired', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { token } = await invited(email);
  const preview = () => post('/auth/invitations/preview', { token });
  expect((await preview()).json()).toEqual({ organisation: 'Test', email, hasAccount: false });
  await post('/auth/invitations/accept', { token, name: 'Ada', password: chosen });
  expect(outcome(await preview())).toEqual([409, 'link_expired']);
});
