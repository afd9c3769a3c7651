import type { Route } from '../../../platform/http/route.ts';
import * as contract from '../accounts.contract.ts';
import type { Accounts } from '../accounts.ts';
import { routesOf } from '../person-route.ts';
import * as factors from './two-factor.ts';

/** A stolen token must not be enough to add a factor of the thief's, or to remove one: hence `stepUp`. */
export function secondFactorRoutes(accounts: Accounts): Route[] {
  const { own } = routesOf(accounts.pool.name);
  /** A tenant may require a second factor: whoever has just set one up is let in with their next request. */
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
      handler: (session) => factors.secondFactors(accounts, session),
    }),
    own({
      method: 'POST',
      path: '/mfa/totp',
      name: 'startTotp',
      summary: 'Start setting up an authenticator app',
      description: 'It is active after `POST /mfa/totp/confirm` succeeds.',
      stepUp: true,
      response: contract.NewTotp,
      handler: (session) => factors.startTotp(accounts, session),
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
        invalidateAfter(session, factors.confirmTotp(accounts, session, body.code, requestInfo)),
    }),
    own({
      method: 'DELETE',
      path: '/mfa/totp',
      name: 'removeTotp',
      summary: 'Remove your authenticator app',
      stepUp: true,
      response: contract.Done,
      handler: async (session, _input, requestInfo) => {
        await invalidateAfter(session, factors.removeTotp(accounts, session, requestInfo));
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
      handler: (session, _input, requestInfo) => factors.renewRecoveryCodes(accounts, session, requestInfo),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys/options',
      name: 'startPasskey',
      summary: 'Start adding a passkey',
      stepUp: true,
      response: contract.PasskeyOptions,
      handler: async (session) => ({ options: { ...(await factors.passkeyCreation(accounts, session)) } }),
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
        invalidateAfter(session, factors.savePasskey(accounts, session, body.credential, body.name, requestInfo)),
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
        invalidateAfter(session, factors.removePasskey(accounts, session, params.id, requestInfo)),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys/challenge',
      name: 'challengePasskey',
      summary: 'Start a step-up with a passkey',
      description: 'Returns the options for the `passkey` field of `POST /auth/step-up`.',
      response: contract.PasskeyOptions,
      handler: async () => ({ options: { ...(await factors.passkeyRequest(accounts)) } }),
    }),
  ];
}
