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
import { linkExpired, peek, take } from '../one-time-tokens.store.ts';
import { assertGoodPassword, hashPassword } from '../password/passwords.ts';
import { checkSignUp } from './sign-up-checks.ts';

export interface SignUp {
  email: string;
  name: string;
  organisation: string;
  locale: string;
  /** What SIGN_UP_CHECK asks for: a solved challenge, or the token of a CAPTCHA. */
  proof?: string | undefined;
}

/**
 * Nothing exists until the email address is proved, and the response is the same for one that has an account. The password
 * is chosen after that: one chosen before could be a stranger's, waiting for the owner of the address to confirm it.
 */
export async function signUp(
  accounts: Accounts,
  { proof, ...who }: SignUp,
  from: Pick<RequestInfo, 'ip'>,
): Promise<void> {
  const { pool, wakeMailer } = accounts;
  await checkSignUp(accounts, { email: who.email, proof }, from);
  const id = randomUUID();
  await pool.inPool(async (tx) => {
    await store.insertSignup(tx, { ...who, id });
    await queueEmail(tx, 'signup', who.email, { pool: pool.name, signupId: id, locale: who.locale });
  });
  wakeMailer();
}

/** What a link to confirm an email address is about, while it is good. */
export async function findSignUp({ pool }: Accounts, token: string) {
  const carried = await pool.inPool((tx) => peek(tx, 'signup', token));
  return carried && pool.inPool((tx) => store.findSignup(tx, String(carried.data['signupId'])));
}

/** The link in their email: now there is a tenant, and they own it. */
export async function confirmEmail(accounts: Accounts, token: string, password: string, requestInfo: RequestInfo) {
  const { pool, services } = accounts;
  const signup = await findSignUp(accounts, token);
  if (!signup) throw linkExpired();
  assertGoodPassword(password, signup.email);
  const passwordHash = await hashPassword(pool.name, password);
  const [userId, tenantId] = [newId('user'), newId('tenant')];
  const self: Caller = {
    ...asSystem(tenantId, 'sign-up'),
    actor: { type: 'user', id: userId },
    requestId: requestInfo.requestId,
  };
  await inTenant(services, self, async (ctx) => {
    await enterPool(ctx.tx, pool.name, async (tx) => {
      if (!(await take(tx, 'signup', token))) throw linkExpired();
      if (await store.findPersonByEmail(tx, signup.email)) throw linkExpired(); // somebody was quicker, with another link
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

export interface Acceptance {
  token: string;
  name: string;
  password: string;
  locale: string;
}

/** What the page says of an invitation before it is taken up. */
export async function lookAtInvitation({ services, pool }: Accounts, token: string) {
  const found = await findInvitationByToken(services.db, token);
  if (!found) return undefined;
  const seen = await inTenant(services, asSystem(found.tenantId, 'invitation'), (ctx) =>
    describeInvitation(ctx, found.invitationId),
  );
  if (seen?.status !== 'open') return undefined;
  const account = await pool.inPool((tx) => store.findByEmail(tx, seen.email));
  return { ...found, ...seen, account };
}

/** For somebody without an account: the link came to their mailbox, so holding it proves the email address. */
export async function takeUpInvitation(
  accounts: Accounts,
  { token, name, password, locale }: Acceptance,
  requestInfo: RequestInfo,
) {
  const { services, pool } = accounts;
  const invitation = await lookAtInvitation(accounts, token);
  if (!invitation) throw linkExpired();
  const { tenantId, invitationId, email, account } = invitation;
  if (account) throw accountExists();
  assertGoodPassword(password, email);
  const passwordHash = await hashPassword(pool.name, password);
  const userId = newId('user');
  const roles = await inTenant(services, callerOf(tenantId, userId, requestInfo), async (ctx) => {
    await enterPool(ctx.tx, pool.name, async (tx) => {
      // Known through an external issuer: the person is there, only the account is new.
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
 * For somebody with an account, who is signed in to it: whoever reads their mail, or once chose a password for their
 * address, does not get into the tenant by the link alone.
 */
export async function joinTenant(accounts: Accounts, session: Session, token: string, requestInfo: RequestInfo) {
  const { services } = accounts;
  const userId = session.userId as Id<'user'>;
  const invitation = await lookAtInvitation(accounts, token);
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
