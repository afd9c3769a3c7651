import { decodeJwt } from 'jose';
import type { Route } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Tokens } from '../pools/index.ts';
import * as contract from './accounts.contract.ts';
import type { Accounts } from './accounts.ts';
import {
  confirmEmail,
  joinTenant,
  previewInvitation,
  resendSignUp,
  signUp,
  acceptInvitationWithNewAccount,
} from './sign-up/sign-up.ts';
import { linkExpired } from './one-time-tokens.store.ts';
import { addIdentity } from './sign-in/identities.ts';
import { routesOf } from './person-route.ts';
import { changePassword, forgotPassword, resetPassword } from './password/recovery.ts';
import * as sessions from './sign-in/sessions.ts';
import { signIn, signInWithCode } from './sign-in/sign-in.ts';
import { newChallenge } from './sign-up/sign-up-checks.ts';

type SignedInResponse = Tokens & { userId: Id<'user'>; tenantId: Id<'tenant'> | null };
const done = { status: 'done' as const };
const accepted = { status: 'accepted' as const };

// Requests per IP address. Wrong passwords have much stricter limits: see password/attempts.store.ts.
const signInLimit = { name: 'sign-in-requests', points: 300, seconds: 60 };
const emailLimit = { name: 'account-emails', points: 10, seconds: 600 };
const challengeLimit = { name: 'sign-up-challenges', points: 30, seconds: 600 };

/** Adds the user and tenant from the access token's claims. */
function withIdentity(tokens: Tokens): SignedInResponse {
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
        'If two-factor authentication is on, the response is 401 `mfa_required` and `details` contains an `mfaToken` for `POST /auth/login/mfa`. ' +
        'After several wrong passwords, the response is 429 for a while, whether or not the account exists.',
      limit: signInLimit,
      body: contract.SignIn,
      response: contract.SignedIn,
      handler: async (body, requestInfo) => (await signIn(accounts, body, requestInfo)) as SignedInResponse,
    }),
    open({
      method: 'POST',
      path: '/auth/login/mfa',
      name: 'signInWithCode',
      summary: 'Complete sign-in with two-factor authentication',
      limit: signInLimit,
      body: contract.SignInWithCode,
      response: contract.SignedIn,
      handler: async (body, requestInfo) => (await signInWithCode(accounts, body, requestInfo)) as SignedInResponse,
    }),
    open({
      method: 'POST',
      path: '/auth/refresh',
      name: 'refreshSession',
      summary: 'Refresh tokens',
      description:
        'Each refresh token works once. For 30 seconds it can be used again, so that several tabs can refresh at the same time; a later use ends the session.',
      limit: signInLimit,
      body: contract.Refresh,
      response: contract.SignedIn,
      handler: async ({ refreshToken }) => withIdentity(await pool.refresh(refreshToken)),
    }),
    open({
      method: 'POST',
      path: '/auth/logout',
      name: 'signOut',
      summary: 'Sign out',
      description: 'Access tokens stop working within five seconds. Safe to repeat.',
      limit: signInLimit,
      body: contract.Refresh,
      response: contract.Done,
      handler: async ({ refreshToken }) => {
        await sessions.signOut(accounts, refreshToken);
        return done;
      },
    }),
    open({
      method: 'POST',
      path: '/auth/password/forgot',
      name: 'forgotPassword',
      summary: 'Request a password reset email',
      description: 'The response is the same whether or not the account exists.',
      status: 202,
      limit: emailLimit,
      body: contract.ForgotPassword,
      response: contract.Accepted,
      handler: async ({ email, locale }) => {
        await forgotPassword(accounts, email, locale);
        return accepted;
      },
    }),
    open({
      method: 'POST',
      path: '/auth/password/reset',
      name: 'resetPassword',
      summary: 'Reset your password with the link from the email',
      description: 'Ends all sessions.',
      limit: signInLimit,
      body: contract.ResetPassword,
      response: contract.Done,
      handler: async (body, requestInfo) => {
        await resetPassword(accounts, body, requestInfo);
        return done;
      },
    }),
    own({
      method: 'POST',
      path: '/auth/password/change',
      name: 'changePassword',
      summary: 'Change your password',
      description: 'Ends all other sessions.',
      limit: signInLimit,
      body: contract.ChangePassword,
      response: contract.Done,
      handler: async (session, { body }, requestInfo) => {
        await changePassword(accounts, session, body, requestInfo);
        return done;
      },
    }),
    own({
      method: 'POST',
      path: '/auth/step-up',
      name: 'stepUp',
      summary: 'Confirm it’s you (step-up)',
      description:
        'Required before sensitive changes, and valid for five minutes. Send your password, plus a code if two-factor authentication is on, or use a passkey.',
      limit: signInLimit,
      body: contract.StepUp,
      response: contract.SteppedUp,
      handler: (session, { body }, requestInfo) => sessions.stepUp(accounts, session, body, requestInfo),
    }),
    own({
      method: 'GET',
      path: '/sessions',
      name: 'listSessions',
      summary: 'List your sessions',
      response: contract.Sessions,
      handler: async (session) => ({
        data: (await sessions.listOwnSessions(accounts, session)) as never,
        nextCursor: null,
      }),
    }),
    own({
      method: 'DELETE',
      path: '/sessions/:id',
      name: 'endSession',
      summary: 'End one of your sessions',
      description: 'Its access tokens stop working within five seconds.',
      params: contract.SessionId,
      response: contract.Done,
      handler: async (session, { params }, requestInfo) => {
        await sessions.endSession(accounts, session, params.id, requestInfo);
        return done;
      },
    }),
    own({
      method: 'POST',
      path: '/sessions/end-others',
      name: 'endOtherSessions',
      summary: 'End all other sessions',
      response: contract.EndedSessions,
      handler: async (session, _input, requestInfo) => ({
        ended: await sessions.endOtherSessions(accounts, session, requestInfo),
      }),
    }),
    ...(pool.name === 'customer' ? [...signUpRoutes(accounts), identityRoute(accounts)] : []),
  ];
}

/** Sign-up and invitations, for customers only. Operators are created by operators. */
function signUpRoutes(accounts: Accounts): Route[] {
  const { open, own } = routesOf('customer');
  return [
    open({
      method: 'POST',
      path: '/auth/signup',
      name: 'signUp',
      summary: 'Sign up and create a tenant',
      description:
        'Only if the deployment allows sign-up. Nothing is created until the link in the email is opened. 403 `proof_required`: see `proof`. 400 `email_domain_blocked`: a disposable email address.',
      status: 202,
      limit: emailLimit,
      body: contract.SignUp,
      response: contract.AcceptedSignUp,
      handler: async (body, requestInfo) => ({ ...accepted, ...(await signUp(accounts, body, requestInfo)) }),
    }),
    open({
      method: 'POST',
      path: '/auth/signup/resend',
      name: 'resendSignUp',
      summary: 'Send the confirmation email again',
      description:
        'At most three times an hour. The response is the same if the sign-up is unknown, has expired or was completed.',
      status: 202,
      limit: emailLimit,
      body: contract.ResendSignUp,
      response: contract.Accepted,
      handler: async ({ signupId }) => {
        await resendSignUp(accounts, signupId);
        return accepted;
      },
    }),
    open({
      method: 'POST',
      path: '/auth/signup/challenge',
      name: 'createSignUpChallenge',
      summary: 'Get a challenge to solve for a sign-up',
      description: 'Good once, for five minutes. Costs a browser well under a second.',
      limit: challengeLimit,
      response: contract.NewSignUpChallenge,
      handler: async (_body, requestInfo) => ({ challenge: await newChallenge(accounts, requestInfo) }),
    }),
    open({
      method: 'POST',
      path: '/auth/email/verify',
      name: 'confirmEmail',
      summary: 'Confirm your email address and set a password',
      limit: signInLimit,
      body: contract.ConfirmEmail,
      response: contract.ConfirmedEmail,
      handler: ({ token, password }, requestInfo) => confirmEmail(accounts, token, password, requestInfo),
    }),
    open({
      method: 'POST',
      path: '/auth/invitations/accept',
      name: 'acceptInvitation',
      summary: 'Accept an invitation and create an account',
      description:
        '409 `account_exists`: the invited email address already has an account. Its owner signs in and calls `POST /auth/invitations/join`.',
      limit: signInLimit,
      body: contract.AcceptInvitation,
      response: contract.AcceptedInvitation,
      handler: (body, requestInfo) => acceptInvitationWithNewAccount(accounts, body, requestInfo),
    }),
    open({
      method: 'POST',
      path: '/auth/invitations/preview',
      name: 'previewInvitation',
      summary: 'Preview an invitation',
      limit: signInLimit,
      body: contract.InvitationToken,
      response: contract.InvitationPreview,
      handler: async ({ token }) => {
        const invitation = await previewInvitation(accounts, token);
        if (!invitation) throw linkExpired();
        return {
          organisation: invitation.tenantName,
          email: invitation.email,
          hasAccount: invitation.account !== undefined,
        };
      },
    }),
    own({
      method: 'POST',
      path: '/auth/invitations/join',
      name: 'joinTenant',
      summary: 'Accept an invitation with an existing account',
      description: 'The account must have the invited email address.',
      limit: signInLimit,
      body: contract.InvitationToken,
      response: contract.AcceptedInvitation,
      handler: (session, { body }, requestInfo) => joinTenant(accounts, session, body.token, requestInfo),
    }),
    open({
      method: 'POST',
      path: '/auth/switch-tenant',
      name: 'switchTenant',
      summary: 'Switch to another tenant',
      limit: signInLimit,
      body: contract.SwitchTenant,
      response: contract.SignedIn,
      handler: async ({ refreshToken, tenantId }) =>
        withIdentity(await sessions.switchTenant(accounts, refreshToken, tenantId)),
    }),
  ];
}

const identityRoute = (accounts: Accounts): Route =>
  routesOf('customer').own({
    method: 'POST',
    path: '/me/identities',
    name: 'addIdentity',
    summary: 'Link an external identity to your account',
    description:
      'For people whose organisation has its own identity provider and who already have an account here with the same email address. Requires two-factor authentication.',
    stepUp: true,
    limit: signInLimit,
    body: contract.AddIdentity,
    response: contract.AddedIdentity,
    handler: (session, { body }, requestInfo) => addIdentity(accounts, session, body.accessToken, requestInfo),
  });
