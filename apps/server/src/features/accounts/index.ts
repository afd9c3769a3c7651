// What other features may use. Everything else here is private.
export { openAccounts, type Accounts } from './accounts.ts';
export { findById, insertAccount, setDisabled, cutTokens, type Account } from './accounts.store.ts';
export { countEncryptedInPool, rewrapPool } from './rewrap.ts';
export { mint, peek, take } from './one-time.ts';
export { minLength } from './passwords.ts';
export { confirmEmail, findSignUp, lookAtInvitation, signUp, takeUpInvitation } from './joining.ts';
export { forgotPassword, resetPassword, whoMayChoose } from './recovery.ts';
export { hasSecondFactor, proveCode, provePasskey, provePassword } from './sign-in.ts';
export { confirmTotp, passkeyCreation, passkeyRequest, savePasskey, totpToEnrol } from './second-factor.ts';
