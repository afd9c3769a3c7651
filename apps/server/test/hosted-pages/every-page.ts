// Re-exports all pages for the tests in this folder.
export { trusted, type Html } from '../../src/features/hosted-pages/html/html.ts';
export {
  chooseLocale,
  languageLinks,
  textsOf,
  type LanguageLink,
  type Locale,
} from '../../src/features/hosted-pages/locale/locale.ts';
export type { Texts } from '../../src/features/hosted-pages/locale/texts.ts';
export { describeProblem, type PageError } from '../../src/features/hosted-pages/problem.ts';
export { renderPage, type Page } from '../../src/features/hosted-pages/html/layout.ts';
export type { PageContent, PasskeyView } from '../../src/features/hosted-pages/html/components.ts';
export { qrCode } from '../../src/features/hosted-pages/html/qr.ts';
export {
  twoFactorPage,
  signInPage,
  type TwoFactorMethod,
  type TwoFactorView,
  type SignInView,
} from '../../src/features/hosted-pages/pages/sign-in-pages.ts';
export {
  enrolPage,
  recoveryCodesPage,
  type EnrolView,
  type RecoveryCodesView,
} from '../../src/features/hosted-pages/pages/enrol-pages.ts';
export {
  forgotPage,
  resetPage,
  type ForgotView,
  type ResetView,
} from '../../src/features/hosted-pages/pages/password-pages.ts';
export {
  confirmEmailPage,
  invitationPage,
  signUpPage,
  type ConfirmEmailView,
  type InvitationView,
  type SignUpView,
} from '../../src/features/hosted-pages/pages/account-pages.ts';
export { messagePage, type MessageView } from '../../src/features/hosted-pages/pages/message-page.ts';
