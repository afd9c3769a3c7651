// The public interface of this feature. Other features import only from here.
export { openAccounts, type Accounts } from './accounts.ts';
export { findById, insertAccount, setDisabled, revokeTokens, type Account } from './accounts.store.ts';
export { countEncryptedInPool, rewrapPool } from './rewrap.store.ts';
export { createToken, peekToken, consumeToken } from './one-time-tokens.store.ts';
export { minLength } from './password/passwords.ts';
export {
  confirmEmail,
  findSignUp,
  previewInvitation,
  resendSignUp,
  signUp,
  acceptInvitationWithNewAccount,
} from './sign-up/sign-up.ts';
export { forgotPassword, resetPassword, findPasswordResetAccount } from './password/recovery.ts';
export { hasTwoFactor, verifyCode, verifyPasskey, verifyPassword } from './sign-in/sign-in.ts';
export {
  confirmTotp,
  passkeyCreation,
  passkeyRequest,
  savePasskey,
  pendingOrNewTotp,
} from './two-factor/two-factor.ts';
