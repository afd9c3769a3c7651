import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { aPerson, signIn } from '../../../../test/identity/people.ts';
import { anIp, rightPassword } from '../../../../test/identity/accounts-fixture.ts';
import { admin, aTenant, services, inside, openApi, type Response } from '../../../../test/harness.ts';
import { inPool } from '../../../platform/pool.ts';
import { writeInvitationToken } from '../../members/index.ts';
import { createToken } from '../one-time-tokens.store.ts';

// Signing up with another person's email address, or having a link sent to it, must not give access to an account or
// tenant.

const api = await openApi({ SIGNUP: 'open' });
afterAll(api.close);

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'POST', url, payload, headers, remoteAddress: anIp() });
const outcome = (response: Response) => [
  response.statusCode,
  response.json<{ error?: { reason: string } }>().error?.reason,
];
const login = (email: string, password: string) => post('/auth/login', { email, password });
const chosenPassword = 'violet thunder over Lisbon';

/** The token of the link in the email. */
async function confirmToken(email: string): Promise<string> {
  const { id } = await inPool(services.db, 'customer', (tx) =>
    tx.selectFrom('signups').select('id').where('email', '=', email).executeTakeFirstOrThrow(),
  );
  return inPool(services.db, 'customer', (tx) =>
    createToken(tx, { purpose: 'signup', seconds: 60, data: { signupId: id } }),
  );
}

test('returns 400 for a sign-up with a password, and accepts only the password set with the link', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const signUp = { email, name: 'Mallory', organisation: 'Not yours' };
  expect((await post('/auth/signup', { ...signUp, password: rightPassword })).statusCode).toBe(400);
  expect((await post('/auth/signup', signUp)).statusCode).toBe(202);
  const token = await confirmToken(email);
  expect((await post('/auth/email/verify', { token })).statusCode).toBe(400);
  expect(outcome(await post('/auth/email/verify', { token, password: 'short' }))[0]).toBe(400);
  expect((await post('/auth/email/verify', { token, password: chosenPassword })).statusCode).toBe(200);
  expect(outcome(await login(email, rightPassword))).toEqual([401, 'invalid_credentials']);
  expect((await login(email, chosenPassword)).statusCode).toBe(200);
  expect(outcome(await post('/auth/email/verify', { token, password: rightPassword }))).toEqual([409, 'link_expired']);
});

const emailsTo = async (email: string) =>
  (await sql`select from directory.emails where recipient = ${email}`.execute(admin)).rows;

test('sends the confirmation email again, at most three times an hour', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const signedUp = await post('/auth/signup', { email, name: 'Nora', organisation: 'Northlight' });
  const { signupId } = signedUp.json<{ signupId: string }>();
  expect(await emailsTo(email)).toHaveLength(1);
  for (const count of [2, 3, 4]) {
    const resent = await post('/auth/signup/resend', { signupId });
    expect([resent.statusCode, resent.json()]).toEqual([202, { status: 'accepted' }]);
    expect(await emailsTo(email)).toHaveLength(count);
  }
  expect(outcome(await post('/auth/signup/resend', { signupId }))).toEqual([429, 'too_many_requests']);
  expect(await emailsTo(email)).toHaveLength(4);
});

test('a resend returns the same 202 for an unknown sign-up and for a completed one, and sends nothing', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const signedUp = await post('/auth/signup', { email, name: 'Nora', organisation: 'Northlight' });
  const { signupId } = signedUp.json<{ signupId: string }>();
  await post('/auth/email/verify', { token: await confirmToken(email), password: chosenPassword });
  const [completed, unknown] = [
    await post('/auth/signup/resend', { signupId }),
    await post('/auth/signup/resend', { signupId: crypto.randomUUID() }),
  ];
  expect([completed.statusCode, completed.json()]).toEqual([unknown.statusCode, unknown.json()]);
  expect(completed.statusCode).toBe(202);
  expect(await emailsTo(email)).toHaveLength(1);
});

async function inviteByEmail(email: string) {
  const tenant = await aTenant();
  const response = await tenant.post('/invitations', { email, roles: ['admin'] });
  const { id } = response.json<{ invitation: { id: string } }>().invitation;
  const written = await inside(tenant.tenantId, (ctx) => writeInvitationToken(ctx, id));
  return { tenant, token: written?.token ?? '' };
}
const membersOf = (tenantId: string) =>
  admin.selectFrom('memberships').select(['userId', 'roles']).where('tenantId', '=', tenantId).execute();

test('returns 409 account_exists when an invitation for an existing account is accepted without signing in', async () => {
  const person = await aPerson('customer', (await aTenant()).tenantId);
  const { tenant, token } = await inviteByEmail(person.email);
  const form = { token, name: 'Mallory', password: chosenPassword };
  expect(outcome(await post('/auth/invitations/accept', form))).toEqual([409, 'account_exists']);
  expect(await membersOf(tenant.tenantId)).toHaveLength(1);
  expect((await login(person.email, chosenPassword)).statusCode).toBe(401);
});

test('joining returns 200 for the invited account, 401 without a session and 403 for another account', async () => {
  const person = await aPerson('customer', (await aTenant()).tenantId);
  const stranger = await aPerson('customer', (await aTenant()).tenantId);
  const { tenant, token } = await inviteByEmail(person.email);
  const join = async (account?: typeof person) => {
    const headers = account ? { authorization: `Bearer ${(await signIn(account)).accessToken}` } : {};
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

test('the preview returns the organisation, the email and whether an account exists, and 409 once the link was used', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { token } = await inviteByEmail(email);
  const preview = () => post('/auth/invitations/preview', { token });
  expect((await preview()).json()).toEqual({ organisation: 'Test', email, hasAccount: false });
  await post('/auth/invitations/accept', { token, name: 'Ada', password: chosenPassword });
  expect(outcome(await preview())).toEqual([409, 'link_expired']);
});
