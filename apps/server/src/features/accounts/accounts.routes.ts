import { decodeJwt } from 'jose';
import type { Route } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Tokens } from '../pools/index.ts';
import * as contract from './accounts.contract.ts';
import type { Accounts } from './accounts.ts';
import { confirmEmail, signUp, takeUpInvitation } from './joining.ts';
import { routesOf } from './person-route.ts';
import { changePassword, forgotPassword, resetPassword } from './recovery.ts';
import * as sessions from './sessions.ts';
import { signIn, signInWithCode } from './sign-in.ts';

type Answer = Tokens & { userId: Id<'user'>; tenantId: Id<'tenant'> | null };
const done = { status: 'done' as const };
const accepted = { status: 'accepted' as const };

// One address may ask this often; wrong passwords are counted much harder, see attempts.ts.
const signInLimit = { name: 'sign-in-requests', points: 300, seconds: 60 };
const letterLimit = { name: 'letters', points: 10, seconds: 600 };

/** What the access token says besides: who, and where they begin. */
function withWho(tokens: Tokens): Answer {
  const { sub, tenant_id: tenantId } = decodeJwt<{ tenant_id?: Id<'tenant'> }>(tokens.accessToken);
  return { ...tokens, userId: sub as Id<'user'>, tenantId: tenantId ?? null };
}

export function accountRoutes(accounts: Accounts): Route[] {
  const { pool } = accounts;
  const { open, own } = routesOf(pool.name);
  return [
    open({
      method: 'POST',
      path: '/auth/login',
      name: 'signIn',
      summary: 'Sign in with a password',
      description:
        'With a second factor the answer is 401 `mfa_required`, and `details` holds an `mfaToken` for `POST /auth/login/mfa`. ' +
        'After some wrong passwords it is 429 for a while, alike for addresses that have no account.',
      limit: signInLimit,
      body: contract.SignIn,
      answer: contract.SignedIn,
      handler: async (body, from) => (await signIn(accounts, body, from)) as Answer,
    }),
    open({
      method: 'POST',
      path: '/auth/login/mfa',
      name: 'signInWithCode',
      summary: 'Finish signing in with a second factor',
      limit: signInLimit,
      body: contract.SignInWithCode,
      answer: contract.SignedIn,
      handler: async (body, from) => (await signInWithCode(accounts, body, from)) as Answer,
    }),
    open({
      method: 'POST',
      path: '/auth/refresh',
      name: 'refreshSession',
      summary: 'Get new tokens',
      description:
        'The refresh token is used up; for 30 s it can be used again, for tabs that refresh at once. A later use ends the session.',
      limit: signInLimit,
      body: contract.Refresh,
      answer: contract.SignedIn,
      handler: async ({ refreshToken }) => withWho(await pool.refresh(refreshToken)),
    }),
    open({
      method: 'POST',
      path: '/auth/logout',
      name: 'signOut',
      summary: 'End a session',
      description: 'Its access tokens stop within five seconds. Repeating it changes nothing.',
      limit: signInLimit,
      body: contract.Refresh,
      answer: contract.Done,
      handler: async ({ refreshToken }) => {
        await sessions.signOut(accounts, refreshToken);
        return done;
      },
    }),
    open({
      method: 'POST',
      path: '/auth/password/forgot',
      name: 'forgotPassword',
      summary: 'Ask for a link to choose a new password',
      description: 'The answer is the same whether there is such an account or not.',
      status: 202,
      limit: letterLimit,
      body: contract.ForgotPassword,
      answer: contract.Accepted,
      handler: async ({ email, locale }) => {
        await forgotPassword(accounts, email, locale);
        return accepted;
      },
    }),
    open({
      method: 'POST',
      path: '/auth/password/reset',
      name: 'resetPassword',
      summary: 'Choose a new password with the link from the letter',
      description: 'Ends every session.',
      limit: signInLimit,
      body: contract.ResetPassword,
      answer: contract.Done,
      handler: async (body, from) => {
        await resetPassword(accounts, body, from);
        return done;
      },
    }),
    own({
      method: 'POST',
      path: '/auth/password/change',
      name: 'changePassword',
      summary: 'Change your password',
      description: 'Ends every other session.',
      limit: signInLimit,
      body: contract.ChangePassword,
      answer: contract.Done,
      handler: async (session, { body }, from) => {
        await changePassword(accounts, session, body, from);
        return done;
      },
    }),
    own({
      method: 'POST',
      path: '/auth/step-up',
      name: 'stepUp',
      summary: 'Prove again that it is you',
      description:
        'For what is dangerous, for five minutes: a password, with a code if you have a second factor, or a passkey.',
      limit: signInLimit,
      body: contract.StepUp,
      answer: contract.SteppedUp,
      handler: (session, { body }, from) => sessions.stepUp(accounts, session, body, from),
    }),
    own({
      method: 'GET',
      path: '/sessions',
      name: 'listSessions',
      summary: 'List your sessions',
      answer: contract.Sessions,
      handler: async (session) => ({ data: (await sessions.sessionsOf(accounts, session)) as never, nextCursor: null }),
    }),
    own({
      method: 'DELETE',
      path: '/sessions/:id',
      name: 'endSession',
      summary: 'End one of your sessions',
      description: 'Its access tokens stop within five seconds.',
      params: contract.SessionId,
      answer: contract.Done,
      handler: async (session, { params }, from) => {
        await sessions.endSession(accounts, session, params.id, from);
        return done;
      },
    }),
    own({
      method: 'POST',
      path: '/sessions/end-others',
      name: 'endOtherSessions',
      summary: 'End all your other sessions',
      answer: contract.EndedSessions,
      handler: async (session, _input, from) => ({ ended: await sessions.endOtherSessions(accounts, session, from) }),
    }),
    ...(pool.name === 'customer' ? joiningRoutes(accounts) : []),
  ];
}

/** How people come to be customers. Operators are made by operators. */
function joiningRoutes(accounts: Accounts): Route[] {
  const { open } = routesOf('customer');
  return [
    open({
      method: 'POST',
      path: '/auth/signup',
      name: 'signUp',
      summary: 'Make an account with a tenant of your own',
      description: 'Where the deployment allows it. Nothing exists until the link in the letter is followed.',
      status: 202,
      limit: letterLimit,
      body: contract.SignUp,
      answer: contract.Accepted,
      handler: async (body) => {
        await signUp(accounts, body);
        return accepted;
      },
    }),
    open({
      method: 'POST',
      path: '/auth/email/verify',
      name: 'confirmEmail',
      summary: 'Confirm your e-mail address with the link from the letter',
      limit: signInLimit,
      body: contract.ConfirmEmail,
      answer: contract.ConfirmedEmail,
      handler: ({ token }, from) => confirmEmail(accounts, token, from),
    }),
    open({
      method: 'POST',
      path: '/auth/invitations/accept',
      name: 'acceptInvitation',
      summary: 'Take up an invitation',
      description:
        'With an account of the invited address the link is enough; without one, choose a name and a password.',
      limit: signInLimit,
      body: contract.AcceptInvitation,
      answer: contract.AcceptedInvitation,
      handler: (body, from) => takeUpInvitation(accounts, body, from),
    }),
    open({
      method: 'POST',
      path: '/auth/switch-tenant',
      name: 'switchTenant',
      summary: 'Get tokens for another of your tenants',
      limit: signInLimit,
      body: contract.SwitchTenant,
      answer: contract.SignedIn,
      handler: async ({ refreshToken, tenantId }) =>
        withWho(await sessions.switchTenant(accounts, refreshToken, tenantId)),
    }),
  ];
}
