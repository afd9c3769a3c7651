import {
  confirmEmailPage,
  enrolPage,
  forgotPage,
  invitationPage,
  messagePage,
  qrCode,
  recoveryCodesPage,
  resetPage,
  twoFactorPage,
  signInPage,
  signUpPage,
  trusted,
  type PageError,
  type PageContent,
  type Texts,
} from './every-page.ts';
import { signOutPage } from '../../src/features/hosted-pages/pages/sign-out-page.ts';

/** Every page in every state, for tests and visual review. */
export interface Sample {
  page: (t: Texts, error?: PageError) => PageContent;
  /** An error that the page can show, if any. */
  error?: PageError;
}

const email = 'anna.schneider@nordlicht-buchhandel.example';
const organisation = 'Nordlicht Buchhandel GmbH';
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const action = '/send';
const signInUrl = '/sign-in';
const minLength = 12;
const token = 'token';
const challenge = 'Y2hhbGxlbmdlLWNoYWxsZW5nZQ';

const getOptions = { challenge, rpId: 'localhost', userVerification: 'preferred', allowCredentials: [] };
const createOptions = {
  challenge,
  rp: { id: 'localhost', name: 'Parley' },
  user: { id: 'dXNlcg', name: email, displayName: 'Anna Schneider' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};
const passkeyRequest = { action: '/passkey', options: JSON.stringify(getOptions) };
const passkeyCreation = { action: '/passkey', options: JSON.stringify(createOptions) };
const app = {
  action,
  secret,
  qrSvg: qrCode(`otpauth://totp/Parley:${email}?secret=${secret}&issuer=Parley&digits=6&period=30`),
};
const twoFactor = { action, restartUrl: '/restart', passkey: passkeyRequest };
const reset = { action, token, email, minLength, signInUrl, isDone: false };
const invitation = { action, token, organisation, email, minLength, signInUrl, needsAccount: true, isDone: false };
const confirmation = {
  action,
  token,
  organisation: 'Northwind Traders',
  email: 'ada@example.com',
  minLength: 12,
  signInUrl,
};
const signUp = { action, signInUrl, isSent: false, values: { email, organisation, name: '' } };
const starts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'j', 'k'];

export const samples: Record<string, Sample> = {
  'sign-in': {
    page: (t, error) =>
      signInPage(t, {
        action,
        error,
        email: error ? email : '',
        passkey: passkeyRequest,
        forgotUrl: '/forgot',
        signUpUrl: '/sign-up',
        clientName: 'Customer portal',
      }),
    error: { reason: 'invalid_credentials' },
  },
  'sign-in-plain': {
    page: (t, error) => signInPage(t, { action, email, error }),
    error: { reason: 'too_many_requests', retryAfterSeconds: 100 },
  },
  'two-factor': {
    page: (t, error) => twoFactorPage(t, { ...twoFactor, methods: ['totp', 'recovery_code', 'passkey'], error }),
    error: { reason: 'invalid_code' },
  },
  'two-factor-recovery': {
    page: (t, error) =>
      twoFactorPage(t, {
        ...twoFactor,
        passkey: undefined,
        methods: ['totp', 'recovery_code'],
        usedMethod: 'recovery_code',
        error,
      }),
    error: { reason: 'invalid_code' },
  },
  'two-factor-passkey': {
    page: (t, error) => twoFactorPage(t, { ...twoFactor, methods: ['passkey'], error }),
    error: { reason: 'passkey_failed' },
  },
  'two-factor-only-recovery': {
    page: (t) => twoFactorPage(t, { ...twoFactor, passkey: undefined, methods: ['recovery_code'] }),
  },
  enrol: {
    page: (t, error) => enrolPage(t, { ...app, passkey: passkeyCreation, isRequired: true, error }),
    error: { reason: 'invalid_code' },
  },
  'enrol-app': { page: (t) => enrolPage(t, { ...app, isRequired: false, skipUrl: '/skip' }) },
  'recovery-codes': {
    page: (t) => recoveryCodesPage(t, { action, codes: starts.map((start) => `${start}k7m-9xq2-${start}4tz`) }),
  },
  forgot: {
    page: (t, error) => forgotPage(t, { action, email: '', isSent: false, signInUrl, error }),
    error: { reason: 'invalid_fields', field: 'email' },
  },
  'forgot-sent': { page: (t) => forgotPage(t, { action, email, isSent: true, signInUrl }) },
  reset: { page: (t, error) => resetPage(t, { ...reset, error }), error: { reason: 'password_too_short' } },
  'reset-expired': {
    page: (t) => resetPage(t, { ...reset, error: { reason: 'link_expired' }, forgotUrl: '/forgot' }),
  },
  'reset-done': { page: (t) => resetPage(t, { ...reset, isDone: true }) },
  'invitation-new': {
    page: (t, error) => invitationPage(t, { ...invitation, error }),
    error: { reason: 'password_too_common' },
  },
  'invitation-old': {
    page: (t, error) => invitationPage(t, { ...invitation, needsAccount: false, error }),
    error: { reason: 'busy', retryAfterSeconds: 5 },
  },
  'invitation-done': { page: (t) => invitationPage(t, { ...invitation, isDone: true }) },
  'sign-up': {
    page: (t, error) => signUpPage(t, { ...signUp, error }),
    error: { reason: 'invalid_fields', field: 'organisation' },
  },
  'sign-up-checked': {
    page: (t, error) =>
      signUpPage(t, { ...signUp, error, check: { kind: 'proof_of_work', challengeUrl: '/challenge' } }),
    error: { reason: 'email_domain_blocked' },
  },
  'sign-up-sent': {
    page: (t, error) =>
      signUpPage(t, { ...signUp, isSent: true, resend: { action, signupId: token, isDone: !error }, error }),
    error: { reason: 'too_many_requests', retryAfterSeconds: 100 },
  },
  'confirm-email': {
    page: (t, error) => confirmEmailPage(t, { ...confirmation, isDone: false, error }),
    error: { reason: 'unexpected' },
  },
  'confirm-email-done': { page: (t) => confirmEmailPage(t, { ...confirmation, isDone: true }) },
  'sign-out': {
    page: (t) =>
      signOutPage(
        t,
        trusted(
          '<form id="op.logoutForm" method="post" action="/send"><input type="hidden" name="xsrf" value="x"/></form>',
        ),
      ),
  },
  message: {
    page: (t) =>
      messagePage(t, {
        heading: t.signedOut.title,
        text: t.signedOut.text,
        link: { label: t.signedOut.signInAgain, url: signInUrl },
      }),
  },
};
