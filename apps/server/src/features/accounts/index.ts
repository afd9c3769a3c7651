// What other features may use. Everything else here is private.
export { openAccounts, type Accounts } from './accounts.ts';
export { findById, insertAccount, setDisabled, cutTokens, type Account } from './accounts.store.ts';
export { countEncryptedInPool, rewrapPool } from './rewrap.store.ts';
export { mint, peek, take } from './one-time-tokens.store.ts';
export { minLength } from './password/passwords.ts';
export { confirmEmail, findSignUp, lookAtInvitation, signUp, takeUpInvitation } from './sign-up/sign-up.ts';
export { forgotPassword, resetPassword, whoMayChoose } from './password/recovery.ts';
export { hasSecondFactor, proveCode, provePasskey, provePassword } from './sign-in/sign-in.ts';
export { confirmTotp, passkeyCreation, passkeyRequest, savePasskey, totpToEnrol } from './two-factor/two-factor.ts';
