import type { Route } from '../../../platform/http/route.ts';
import * as contract from '../accounts.contract.ts';
import type { Accounts } from '../accounts.ts';
import { routesOf } from '../person-route.ts';
import * as twoFactor from './two-factor.ts';

/** Changes require `stepUp`, so that a stolen token is not enough to add or remove a factor. */
export function twoFactorRoutes(accounts: Accounts): Route[] {
  const { own } = routesOf(accounts.pool.name);
  /** If a tenant requires two-factor authentication, the next request of this session must see the change. */
  const invalidateAfter = async <T>(session: { id: string }, work: Promise<T>): Promise<T> => {
    const result = await work;
    accounts.invalidateSessions([session.id]);
    return result;
  };
  return [
    own({
      method: 'GET',
      path: '/mfa',
      name: 'getSecondFactors',
      summary: 'Get your two-factor authentication settings',
      response: contract.SecondFactors,
      handler: (session) => twoFactor.getTwoFactorSettings(accounts, session),
    }),
    own({
      method: 'POST',
      path: '/mfa/totp',
      name: 'startTotp',
      summary: 'Start setting up an authenticator app',
      description: 'It is active after `POST /mfa/totp/confirm` succeeds.',
      stepUp: true,
      response: contract.NewTotp,
      handler: (session) => twoFactor.startTotp(accounts, session),
    }),
    own({
      method: 'POST',
      path: '/mfa/totp/confirm',
      name: 'confirmTotp',
      summary: 'Finish setting up an authenticator app',
      description: 'The recovery codes are returned only once.',
      stepUp: true,
      body: contract.ConfirmTotp,
      response: contract.RecoveryCodes,
      handler: (session, { body }, requestInfo) =>
        invalidateAfter(session, twoFactor.confirmTotp(accounts, session, body.code, requestInfo)),
    }),
    own({
      method: 'DELETE',
      path: '/mfa/totp',
      name: 'removeTotp',
      summary: 'Remove your authenticator app',
      stepUp: true,
      response: contract.Done,
      handler: async (session, _input, requestInfo) => {
        await invalidateAfter(session, twoFactor.removeTotp(accounts, session, requestInfo));
        return { status: 'done' as const };
      },
    }),
    own({
      method: 'POST',
      path: '/mfa/recovery-codes',
      name: 'renewRecoveryCodes',
      summary: 'Generate new recovery codes',
      description: 'The old codes stop working. The new ones are returned only once.',
      stepUp: true,
      response: contract.RecoveryCodes,
      handler: (session, _input, requestInfo) => twoFactor.renewRecoveryCodes(accounts, session, requestInfo),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys/options',
      name: 'startPasskey',
      summary: 'Start adding a passkey',
      stepUp: true,
      response: contract.PasskeyOptions,
      handler: async (session) => ({ options: { ...(await twoFactor.passkeyCreation(accounts, session)) } }),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys',
      name: 'addPasskey',
      summary: 'Finish adding a passkey',
      stepUp: true,
      status: 201,
      body: contract.AddPasskey,
      response: contract.OnePasskey,
      handler: (session, { body }, requestInfo) =>
        invalidateAfter(session, twoFactor.savePasskey(accounts, session, body.credential, body.name, requestInfo)),
    }),
    own({
      method: 'DELETE',
      path: '/mfa/passkeys/:id',
      name: 'removePasskey',
      summary: 'Remove a passkey',
      stepUp: true,
      params: contract.PasskeyId,
      response: contract.OnePasskey,
      handler: (session, { params }, requestInfo) =>
        invalidateAfter(session, twoFactor.removePasskey(accounts, session, params.id, requestInfo)),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys/challenge',
      name: 'challengePasskey',
      summary: 'Start a step-up with a passkey',
      description: 'Returns the options for the `passkey` field of `POST /auth/step-up`.',
      response: contract.PasskeyOptions,
      handler: async () => ({ options: { ...(await twoFactor.passkeyRequest(accounts)) } }),
    }),
  ];
}
