import { z } from 'zod';
import type { Config } from '../../platform/config.ts';
import { pageRoute, type Route, type PageResponse, type PageRequest } from '../../platform/http/route.ts';
import {
  confirmEmail,
  findSignUp,
  forgotPassword,
  previewInvitation,
  minLength,
  resendSignUp,
  resetPassword,
  signUp,
  acceptInvitationWithNewAccount,
  findPasswordResetAccount,
  type Accounts,
} from '../accounts/index.ts';
import { startFirstSignIn } from './first-sign-in.ts';
import { confirmEmailPage, invitationPage, signUpPage, type SignUpCheckView } from './pages/account-pages.ts';
import { forgotPage, resetPage } from './pages/password-pages.ts';
import {
  assertSameOrigin,
  errorPage,
  formText,
  openPage,
  PageQuery,
  toPageError,
  type PageContext,
  type PageSite,
} from './page-requests.ts';

const tag = 'Sign-in pages';
const limit = { name: 'sign-in-pages', points: 300, seconds: 60 };
const emailLimit = { name: 'account-emails', points: 10, seconds: 600 };
const TokenQuery = PageQuery.extend({ token: formText(200) });
const email = formText(254);
const password = formText(1_024);
const token = formText(200);
const isEmail = (text: string) => z.email().safeParse(text).success;
const badEmail = { reason: 'invalid_fields', field: 'email' as const, status: 400 };

/** A solved challenge is sent in `proof`; the CAPTCHA widget of each provider adds its own field. */
const proofFields = ['proof', 'cf-turnstile-response', 'h-captcha-response', 'g-recaptcha-response'] as const;
const proof = formText(8_192).optional();
const SignUpForm = z.object({
  email,
  name: formText(120),
  organisation: formText(120),
  proof,
  'cf-turnstile-response': proof,
  'h-captcha-response': proof,
  'g-recaptcha-response': proof,
});

function checkViewOf({ SIGN_UP_CHECK, CAPTCHA }: Config): SignUpCheckView | undefined {
  if (SIGN_UP_CHECK === 'proof_of_work') return { kind: SIGN_UP_CHECK, challengeUrl: '/auth/signup/challenge' };
  if (SIGN_UP_CHECK !== 'captcha' || !CAPTCHA) return undefined;
  const { className, siteKey, scriptUrl, origins } = CAPTCHA;
  return { kind: SIGN_UP_CHECK, className, siteKey, scriptUrl, origins };
}

type PageError = ReturnType<typeof toPageError>;

/** The portal's page to join, which requires signing in first. */
const joinUrl = (portalUrl: string, linkToken: string) =>
  new URL(`/invitation?${new URLSearchParams({ token: linkToken }).toString()}`, portalUrl).href;

/** Pages opened from emails, and those that request an email. Opening a link changes nothing; submitting its form does. */
export function linkPageRoutes(accounts: Accounts, site: PageSite): Route[] {
  const { pool } = accounts;
  const { signInUrl } = site;
  const title = pool.name === 'customer' ? 'Customer' : 'Operator';

  /** A page and its form, at the same URL. */
  const pageAndForm = <B extends z.ZodObject>(
    path: `/${string}`,
    name: string,
    summary: string,
    body: B,
    show: (page: PageContext, token: string) => Promise<PageResponse> | PageResponse,
    send: (page: PageContext, form: z.output<B>, pageRequest: PageRequest) => Promise<PageResponse>,
    sendLimit = limit,
  ): Route[] => {
    const shape = { path: `/pools/${pool.name}${path}` as const, tag, showError: errorPage(site) };
    return [
      pageRoute({
        ...shape,
        method: 'GET',
        limit,
        name: `${pool.name}${name}Page`,
        summary: `${title} pool: ${summary}`,
        query: TokenQuery,
        handler: async (pageRequest, { query }) => show(openPage(site, pageRequest, query.lang), query.token),
      }),
      pageRoute({
        ...shape,
        method: 'POST',
        limit: sendLimit,
        name: `${pool.name}${name}Form`,
        summary: `${title} pool: ${summary} (form)`,
        query: PageQuery,
        body,
        handler: async (pageRequest, { query, body: form }) => {
          assertSameOrigin(site, pageRequest);
          return send(openPage(site, pageRequest, query.lang), form as z.output<B>, pageRequest);
        },
      }),
    ];
  };

  const showForgot = (page: PageContext, enteredEmail = '', isSent = false, error?: PageError) =>
    page.show(
      forgotPage(page.t, { action: page.urlOf('/forgot'), email: enteredEmail, isSent, error, signInUrl }),
      error?.status,
    );

  const showReset = async (page: PageContext, linkToken: string, error?: PageError, isDone = false) => {
    const account = isDone ? undefined : await findPasswordResetAccount(accounts, linkToken);
    const problem = error ?? (account || isDone ? undefined : { reason: 'link_expired', status: 409 });
    const view = {
      action: page.urlOf('/reset'),
      token: linkToken,
      email: account?.email,
      error: problem,
      minLength,
      isDone,
      signInUrl,
      forgotUrl: page.urlOf('/forgot'),
    };
    return page.show(resetPage(page.t, view), problem?.status);
  };

  return [
    ...pageAndForm(
      '/forgot',
      'Forgot',
      'Request a password reset link',
      z.object({ email }),
      (page) => showForgot(page),
      async (page, form) => {
        if (!isEmail(form.email)) return showForgot(page, form.email, false, badEmail);
        await forgotPassword(accounts, form.email, page.locale);
        return showForgot(page, form.email, true);
      },
      emailLimit,
    ),
    ...pageAndForm(
      '/reset',
      'Reset',
      'Choose a new password',
      z.object({ token, password }),
      (page, linkToken) => showReset(page, linkToken),
      async (page, form, pageRequest) => {
        try {
          await resetPassword(accounts, form, pageRequest);
          return await showReset(page, form.token, undefined, true);
        } catch (thrown) {
          return showReset(page, form.token, toPageError(thrown));
        }
      },
    ),
    ...(pool.name === 'customer' ? signUpPages() : []),
  ];

  function signUpPages(): Route[] {
    const showInvitation = async (page: PageContext, linkToken: string, error?: PageError) => {
      const invitation = await previewInvitation(accounts, linkToken);
      const problem = invitation ? error : { reason: 'link_expired', status: 409 };
      const view = {
        action: page.urlOf('/invitation'),
        token: linkToken,
        organisation: invitation?.tenantName ?? '',
        email: invitation?.email ?? '',
        needsAccount: invitation !== undefined && !invitation.account,
        error: problem,
        isDone: false,
        signInUrl: invitation?.account && signInUrl ? joinUrl(signInUrl, linkToken) : signInUrl,
        minLength,
      };
      return page.show(invitationPage(page.t, view), problem?.status);
    };
    const showSignUp = (
      page: PageContext,
      values = { email: '', name: '', organisation: '' },
      sent?: { signupId: string; isAgain: boolean },
      error?: PageError,
    ) => {
      const { email: enteredEmail, name, organisation } = values; // without the proof, which can be used only once
      const view = {
        action: page.urlOf('/sign-up'),
        values: { email: enteredEmail, name, organisation },
        error,
        isSent: sent !== undefined,
        ...(sent && {
          resend: { action: page.urlOf('/sign-up/resend'), signupId: sent.signupId, isDone: sent.isAgain && !error },
        }),
        signInUrl,
        check: checkView,
      };
      return page.show(signUpPage(page.t, view), error?.status);
    };
    const showConfirm = async (page: PageContext, linkToken: string, isDone = false, error?: PageError) => {
      const signup = isDone ? undefined : await findSignUp(accounts, linkToken);
      const problem = error ?? (signup || isDone ? undefined : { reason: 'link_expired', status: 409 });
      const { organisation = '', email: signUpEmail = '' } = signup ?? {};
      const view = {
        action: page.urlOf('/confirm'),
        token: linkToken,
        organisation,
        email: signUpEmail,
        isDone,
        minLength,
        signInUrl,
        signUpUrl: page.urlOf('/sign-up'),
      };
      return page.show(confirmEmailPage(page.t, { ...view, error: problem }), problem?.status);
    };
    const isFilled = (text: string) => text.trim() !== '';
    const checkView = checkViewOf(accounts.config);
    const resendForm = pageRoute({
      method: 'POST',
      path: '/pools/customer/sign-up/resend',
      name: 'customerSignUpResendForm',
      tag,
      summary: 'Customer pool: Send the confirmation email again (form)',
      limit: emailLimit,
      query: PageQuery,
      body: z.object({ signupId: formText(36), email }),
      showError: errorPage(site),
      handler: async (pageRequest, { query, body: { signupId, email: enteredEmail } }) => {
        assertSameOrigin(site, pageRequest);
        const page = openPage(site, pageRequest, query.lang);
        const values = { email: enteredEmail, name: '', organisation: '' };
        const error = await resendSignUp(accounts, signupId).then(() => undefined, toPageError);
        return showSignUp(page, values, { signupId, isAgain: true }, error);
      },
    });

    return [
      ...pageAndForm(
        '/invitation',
        'Invitation',
        'Accept an invitation',
        z.object({ token, name: formText(120), password }),
        (page, linkToken) => showInvitation(page, linkToken),
        async (page, form, pageRequest) => {
          const invitation = await previewInvitation(accounts, form.token);
          const missing = (['name', 'password'] as const).find((field) => !isFilled(form[field]));
          if (missing)
            return showInvitation(page, form.token, { reason: 'invalid_fields', field: missing, status: 400 });
          try {
            const { name, password: chosen } = form;
            const { userId } = await acceptInvitationWithNewAccount(
              accounts,
              { token: form.token, name: name.trim(), password: chosen, locale: page.locale },
              pageRequest,
            );
            const signIn = await startFirstSignIn(accounts, site, userId);
            if (signIn) return signIn;
          } catch (thrown) {
            return showInvitation(page, form.token, toPageError(thrown));
          }
          const organisation = invitation?.tenantName ?? '';
          const view = {
            action: '',
            token: '',
            organisation,
            email: '',
            needsAccount: false,
            isDone: true,
            signInUrl,
            minLength,
          };
          return page.show(invitationPage(page.t, view));
        },
      ),
      ...pageAndForm(
        '/sign-up',
        'SignUp',
        'Sign up and create an organisation',
        SignUpForm,
        (page) => showSignUp(page),
        async (page, values, pageRequest) => {
          const missing = (['name', 'organisation'] as const).find((field) => !isFilled(values[field]));
          if (!isEmail(values.email)) return showSignUp(page, values, undefined, badEmail);
          if (missing)
            return showSignUp(page, values, undefined, { reason: 'invalid_fields', field: missing, status: 400 });
          try {
            const { email: enteredEmail, name, organisation } = values;
            const solved = proofFields.map((field) => values[field]).find(Boolean);
            const { signupId } = await signUp(
              accounts,
              { email: enteredEmail, name, organisation, locale: page.locale, proof: solved },
              pageRequest,
            );
            return showSignUp(page, values, { signupId, isAgain: false });
          } catch (thrown) {
            return showSignUp(page, values, undefined, toPageError(thrown));
          }
        },
        emailLimit,
      ),
      resendForm,
      ...pageAndForm(
        '/confirm',
        'Confirm',
        'Confirm an email address and choose a password',
        z.object({ token, password }),
        (page, linkToken) => showConfirm(page, linkToken),
        async (page, form, pageRequest) => {
          try {
            const { userId } = await confirmEmail(accounts, form.token, form.password, pageRequest);
            return (await startFirstSignIn(accounts, site, userId)) ?? (await showConfirm(page, form.token, true));
          } catch (thrown) {
            return showConfirm(page, form.token, false, toPageError(thrown));
          }
        },
      ),
    ];
  }
}
