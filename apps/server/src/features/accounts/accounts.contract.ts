import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

export const Email = z.email().max(254).describe('Case does not matter.');
/** Read whole before it is judged: a wrong one and a too long one are answered alike. */
const password = z.string().min(1).max(1_024);
const token = z.string().min(1).max(200);
export const Locale = z.enum(['en', 'de']).default('en').describe('The language of the letter.');

export const SignIn = z.strictObject({ email: Email, password });
export const SignInWithCode = z.strictObject({
  mfaToken: token,
  code: z.string().min(6).max(40).describe('Six digits of the authenticator app, or a recovery code.'),
});
export const SignedIn = z
  .object({
    accessToken: z.string().describe('A JWT, for `Authorization: Bearer …`.'),
    refreshToken: z.string().describe('For `POST /auth/refresh`. Each use gives a new one.'),
    expiresIn: z.int().describe('Seconds until the access token ends.'),
    userId: idOf('user'),
    tenantId: idOf('tenant').nullable().describe('null for operators.'),
  })
  .meta({ id: 'SignedIn' });
export const Refresh = z.strictObject({ refreshToken: token });
export const SwitchTenant = z.strictObject({ refreshToken: token, tenantId: idOf('tenant') });
export const SignInOptions = z
  .object({
    signup: z.boolean().describe('Anybody may make an account with a tenant of their own.'),
    passwordSignIn: z.boolean().describe('`POST /auth/login` takes a password.'),
    signInUrl: z.string().nullable().describe('Where people of another issuer sign in, if there is one.'),
  })
  .meta({ id: 'SignInOptions' });
export const Done = z.object({ status: z.literal('done') });
export const Accepted = z.object({ status: z.literal('accepted') });

export const ForgotPassword = z.strictObject({ email: Email, locale: Locale });
export const ResetPassword = z.strictObject({ token, password });
export const ChangePassword = z.strictObject({ currentPassword: password, newPassword: password });

const name = z.string().trim().min(1).max(120);
export const SignUp = z.strictObject({ email: Email, password, name, organisation: name, locale: Locale });
export const ConfirmEmail = z.strictObject({ token });
export const ConfirmedEmail = z.object({ userId: idOf('user'), tenantId: idOf('tenant') });
export const AcceptInvitation = z.strictObject({
  token,
  name: name.optional(),
  password: password.optional().describe('For somebody without an account.'),
  locale: Locale,
});
export const AcceptedInvitation = z.object({
  userId: idOf('user'),
  tenantId: idOf('tenant'),
  roles: z.array(z.string()),
});

/** What a browser's `navigator.credentials` gave, as JSON. */
const Credential = z.looseObject({ id: z.string().max(2_000), type: z.literal('public-key') });
export const StepUp = z.strictObject({
  password: password.optional(),
  code: z.string().min(6).max(40).optional(),
  passkey: Credential.optional(),
});
export const SteppedUp = z.object({ validUntil: z.date() });

export const Session = z
  .object({
    id: idOf('session'),
    isCurrent: z.boolean(),
    isOperator: z.boolean().describe('An operator in your place.'),
    reason: z.string().nullable().describe("The operator's."),
    methods: z.array(z.string()),
    address: z.string(),
    userAgent: z.string(),
    createdAt: z.date(),
    lastSeenAt: z.date().describe('To a few minutes.'),
    expiresAt: z.date(),
  })
  .meta({ id: 'Session' });
export const Sessions = z.object({ data: z.array(Session), nextCursor: z.null() });
export const SessionId = z.object({ id: idOf('session') });
export const EndedSessions = z.object({ ended: z.int() });

export const Passkey = z
  .object({ id: idOf('passkey'), name: z.string(), createdAt: z.date(), lastUsedAt: z.date().nullable() })
  .meta({ id: 'Passkey' });
export const PasskeyId = z.object({ id: idOf('passkey') });
export const OnePasskey = z.object({ passkey: Passkey });
export const AddPasskey = z.strictObject({ credential: Credential, name: z.string().trim().min(1).max(80) });
export const PasskeyOptions = z.object({
  options: z.looseObject({}).describe('For `navigator.credentials`, in the JSON form of WebAuthn.'),
});
export const SecondFactors = z.object({
  totp: z.boolean(),
  recoveryCodesLeft: z.int(),
  passkeys: z.array(Passkey),
});
export const NewTotp = z.object({ secret: z.string(), uri: z.string().describe('For a QR code.') });
export const ConfirmTotp = z.strictObject({ code: z.string().min(6).max(10) });
export const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });
