import { z } from 'zod';
import type { Config } from '../../platform/config.ts';
import { pageRoute, type Route, type PageResponse, type PageRequest } from '../../platform/http/route.ts';
import {
  confirmEmail,
  findSignUp,
  forgotPassword,
  lookAtInvitation,
  minLength,
  resetPassword,
  signUp,
  takeUpInvitation,
  whoMayChoose,
  type Accounts,
} from '../accounts/index.ts';
import { confirmEmailPage, invitationPage, signUpPage, type SignUpCheckView } from './pages/account-pages.ts';
import { forgotPage, resetPage } from './pages/password-pages.ts';
import {
  assertOurs,
  errorPage,
  formText,
  openPage,
  PageQuery,
  toPageError,
  type OpenedPage,
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

/** A solved challenge comes in our own field; the widget of each provider adds one of its own. */
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

/** In the portal, where they sign in first. */
const joinUrl = (portalUrl: string, given: string) =>
  new URL(`/invitation?${new URLSearchParams({ token: given }).toString()}`, portalUrl).href;

/** Pages that emails lead to, and those that ask for an email. A link changes nothing by being opened: its form does. */
export function linkPageRoutes(accounts: Accounts, site: PageSite): Route[] {
  const { pool } = accounts;
  const { signInUrl } = site;
  const title = pool.name === 'customer' ? 'Customer' : 'Operator';

  /** The page, and its form at the same address. */
  const both = <B extends z.ZodObject>(
    path: `/${string}`,
    name: string,
    summary: string,
    body: B,
    show: (page: OpenedPage, token: string) => Promise<PageResponse> | PageResponse,
    send: (page: OpenedPage, form: z.output<B>, pageRequest: PageRequest) => Promise<PageResponse>,
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
          assertOurs(site, pageRequest);
          return send(openPage(site, pageRequest, query.lang), form as z.output<B>, pageRequest);
        },
      }),
    ];
  };

  const showForgot = (page: OpenedPage, ip = '', isSent = false, error?: PageError) =>
    page.show(
      forgotPage(page.t, { action: page.urlOf('/forgot'), email: ip, isSent, error, signInUrl }),
      error?.status,
    );

  const showReset = async (page: OpenedPage, given: string, error?: PageError, isDone = false) => {
    const account = isDone ? undefined : await whoMayChoose(accounts, given);
    const problem = error ?? (account || isDone ? undefined : { reason: 'link_expired', status: 409 });
    const view = {
      action: page.urlOf('/reset'),
      token: given,
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
    ...both(
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
    ...both(
      '/reset',
      'Reset',
      'Choose a new password',
      z.object({ token, password }),
      (page, given) => showReset(page, given),
      async (page, form, pageRequest) => {
        try {
          await resetPassword(accounts, form, pageRequest);
          return await showReset(page, form.token, undefined, true);
        } catch (thrown) {
          return showReset(page, form.token, toPageError(thrown));
        }
      },
    ),
    ...(pool.name === 'customer' ? joiningPages() : []),
  ];

  function joiningPages(): Route[] {
    const showInvitation = async (page: OpenedPage, given: string, error?: PageError) => {
      const seen = await lookAtInvitation(accounts, given);
      const problem = seen ? error : { reason: 'link_expired', status: 409 };
      const view = {
        action: page.urlOf('/invitation'),
        token: given,
        organisation: seen?.tenantName ?? '',
        email: seen?.email ?? '',
        needsAccount: seen !== undefined && !seen.account,
        error: problem,
        isDone: false,
        signInUrl: seen?.account && signInUrl ? joinUrl(signInUrl, given) : signInUrl,
        minLength,
      };
      return page.show(invitationPage(page.t, view), problem?.status);
    };
    const showSignUp = (
      page: OpenedPage,
      values = { email: '', name: '', organisation: '' },
      isSent = false,
      error?: PageError,
    ) => {
      const { email: ip, name, organisation } = values; // a proof is good once
      const view = {
        action: page.urlOf('/sign-up'),
        values: { email: ip, name, organisation },
        error,
        isSent,
        signInUrl,
        check: checkView,
      };
      return page.show(signUpPage(page.t, view), error?.status);
    };
    const showConfirm = async (page: OpenedPage, given: string, isDone = false, error?: PageError) => {
      const signup = isDone ? undefined : await findSignUp(accounts, given);
      const problem = error ?? (signup || isDone ? undefined : { reason: 'link_expired', status: 409 });
      const { organisation = '', email: of = '' } = signup ?? {};
      const view = {
        action: page.urlOf('/confirm'),
        token: given,
        organisation,
        email: of,
        isDone,
        minLength,
        signInUrl,
      };
      return page.show(confirmEmailPage(page.t, { ...view, error: problem }), problem?.status);
    };
    const filled = (text: string) => text.trim() !== '';
    const checkView = checkViewOf(accounts.config);

    return [
      ...both(
        '/invitation',
        'Invitation',
        'Accept an invitation',
        z.object({ token, name: formText(120), password }),
        (page, given) => showInvitation(page, given),
        async (page, form, pageRequest) => {
          const seen = await lookAtInvitation(accounts, form.token);
          const missing = (['name', 'password'] as const).find((field) => !filled(form[field]));
          if (missing)
            return showInvitation(page, form.token, { reason: 'invalid_fields', field: missing, status: 400 });
          try {
            const { name, password: chosen } = form;
            await takeUpInvitation(
              accounts,
              { token: form.token, name: name.trim(), password: chosen, locale: page.locale },
              pageRequest,
            );
          } catch (thrown) {
            return showInvitation(page, form.token, toPageError(thrown));
          }
          const organisation = seen?.tenantName ?? '';
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
      ...both(
        '/sign-up',
        'SignUp',
        'Sign up and create an organisation',
        SignUpForm,
        (page) => showSignUp(page),
        async (page, values, pageRequest) => {
          const missing = (['name', 'organisation'] as const).find((field) => !filled(values[field]));
          if (!isEmail(values.email)) return showSignUp(page, values, false, badEmail);
          if (missing)
            return showSignUp(page, values, false, { reason: 'invalid_fields', field: missing, status: 400 });
          try {
            const { email: ip, name, organisation } = values;
            const solved = proofFields.map((field) => values[field]).find(Boolean);
            await signUp(accounts, { email: ip, name, organisation, locale: page.locale, proof: solved }, pageRequest);
            return showSignUp(page, values, true);
          } catch (thrown) {
            return showSignUp(page, values, false, toPageError(thrown));
          }
        },
        emailLimit,
      ),
      ...both(
        '/confirm',
        'Confirm',
        'Confirm an email address and choose a password',
        z.object({ token, password }),
        (page, given) => showConfirm(page, given),
        async (page, form, pageRequest) => {
          try {
            await confirmEmail(accounts, form.token, form.password, pageRequest);
            return await showConfirm(page, form.token, true);
          } catch (thrown) {
            return showConfirm(page, form.token, false, toPageError(thrown));
          }
        },
      ),
    ];
  }
}
