import { z } from 'zod';
import { pageRoute, type Route, type PageResponse, type PageRequest } from '../../platform/http/route.ts';
import {
  confirmTotp,
  passkeyCreation,
  passkeyRequest,
  verifyCode,
  verifyPasskey,
  verifyPassword,
  savePasskey,
  pendingOrNewTotp,
  type Account,
  type Accounts,
} from '../accounts/index.ts';
import { enrolPage, recoveryCodesPage } from './pages/enrol-pages.ts';
import * as interactions from './interaction.ts';
import { redeemFirstSignIn } from './first-sign-in.ts';
import { qrCode } from './html/qr.ts';
import { twoFactorPage, signInPage, type TwoFactorMethod } from './pages/sign-in-pages.ts';
import {
  assertSameOrigin,
  errorPage,
  formText,
  openPage,
  PageQuery,
  toPageError,
  type PageSite,
} from './page-requests.ts';

const Uid = z.object({ uid: z.string().max(64) });
const tag = 'Sign-in pages';
const limit = { name: 'sign-in-pages', points: 300, seconds: 60 };

/** The steps of the hosted sign-in. Progress is stored with the interaction; the URL stays the same. */
export function signInPageRoutes(accounts: Accounts, site: PageSite): Route[] {
  const { pool } = accounts;
  const title = pool.name === 'customer' ? 'Customer' : 'Operator';
  const showError = errorPage(site);

  /** Forms are posted under the interaction's own path, because its cookie is limited to that path. */
  const open = async (pageRequest: PageRequest, uid: string, lang: string | undefined) => {
    const interaction = await interactions.findInteraction(accounts, pageRequest, uid);
    const requestedLocale = lang ?? (interaction.params['ui_locales'] as string | undefined);
    const page = openPage(site, pageRequest, requestedLocale);
    return { interaction, page, at: (path = '') => page.urlOf(`/interaction/${uid}${path}`) };
  };
  type InteractionPage = Awaited<ReturnType<typeof open>>;
  type PageError = ReturnType<typeof toPageError>;

  const showSignIn = async ({ page, at }: InteractionPage, error?: PageError, email = ''): Promise<PageResponse> => {
    const options = JSON.stringify(await passkeyRequest(accounts));
    const view = {
      action: at('/password'),
      email,
      error,
      passkey: { action: at('/passkey'), options },
      forgotUrl: page.urlOf('/forgot'),
      ...(pool.name === 'customer' && accounts.config.SIGNUP === 'open' && { signUpUrl: page.urlOf('/sign-up') }),
    };
    return page.show(signInPage(page.t, view), error?.status);
  };

  const showTwoFactor = async (
    { page, at }: InteractionPage,
    { hasTotp, hasPasskey }: Account,
    error?: PageError,
    usedMethod?: TwoFactorMethod,
  ): Promise<PageResponse> => {
    const methods: TwoFactorMethod[] = [
      ...(hasTotp ? (['totp', 'recovery_code'] as const) : []),
      ...(hasPasskey ? (['passkey'] as const) : []),
    ];
    const passkey = hasPasskey
      ? { action: at('/passkey'), options: JSON.stringify(await passkeyRequest(accounts)) }
      : undefined;
    const view = { action: at('/code'), methods, passkey, error, usedMethod, restartUrl: at('/restart') };
    return page.show(twoFactorPage(page.t, view), error?.status);
  };

  const showEnrolment = async (
    { page, at }: InteractionPage,
    { userId }: Account,
    error?: PageError,
  ): Promise<PageResponse> => {
    const { secret, uri } = await pendingOrNewTotp(accounts, { userId });
    const options = JSON.stringify(await passkeyCreation(accounts, { userId }));
    const view = {
      action: at('/enrol'),
      secret,
      qrSvg: qrCode(uri),
      passkey: { action: at('/enrol-passkey'), options },
      error,
      isRequired: true,
    };
    return page.show(enrolPage(page.t, view), error?.status);
  };

  /** Shows the next step, or redirects to the client if nothing is missing. */
  const showNextStep = async (
    interactionPage: InteractionPage,
    pageRequest: PageRequest,
    progress: interactions.Progress | undefined,
  ): Promise<PageResponse> => {
    if (!progress) return showSignIn(interactionPage);
    const account = await interactions.accountOf(accounts, progress);
    const missing = interactions.missingStep(accounts, account, progress);
    if (missing === 'two-factor') return showTwoFactor(interactionPage, account);
    if (missing === 'enrolment') return showEnrolment(interactionPage, account);
    return { location: await interactions.finish(accounts, pageRequest, progress) };
  };

  /** Saves the progress and redirects, so that a reload does not submit the form again. */
  const saveAndRedirect = async (
    interactionPage: InteractionPage,
    pageRequest: PageRequest,
    progress: interactions.Progress,
  ): Promise<PageResponse> => {
    const account = await interactions.accountOf(accounts, progress);
    if (interactions.missingStep(accounts, account, progress) === 'nothing')
      return { location: await interactions.finish(accounts, pageRequest, progress) };
    await interactions.saveProgress(interactionPage.interaction, progress);
    return { location: interactionPage.at() };
  };

  const shape = (method: 'GET' | 'POST', step: string, name: string, summary: string) => ({
    method,
    path: `/pools/${pool.name}/interaction/:uid${step}` as const,
    name: `${pool.name}${name}`,
    tag,
    summary: `${title} pool: ${summary}`,
    limit,
    params: Uid,
    query: PageQuery,
    showError,
  });
  /** The form of one step. Errors are shown on the page it was submitted from. */
  const step = <B extends z.ZodObject>(
    path: string,
    name: string,
    summary: string,
    body: B,
    handle: (
      interactionPage: InteractionPage,
      pageRequest: PageRequest,
      form: z.output<B>,
      progress: interactions.Progress | undefined,
    ) => Promise<PageResponse>,
  ): Route =>
    pageRoute({
      ...shape('POST', path, name, summary),
      body,
      handler: async (pageRequest, { params, query, body: form }) => {
        assertSameOrigin(site, pageRequest);
        const interactionPage = await open(pageRequest, params.uid, query.lang);
        return handle(
          interactionPage,
          pageRequest,
          form as z.output<B>,
          interactions.progressOf(interactionPage.interaction),
        );
      },
    });

  return [
    pageRoute({
      ...shape('GET', '', 'SignInPage', 'Show the sign-in page'),
      handler: async (pageRequest, { params, query }) => {
        const interactionPage = await open(pageRequest, params.uid, query.lang);
        const { interaction } = interactionPage;
        const progress =
          interactions.progressOf(interaction) ?? (await redeemFirstSignIn(accounts, site, interaction, pageRequest));
        return showNextStep(interactionPage, pageRequest, progress);
      },
    }),
    pageRoute({
      ...shape('GET', '/restart', 'RestartSignIn', 'Restart sign-in with a different account'),
      handler: async (pageRequest, { params, query }) => {
        const interactionPage = await open(pageRequest, params.uid, query.lang);
        await interactions.saveProgress(interactionPage.interaction, undefined);
        return { location: interactionPage.at() };
      },
    }),
    step(
      '/password',
      'SignInForm',
      'Submit the sign-in form',
      z.object({ email: formText(254), password: formText(1_024) }),
      async (interactionPage, pageRequest, form) => {
        try {
          const { account, methods, onSuccess } = await verifyPassword(accounts, form, pageRequest);
          await pool.inPool(onSuccess);
          return await saveAndRedirect(interactionPage, pageRequest, { userId: account.userId, methods });
        } catch (thrown) {
          return showSignIn(interactionPage, toPageError(thrown), form.email);
        }
      },
    ),
    step(
      '/passkey',
      'PasskeyForm',
      'Submit a passkey, instead of a password or after one',
      z.object({ credential: formText(20_000) }),
      async (interactionPage, pageRequest, { credential }, progress) => {
        try {
          const { account, methods } = await verifyPasskey(accounts, readJson(credential));
          // After a password, the passkey must belong to the same person.
          if (progress && progress.userId !== account.userId)
            await interactions.saveProgress(interactionPage.interaction, undefined);
          return await saveAndRedirect(interactionPage, pageRequest, { userId: account.userId, methods });
        } catch (thrown) {
          const error = toPageError(thrown);
          if (!progress) return showSignIn(interactionPage, error);
          return showTwoFactor(interactionPage, await interactions.accountOf(accounts, progress), error, 'passkey');
        }
      },
    ),
    step(
      '/code',
      'SecondFactorForm',
      'Submit a two-factor code',
      z.object({ code: formText(40), method: z.enum(['totp', 'recovery_code']).catch('totp') }),
      async (interactionPage, pageRequest, { code, method }, progress) => {
        if (!progress) return { location: interactionPage.at() };
        const account = await interactions.accountOf(accounts, progress);
        try {
          const verifiedMethod = await verifyCode(accounts, account, code, pageRequest);
          return await saveAndRedirect(interactionPage, pageRequest, {
            ...progress,
            methods: [...progress.methods, verifiedMethod],
          });
        } catch (thrown) {
          return showTwoFactor(interactionPage, account, toPageError(thrown), method);
        }
      },
    ),
    step(
      '/enrol',
      'EnrolForm',
      'Submit the first code of a new authenticator app',
      z.object({ code: formText(10) }),
      async (interactionPage, pageRequest, { code }, progress) => {
        const enrolment = await findEnrolment(progress);
        if (!enrolment) return { location: interactionPage.at() };
        try {
          const { recoveryCodes } = await confirmTotp(accounts, enrolment.account, code, pageRequest);
          await interactions.saveProgress(interactionPage.interaction, {
            ...enrolment.progress,
            methods: ['pwd', 'otp'],
          });
          const view = { codes: recoveryCodes, action: interactionPage.at('/continue') };
          return interactionPage.page.show(recoveryCodesPage(interactionPage.page.t, view));
        } catch (thrown) {
          return showEnrolment(interactionPage, enrolment.account, toPageError(thrown));
        }
      },
    ),
    step(
      '/enrol-passkey',
      'EnrolPasskeyForm',
      'Submit a first passkey',
      z.object({ credential: formText(20_000) }),
      async (interactionPage, pageRequest, { credential }, progress) => {
        const enrolment = await findEnrolment(progress);
        if (!enrolment) return { location: interactionPage.at() };
        try {
          await savePasskey(accounts, enrolment.account, readJson(credential), 'Passkey', pageRequest);
          return await saveAndRedirect(interactionPage, pageRequest, {
            ...enrolment.progress,
            methods: ['pwd', 'passkey'],
          });
        } catch (thrown) {
          return showEnrolment(interactionPage, enrolment.account, toPageError(thrown));
        }
      },
    ),
    step(
      '/continue',
      'ContinueForm',
      'Continue after the recovery codes',
      z.object({}),
      async (interactionPage, pageRequest, _form, progress) =>
        progress ? saveAndRedirect(interactionPage, pageRequest, progress) : { location: interactionPage.at() },
    ),
  ];

  /** Only for people who entered the correct password and have no second factor yet; otherwise the password alone could add one. */
  async function findEnrolment(progress: interactions.Progress | undefined) {
    if (!progress) return undefined;
    const account = await interactions.accountOf(accounts, progress);
    return interactions.missingStep(accounts, account, progress) === 'enrolment' ? { progress, account } : undefined;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
