/** The errors that a page can show, named like the `reason` of the API error. */
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
  /** The formatted wait, such as "2 minutes". */
  wait?: string | undefined;
  minLength?: number | undefined;
  /** The label of the invalid field. */
  field?: string | undefined;
}

/** The copy of all pages. Each language is one object of this type. */
export interface Texts {
  locale: string;
  direction: 'ltr' | 'rtl';
  /** The name of the language in that language. */
  languageName: string;
  /** The accessible name of the language list. */
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
    /** Cancelled or timed out; the browser does not say which. */
    failed: string;
    needsScript: string;
    notSupported: string;
    usePassword: string;
    useCode: string;
    useApp: string;
    /** A passkey is the only method. */
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
  /** Shown whether or not the account exists, so that the page does not reveal it. */
  sent: {
    title: string;
    reset: (email: string) => string;
    signUp: (email: string) => string;
    hint: string;
    again: string;
    sentAgain: string;
  };
  reset: {
    title: string;
    forEmail: (email: string) => string;
    button: string;
    doneTitle: string;
    doneText: string;
    newLink: string;
  };
  invitation: {
    /** Without a name if the link has expired. */
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
