import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';
import { nameOf } from '../../platform/names.contract.ts';

export const Email = z.email().max(254).describe('Not case-sensitive.');
/** Accepts more than the maximum length, so that a wrong and a too long password get the same response. */
const password = z.string().min(1).max(1_024);
const token = z.string().min(1).max(200);
export const Locale = z.enum(['en', 'de']).default('en').describe('The language of the email.');

export const SignIn = z.strictObject({ email: Email, password });
export const SignInWithCode = z.strictObject({
  mfaToken: token,
  code: z.string().min(6).max(40).describe('Six-digit code from the authenticator app, or a recovery code.'),
});
export const SignedIn = z
  .object({
    accessToken: z.string().describe('A JWT, sent as `Authorization: Bearer …`.'),
    refreshToken: z.string().describe('For `POST /auth/refresh`. Each use returns a new one.'),
    expiresIn: z.int().describe('Seconds until the access token expires.'),
    userId: idOf('user'),
    tenantId: idOf('tenant').nullable().describe('null for operators.'),
  })
  .meta({ id: 'SignedIn' });
export const Refresh = z.strictObject({ refreshToken: token });
export const SwitchTenant = z.strictObject({ refreshToken: token, tenantId: idOf('tenant') });
export const SignInOptions = z
  .object({
    signup: z.boolean().describe('Anyone can sign up and create a tenant.'),
    signUpCheck: z
      .enum(['none', 'proof_of_work', 'captcha'])
      .describe('What `proof` in `POST /auth/signup` must be. A CAPTCHA is solved on the hosted sign-up page.'),
    passwordSignIn: z.boolean().describe('`POST /auth/login` accepts a password.'),
    signInUrl: z.string().nullable().describe('Where users of an external issuer sign in, if there is one.'),
  })
  .meta({ id: 'SignInOptions' });
export const Done = z.object({ status: z.literal('done') });
export const Accepted = z.object({ status: z.literal('accepted') });

export const ForgotPassword = z.strictObject({ email: Email, locale: Locale });
export const ResetPassword = z.strictObject({ token, password });
export const ChangePassword = z.strictObject({ currentPassword: password, newPassword: password });

const name = nameOf(120);
export const SignUp = z.strictObject({
  email: Email,
  name,
  organisation: name,
  locale: Locale,
  proof: z
    .string()
    .max(8_192)
    .optional()
    .describe(
      'As `signUpCheck` of `GET /auth/options` says. For `proof_of_work`: the `salt` of a challenge, the number found, a dot and the `signature`. For `captcha`: the token of its widget.',
    ),
});
export const AcceptedSignUp = Accepted.extend({
  signupId: z.uuid().describe('For `POST /auth/signup/resend`. It does not say whether the account exists.'),
});
export const ResendSignUp = z.strictObject({ signupId: z.uuid() });
export const SignUpChallenge = z
  .object({
    algorithm: z.literal('SHA-256'),
    salt: z.string(),
    hash: z.string().describe('SHA-256, in hex, of the salt followed by a number in decimal digits. Find the number.'),
    maxNumber: z.int().describe('The number is smaller. Grows with the challenges that the same network asked for.'),
    signature: z.string(),
    expiresAt: z.date(),
  })
  .meta({ id: 'SignUpChallenge' });
export const NewSignUpChallenge = z.object({
  challenge: SignUpChallenge.nullable().describe('null where no proof of work is asked for.'),
});
export const ConfirmEmail = z.strictObject({
  token,
  password: password.describe('The new password.'),
});
export const ConfirmedEmail = z.object({ userId: idOf('user'), tenantId: idOf('tenant') });
export const AcceptInvitation = z.strictObject({ token, name, password, locale: Locale });
export const InvitationToken = z.strictObject({ token });
export const InvitationPreview = z
  .object({
    organisation: z.string(),
    email: z.string().describe('The invited email address.'),
    hasAccount: z.boolean().describe('If true, sign in to accept. Otherwise, choose a name and password.'),
  })
  .meta({ id: 'InvitationPreview' });
export const AcceptedInvitation = z.object({
  userId: idOf('user'),
  tenantId: idOf('tenant'),
  roles: z.array(z.string()),
});

/** The JSON of a credential from the browser's `navigator.credentials`. */
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
    isOperator: z.boolean().describe('An operator who is impersonating you.'),
    reason: z.string().nullable().describe('The reason the operator gave.'),
    methods: z.array(z.string()),
    ip: z.string(),
    userAgent: z.string(),
    createdAt: z.date(),
    lastSeenAt: z.date().describe('Accurate to a few minutes.'),
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
  options: z.looseObject({}).describe('Options for `navigator.credentials`, in WebAuthn JSON.'),
});
export const SecondFactors = z.object({
  totp: z.boolean(),
  recoveryCodesLeft: z.int(),
  passkeys: z.array(Passkey),
});
export const NewTotp = z.object({ secret: z.string(), uri: z.string().describe('For a QR code.') });
export const ConfirmTotp = z.strictObject({ code: z.string().min(6).max(10) });
export const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export const AddIdentity = z.strictObject({
  accessToken: z
    .string()
    .min(1)
    .max(20_000)
    .describe('Access token from the external issuer, for the identity to add.'),
});
export const AddedIdentity = z.object({ identity: z.object({ issuer: z.string() }) });
