import { z } from 'zod';
import { pageRoute, type Route, type Shown, type Visit } from '../../platform/http/route.ts';
import {
  confirmEmail,
  forgotPassword,
  lookAtInvitation,
  minLength,
  resetPassword,
  signUp,
  takeUpInvitation,
  whoMayChoose,
  type Accounts,
} from '../accounts/index.ts';
import { confirmEmailPage, invitationPage, signUpPage } from './account-pages.ts';
import { forgotPage, resetPage } from './password-pages.ts';
import {
  assertOurs,
  errorPage,
  formText,
  openPage,
  PageQuery,
  toPageError,
  type OpenedPage,
  type PageSite,
} from './visits.ts';

const tag = 'Sign-in pages';
const limit = { name: 'sign-in-pages', points: 300, seconds: 60 };
const letterLimit = { name: 'letters', points: 10, seconds: 600 };
const TokenQuery = PageQuery.extend({ token: formText(200) });
const email = formText(254);
const password = formText(1_024);
const token = formText(200);
const isEmail = (text: string) => z.email().safeParse(text).success;
const badEmail = { reason: 'invalid_fields', field: 'email' as const, status: 400 };

type PageError = ReturnType<typeof toPageError>;

/** Pages that letters lead to, and those that ask for a letter. A link changes nothing by being opened: its form does. */
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
    show: (page: OpenedPage, token: string) => Promise<Shown> | Shown,
    send: (page: OpenedPage, form: z.output<B>, visit: Visit) => Promise<Shown>,
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
        handler: async (visit, { query }) => show(openPage(site, visit, query.lang), query.token),
      }),
      pageRoute({
        ...shape,
        method: 'POST',
        limit: sendLimit,
        name: `${pool.name}${name}Form`,
        summary: `${title} pool: ${summary} (its form)`,
        query: PageQuery,
        body,
        handler: async (visit, { query, body: form }) => {
          assertOurs(site, visit);
          return send(openPage(site, visit, query.lang), form as z.output<B>, visit);
        },
      }),
    ];
  };

  const showForgot = (page: OpenedPage, address = '', isSent = false, error?: PageError) =>
    page.show(
      forgotPage(page.t, { action: page.urlOf('/forgot'), email: address, isSent, error, signInUrl }),
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
      'Ask for a link to choose a new password',
      z.object({ email }),
      (page) => showForgot(page),
      async (page, form) => {
        if (!isEmail(form.email)) return showForgot(page, form.email, false, badEmail);
        await forgotPassword(accounts, form.email, page.locale);
        return showForgot(page, form.email, true);
      },
      letterLimit,
    ),
    ...both(
      '/reset',
      'Reset',
      'Choose a new password',
      z.object({ token, password }),
      (page, given) => showReset(page, given),
      async (page, form, visit) => {
        try {
          await resetPassword(accounts, form, visit);
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
        signInUrl,
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
      const view = { action: page.urlOf('/sign-up'), values, error, isSent, minLength, signInUrl };
      return page.show(signUpPage(page.t, view), error?.status);
    };
    const showConfirm = (page: OpenedPage, given: string, isDone = false, error?: PageError) => {
      const view = { action: page.urlOf('/confirm'), token: given, isDone, error, signInUrl };
      return page.show(confirmEmailPage(page.t, view), error?.status);
    };
    const filled = (text: string) => text.trim() !== '';

    return [
      ...both(
        '/invitation',
        'Invitation',
        'Take up an invitation',
        z.object({ token, name: formText(120), password }),
        (page, given) => showInvitation(page, given),
        async (page, form, visit) => {
          const seen = await lookAtInvitation(accounts, form.token);
          try {
            const answers = filled(form.password) ? { name: form.name.trim(), password: form.password } : {};
            await takeUpInvitation(accounts, { token: form.token, ...answers, locale: page.locale }, visit);
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
        'Make an account with a tenant of your own',
        z.object({ email, name: formText(120), organisation: formText(120), password }),
        (page) => showSignUp(page),
        async (page, { password: chosen, ...values }) => {
          const missing = (['name', 'organisation'] as const).find((field) => !filled(values[field]));
          if (!isEmail(values.email)) return showSignUp(page, values, false, badEmail);
          if (missing)
            return showSignUp(page, values, false, { reason: 'invalid_fields', field: missing, status: 400 });
          try {
            await signUp(accounts, { ...values, password: chosen, locale: page.locale });
            return showSignUp(page, values, true);
          } catch (thrown) {
            return showSignUp(page, values, false, toPageError(thrown));
          }
        },
        letterLimit,
      ),
      ...both(
        '/confirm',
        'Confirm',
        'Confirm an e-mail address',
        z.object({ token }),
        (page, given) => showConfirm(page, given),
        async (page, form, visit) => {
          try {
            await confirmEmail(accounts, form.token, visit);
            return showConfirm(page, form.token, true);
          } catch (thrown) {
            return showConfirm(page, form.token, false, toPageError(thrown));
          }
        },
      ),
    ];
  }
}
