import { createContext, useContext } from 'react';

/** Routes for the user's own account. Both pools have the same routes under different prefixes. */
const routes = {
  customer: {
    stepUp: '/auth/step-up',
    changePassword: '/auth/password/change',
    factors: '/mfa',
    totp: '/mfa/totp',
    confirmTotp: '/mfa/totp/confirm',
    recoveryCodes: '/mfa/recovery-codes',
    passkeys: '/mfa/passkeys',
    passkey: '/mfa/passkeys/{id}',
    passkeyOptions: '/mfa/passkeys/options',
    passkeyChallenge: '/mfa/passkeys/challenge',
    session: '/sessions/{id}',
    endOthers: '/sessions/end-others',
  },
  admin: {
    stepUp: '/admin/auth/step-up',
    changePassword: '/admin/auth/password/change',
    factors: '/admin/mfa',
    totp: '/admin/mfa/totp',
    confirmTotp: '/admin/mfa/totp/confirm',
    recoveryCodes: '/admin/mfa/recovery-codes',
    passkeys: '/admin/mfa/passkeys',
    passkey: '/admin/mfa/passkeys/{id}',
    passkeyOptions: '/admin/mfa/passkeys/options',
    passkeyChallenge: '/admin/mfa/passkeys/challenge',
    session: '/admin/sessions/{id}',
    endOthers: '/admin/sessions/end-others',
  },
} as const;

export type PoolName = keyof typeof routes;
export type AccountRoutes = (typeof routes)[PoolName];

export const PoolContext = createContext<PoolName>('customer');
export const useAccountRoutes = (): AccountRoutes => routes[useContext(PoolContext)];
