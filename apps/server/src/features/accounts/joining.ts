import { randomUUID } from 'node:crypto';
import { asSystem, inTenant, type Caller, type From } from '../../platform/context.ts';
import { conflict, forbidden, invalid } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import { queueLetter } from '../../platform/letters.ts';
import { enterPool, noteInPool } from '../../platform/pool.ts';
import { acceptInvitation, addMember, describeInvitation, findInvitationByToken } from '../members/index.ts';
import { createTenant } from '../tenants/index.ts';
import type { Accounts } from './accounts.ts';
import * as store from './accounts.store.ts';
import { linkExpired, peek, take } from './one-time.ts';
import { assertGoodPassword, hashPassword } from './passwords.ts';

export interface SignUp {
  email: string;
  password: string;
  name: string;
  organisation: string;
  locale: string;
}

/** Nothing exists until the address is proved, and the answer is the same for an address that has an account. */
export async function signUp({ pool, config, wakePostman }: Accounts, { password, ...who }: SignUp): Promise<void> {
  if (config.SIGNUP !== 'open')
    throw forbidden('signup_closed', 'Accounts are made by invitation here. Ask your organisation for one.');
  assertGoodPassword(password, who.email);
  const passwordHash = await hashPassword(pool.name, password);
  const id = randomUUID();
  await pool.inPool(async (tx) => {
    await store.insertSignup(tx, { ...who, id, passwordHash });
    await queueLetter(tx, 'signup', who.email, { pool: pool.name, signupId: id, locale: who.locale });
  });
  wakePostman();
}

/** The link in their letter: now there is a tenant, and they own it. */
export async function confirmEmail({ pool, ground }: Accounts, token: string, from: From) {
  const carried = await pool.inPool((tx) => peek(tx, 'signup', token));
  const signup = carried && (await pool.inPool((tx) => store.findSignup(tx, String(carried.data['signupId']))));
  if (!signup) throw linkExpired();
  const [userId, tenantId] = [newId('user'), newId('tenant')];
  const self: Caller = {
    ...asSystem(tenantId, 'sign-up'),
    actor: { type: 'user', id: userId },
    requestId: from.requestId,
  };
  await inTenant(ground, self, async (ctx) => {
    await enterPool(ctx.tx, pool.name, async (tx) => {
      if (!(await take(tx, 'signup', token))) throw linkExpired();
      if (await store.findPersonByEmail(tx, signup.email)) throw linkExpired(); // somebody was quicker, with another link
      const { email, name, locale, passwordHash } = signup;
      await store.insertAccount(tx, { userId, email, name, locale, passwordHash });
      await store.deleteSignup(tx, signup.id);
      await noteInPool(tx, {
        action: 'account.created',
        userId,
        actor: { type: 'user', id: userId },
        address: from.address,
        requestId: from.requestId,
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
  name?: string | undefined;
  password?: string | undefined;
  locale: string;
}

/** What the page says of an invitation before it is taken up. */
export async function lookAtInvitation({ ground, pool }: Accounts, token: string) {
  const found = await findInvitationByToken(ground.db, token);
  if (!found) return undefined;
  const seen = await inTenant(ground, asSystem(found.tenantId, 'invitation'), (ctx) =>
    describeInvitation(ctx, found.invitationId),
  );
  if (seen?.status !== 'open') return undefined;
  const account = await pool.inPool((tx) => store.findByEmail(tx, seen.email));
  return { ...found, ...seen, account };
}

/**
 * The link came to their mailbox, so holding it proves the address: somebody with an account need not prove more to be
 * added to one more tenant, and somebody without one makes it here.
 */
export async function takeUpInvitation(accounts: Accounts, { token, name, password, locale }: Acceptance, from: From) {
  const { ground, pool } = accounts;
  const invitation = await lookAtInvitation(accounts, token);
  if (!invitation) throw linkExpired();
  const { tenantId, invitationId, email, account } = invitation;
  if (account?.isDisabled)
    throw forbidden('account_disabled', 'This account is disabled. Ask the operator of this service.');
  if (account && password !== undefined)
    throw conflict('account_exists', 'You have an account with this address. Accept without a password, then sign in.');
  let passwordHash: string | undefined;
  if (!account) {
    if (!name || password === undefined)
      throw invalid('invalid_fields', [
        ...(name ? [] : [{ path: '/name', message: 'Say what you are called.' }]),
        ...(password === undefined ? [{ path: '/password', message: 'Choose a password.' }] : []),
      ]);
    assertGoodPassword(password, email);
    passwordHash = await hashPassword(pool.name, password);
  }
  const userId = (account?.userId ?? newId('user')) as Id<'user'>;
  const self: Caller = {
    ...asSystem(tenantId, 'invitation'),
    actor: { type: 'user', id: userId },
    requestId: from.requestId,
  };
  const roles = await inTenant(ground, self, async (ctx) => {
    if (passwordHash !== undefined) {
      const made = { userId, email, name: name ?? '', locale, passwordHash };
      await enterPool(ctx.tx, pool.name, async (tx) => {
        // Known through another issuer: the person is there, only the account is new.
        const person = await store.findPersonByEmail(tx, email);
        if (person)
          throw conflict('account_exists', 'You sign in with your organisation. Do so, then open this link again.');
        await store.insertAccount(tx, made);
        await noteInPool(tx, {
          action: 'account.created',
          userId,
          actor: { type: 'user', id: userId },
          address: from.address,
          requestId: from.requestId,
          data: { by: 'invitation', invitationId },
        });
      });
    }
    return (await acceptInvitation(ctx, invitationId, userId, accounts.forgetMember)).roles;
  });
  accounts.forgetUser(userId);
  return { userId, tenantId, roles };
}
