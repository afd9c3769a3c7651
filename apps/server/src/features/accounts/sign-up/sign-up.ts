import { randomUUID } from 'node:crypto';
import { asSystem, inTenant, type Caller, type RequestInfo, type Session } from '../../../platform/context.ts';
import { conflict, forbidden } from '../../../platform/errors.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { queueEmail } from '../../../platform/emails.ts';
import { enterPool, recordPoolAudit } from '../../../platform/pool.ts';
import { acceptInvitation, addMember, describeInvitation, findInvitationByToken } from '../../members/index.ts';
import { createTenant } from '../../tenants/index.ts';
import type { Accounts } from '../accounts.ts';
import * as store from '../accounts.store.ts';
import { linkExpired, peekToken, consumeToken } from '../one-time-tokens.store.ts';
import { assertGoodPassword, hashPassword } from '../password/passwords.ts';
import { assertSignUpOpen, checkSignUp } from './sign-up-checks.ts';

export interface SignUpInput {
  email: string;
  name: string;
  organisation: string;
  locale: string;
  /** Required by SIGN_UP_CHECK: a solved challenge, or a CAPTCHA token. */
  proof?: string | undefined;
}

/**
 * Creates no account until the email address is verified; the response is the same if it already has one. The password is
 * set after verification: otherwise a stranger could set it and wait for the owner of the email address to confirm.
 */
export async function signUp(
  accounts: Accounts,
  { proof, ...person }: SignUpInput,
  requestInfo: Pick<RequestInfo, 'ip'>,
): Promise<{ signupId: string }> {
  const { pool, wakeMailer } = accounts;
  await checkSignUp(accounts, { email: person.email, proof }, requestInfo);
  const id = randomUUID();
  await pool.inPool(async (tx) => {
    await store.insertSignup(tx, { ...person, id });
    await queueEmail(tx, 'signup', person.email, { pool: pool.name, signupId: id, locale: person.locale });
  });
  wakeMailer();
  return { signupId: id };
}

/** Emails per sign-up, in addition to the first. The person who signed up may have entered someone else's address. */
const resendLimit = { name: 'sign-up-resends', points: 3, seconds: 3_600 };

/**
 * Sends the confirmation email again. The response is the same for an unknown sign-up and for one that was completed in
 * the meantime, because both would reveal whether the email address has an account.
 */
export async function resendSignUp(accounts: Accounts, signupId: string): Promise<void> {
  const { pool, wakeMailer } = accounts;
  assertSignUpOpen(accounts);
  await accounts.consume(resendLimit, signupId);
  await pool.inPool(async (tx) => {
    const signup = await store.findSignup(tx, signupId);
    if (!signup) return;
    await queueEmail(tx, 'signup', signup.email, { pool: pool.name, signupId, locale: signup.locale });
  });
  wakeMailer();
}

/** Finds the sign-up of a confirmation link that is still valid. */
export async function findSignUp({ pool }: Accounts, token: string) {
  const oneTimeToken = await pool.readPool((tx) => peekToken(tx, 'signup', token));
  return oneTimeToken && pool.readPool((tx) => store.findSignup(tx, String(oneTimeToken.data['signupId'])));
}

/** Creates the account and its tenant once the link in the email is opened. */
export async function confirmEmail(accounts: Accounts, token: string, password: string, requestInfo: RequestInfo) {
  const { pool, services } = accounts;
  const signup = await findSignUp(accounts, token);
  if (!signup) throw linkExpired();
  await assertGoodPassword(password, signup.email);
  const passwordHash = await hashPassword(pool.name, password);
  const [userId, tenantId] = [newId('user'), newId('tenant')];
  const self: Caller = {
    ...asSystem(tenantId, 'sign-up'),
    actor: { type: 'user', id: userId },
    requestId: requestInfo.requestId,
  };
  await inTenant(services, self, async (ctx) => {
    await enterPool(ctx.tx, pool.name, async (tx) => {
      if (!(await consumeToken(tx, 'signup', token))) throw linkExpired();
      if (await store.findPersonByEmail(tx, signup.email)) throw linkExpired(); // another link was used in the meantime
      const { email, name, locale } = signup;
      await store.insertAccount(tx, { userId, email, name, locale, passwordHash });
      await store.deleteSignup(tx, signup.id);
      await recordPoolAudit(tx, {
        action: 'account.created',
        userId,
        actor: { type: 'user', id: userId },
        ip: requestInfo.ip,
        requestId: requestInfo.requestId,
        data: { by: 'sign-up' },
      });
    });
    await createTenant(ctx, { name: signup.organisation, plan: 'free' });
    await addMember(ctx, userId, ['owner'], () => {});
  });
  return { userId, tenantId, email: signup.email };
}

export interface AcceptInvitationInput {
  token: string;
  name: string;
  password: string;
  locale: string;
}

/** The details of an invitation, shown before it is accepted. Undefined if the link is not valid. */
export async function previewInvitation({ services, pool }: Accounts, token: string) {
  const found = await findInvitationByToken(services.db, token);
  if (!found) return undefined;
  const invitation = await inTenant(services, asSystem(found.tenantId, 'invitation'), (ctx) =>
    describeInvitation(ctx, found.invitationId),
  );
  if (invitation?.status !== 'open') return undefined;
  const account = await pool.readPool((tx) => store.findByEmail(tx, invitation.email));
  return { ...found, ...invitation, account };
}

/** For people without an account. The link was sent by email, so having it verifies the email address. */
export async function acceptInvitationWithNewAccount(
  accounts: Accounts,
  { token, name, password, locale }: AcceptInvitationInput,
  requestInfo: RequestInfo,
) {
  const { services, pool } = accounts;
  const invitation = await previewInvitation(accounts, token);
  if (!invitation) throw linkExpired();
  const { tenantId, invitationId, email, account } = invitation;
  if (account) throw accountExists();
  await assertGoodPassword(password, email);
  const passwordHash = await hashPassword(pool.name, password);
  const userId = newId('user');
  const roles = await inTenant(services, callerOf(tenantId, userId, requestInfo), async (ctx) => {
    await enterPool(ctx.tx, pool.name, async (tx) => {
      // A person who signs in through an external issuer has no account, but the email address is taken.
      if (await store.findPersonByEmail(tx, email)) throw accountExists();
      await store.insertAccount(tx, { userId, email, name, locale, passwordHash });
      await recordPoolAudit(tx, {
        action: 'account.created',
        userId,
        actor: { type: 'user', id: userId },
        ip: requestInfo.ip,
        requestId: requestInfo.requestId,
        data: { by: 'invitation', invitationId },
      });
    });
    return (await acceptInvitation(ctx, invitationId, userId, accounts.invalidateMember)).roles;
  });
  accounts.invalidateUser(userId);
  return { userId, tenantId, roles };
}

/**
 * For people with an account, who must be signed in: the link alone must not be enough for someone else who can read
 * their email.
 */
export async function joinTenant(accounts: Accounts, session: Session, token: string, requestInfo: RequestInfo) {
  const { services } = accounts;
  const userId = session.userId as Id<'user'>;
  const invitation = await previewInvitation(accounts, token);
  if (!invitation) throw linkExpired();
  const { tenantId, invitationId, account } = invitation;
  if (account?.userId !== userId)
    throw forbidden(
      'invitation_email_mismatch',
      'This invitation is for another email address. Sign in with that account.',
    );
  const { roles } = await inTenant(services, callerOf(tenantId, userId, requestInfo), (ctx) =>
    acceptInvitation(ctx, invitationId, userId, accounts.invalidateMember),
  );
  accounts.invalidateUser(userId);
  return { userId, tenantId, roles };
}

const callerOf = (tenantId: Id<'tenant'>, userId: string, { requestId }: RequestInfo): Caller => ({
  ...asSystem(tenantId, 'invitation'),
  actor: { type: 'user', id: userId },
  requestId,
});

const accountExists = () =>
  conflict('account_exists', 'This email address already has an account. Sign in to accept the invitation.');
