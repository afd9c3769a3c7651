/** What can go wrong on a page, by the names that the rest of the server gives it. */
export type Reason =
  | 'invalid_credentials'
  | 'too_many_requests'
  | 'invalid_code'
  | 'account_disabled'
  | 'no_membership'
  | 'password_too_short'
  | 'password_too_common'
  | 'password_too_long'
  | 'password_contains_email'
  | 'link_expired'
  | 'passkey_failed'
  | 'session_expired'
  | 'busy'
  | 'invalid_fields'
  | 'email_domain_blocked'
  | 'proof_required'
  | 'proof_invalid'
  | 'captcha_unavailable'
  | 'unexpected';

export type FieldName = 'email' | 'password' | 'code' | 'name' | 'organisation';

/** What happened, and what to do next. */
export interface Problem {
  what: string;
  next: string;
}

export interface ProblemDetails {
  /** How long to wait, in words: "2 minutes". */
  wait?: string | undefined;
  minLength?: number | undefined;
  /** The label of the field at fault. */
  field?: string | undefined;
}

/** Every word on the pages. A language is one object of this shape: no key may be missing and none may be added. */
export interface Texts {
  locale: string;
  direction: 'ltr' | 'rtl';
  /** The language's name in itself. */
  languageName: string;
  /** Names the list of languages for people who do not see it. */
  languages: string;
  or: string;
  fields: Record<FieldName, string> & { newPassword: string; recoveryCode: string };
  passwordHint: (minLength: number) => string;
  toSignIn: string;
  signIn: {
    title: string;
    continueTo: (client: string) => string;
    button: string;
    passkey: string;
    forgot: string;
    noAccount: string;
    createAccount: string;
  };
  passkey: {
    busy: string;
    /** Cancelled or timed out: the browser does not tell which. */
    failed: string;
    needsScript: string;
    notSupported: string;
    usePassword: string;
    useCode: string;
    useApp: string;
    /** There is no other way. */
    changeBrowser: string;
    allowScript: string;
  };
  secondFactor: {
    title: string;
    totp: string;
    passkeyOnly: string;
    recoveryOnly: string;
    button: string;
    passkey: string;
    useRecovery: string;
    recoveryHint: string;
    recoveryButton: string;
    restart: string;
  };
  enrol: {
    title: string;
    required: string;
    optional: string;
    passkeyHeading: string;
    passkeyText: string;
    passkeyButton: string;
    appHeading: string;
    appText: string;
    qr: string;
    cannotScan: string;
    codeLabel: string;
    button: string;
    skip: string;
  };
  recoveryCodes: {
    title: string;
    purpose: string;
    onlyNow: string;
    howToKeep: string;
    list: string;
    kept: string;
    button: string;
  };
  forgot: { title: string; intro: string; button: string };
  /** An email is on its way, or would be if there were an account: the page must not tell which. */
  sent: { title: string; reset: (email: string) => string; signUp: (email: string) => string; hint: string };
  reset: {
    title: string;
    forEmail: (email: string) => string;
    button: string;
    doneTitle: string;
    doneText: string;
    newLink: string;
  };
  invitation: {
    /** Without a name where the link is no longer good. */
    title: (organisation: string) => string;
    intro: (email: string) => string;
    withNewAccount: string;
    withOldAccount: string;
    buttonNew: string;
    buttonOld: string;
    doneTitle: (organisation: string) => string;
    doneText: string;
  };
  signUp: {
    title: string;
    organisationHint: string;
    button: string;
    haveAccount: string;
    /** While the browser solves the challenge. */
    busy: string;
    failed: string;
    needsScript: string;
  };
  confirmEmail: {
    title: string;
    text: (organisation: string, email: string) => string;
    button: string;
    doneTitle: string;
    doneText: string;
  };
  signOut: { title: string; text: string; button: string };
  signedOut: { title: string; text: string; signInAgain: string };
  errors: Record<Reason, (details: ProblemDetails) => Problem>;
}
