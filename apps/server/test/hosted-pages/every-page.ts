// Every page and what it is made of, for the tests beside.
export { trusted, type Html } from '../../src/features/hosted-pages/html.ts';
export {
  chooseLocale,
  languageLinks,
  textsOf,
  type LanguageLink,
  type Locale,
} from '../../src/features/hosted-pages/locale.ts';
export type { Texts } from '../../src/features/hosted-pages/texts.ts';
export { describeProblem, type PageError } from '../../src/features/hosted-pages/problem.ts';
export { renderPage, type Page } from '../../src/features/hosted-pages/layout.ts';
export type { PageParts, PasskeyView } from '../../src/features/hosted-pages/parts.ts';
export { qrCode } from '../../src/features/hosted-pages/qr.ts';
export {
  secondFactorPage,
  signInPage,
  type SecondFactor,
  type SecondFactorView,
  type SignInView,
} from '../../src/features/hosted-pages/sign-in-pages.ts';
export {
  enrolPage,
  recoveryCodesPage,
  type EnrolView,
  type RecoveryCodesView,
} from '../../src/features/hosted-pages/enrol-pages.ts';
export {
  forgotPage,
  resetPage,
  type ForgotView,
  type ResetView,
} from '../../src/features/hosted-pages/password-pages.ts';
export {
  confirmEmailPage,
  invitationPage,
  signUpPage,
  type ConfirmEmailView,
  type InvitationView,
  type SignUpView,
} from '../../src/features/hosted-pages/account-pages.ts';
export { messagePage, type MessageView } from '../../src/features/hosted-pages/message-page.ts';
