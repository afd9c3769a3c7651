import type { Route } from '../../platform/http/route.ts';
import * as contract from './accounts.contract.ts';
import type { Accounts } from './accounts.ts';
import { routesOf } from './person-route.ts';
import * as factors from './second-factor.ts';

/** A stolen token must not be enough to add a factor of the thief's, or to remove one: hence `stepUp`. */
export function secondFactorRoutes(accounts: Accounts): Route[] {
  const { own } = routesOf(accounts.pool.name);
  return [
    own({
      method: 'GET',
      path: '/mfa',
      name: 'getSecondFactors',
      summary: 'Read your second factors',
      answer: contract.SecondFactors,
      handler: (session) => factors.secondFactors(accounts, session),
    }),
    own({
      method: 'POST',
      path: '/mfa/totp',
      name: 'startTotp',
      summary: 'Begin to set up an authenticator app',
      description: 'It counts once `POST /mfa/totp/confirm` had a right code.',
      stepUp: true,
      answer: contract.NewTotp,
      handler: (session) => factors.startTotp(accounts, session),
    }),
    own({
      method: 'POST',
      path: '/mfa/totp/confirm',
      name: 'confirmTotp',
      summary: 'Finish setting up an authenticator app',
      description: 'The recovery codes are in this answer and in no other.',
      body: contract.ConfirmTotp,
      answer: contract.RecoveryCodes,
      handler: (session, { body }, from) => factors.confirmTotp(accounts, session, body.code, from),
    }),
    own({
      method: 'DELETE',
      path: '/mfa/totp',
      name: 'removeTotp',
      summary: 'Remove your authenticator app',
      stepUp: true,
      answer: contract.Done,
      handler: async (session, _input, from) => {
        await factors.removeTotp(accounts, session, from);
        return { status: 'done' as const };
      },
    }),
    own({
      method: 'POST',
      path: '/mfa/recovery-codes',
      name: 'renewRecoveryCodes',
      summary: 'Get new recovery codes',
      description: 'The old ones stop. The new ones are in this answer and in no other.',
      stepUp: true,
      answer: contract.RecoveryCodes,
      handler: (session, _input, from) => factors.renewRecoveryCodes(accounts, session, from),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys/options',
      name: 'startPasskey',
      summary: 'Begin to add a passkey',
      stepUp: true,
      answer: contract.PasskeyOptions,
      handler: async (session) => ({ options: { ...(await factors.passkeyCreation(accounts, session)) } }),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys',
      name: 'addPasskey',
      summary: 'Finish adding a passkey',
      status: 201,
      body: contract.AddPasskey,
      answer: contract.OnePasskey,
      handler: (session, { body }, from) => factors.savePasskey(accounts, session, body.credential, body.name, from),
    }),
    own({
      method: 'DELETE',
      path: '/mfa/passkeys/:id',
      name: 'removePasskey',
      summary: 'Remove a passkey',
      stepUp: true,
      params: contract.PasskeyId,
      answer: contract.OnePasskey,
      handler: (session, { params }, from) => factors.removePasskey(accounts, session, params.id, from),
    }),
    own({
      method: 'POST',
      path: '/mfa/passkeys/challenge',
      name: 'challengePasskey',
      summary: 'Begin to prove yourself with a passkey',
      description: 'For the `passkey` of `POST /auth/step-up`.',
      answer: contract.PasskeyOptions,
      handler: async () => ({ options: { ...(await factors.passkeyRequest(accounts)) } }),
    }),
  ];
}
