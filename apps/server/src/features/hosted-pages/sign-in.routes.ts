import { z } from 'zod';
import { pageRoute, type Route, type PageResponse, type PageRequest } from '../../platform/http/route.ts';
import {
  confirmTotp,
  passkeyCreation,
  passkeyRequest,
  proveCode,
  provePasskey,
  provePassword,
  savePasskey,
  totpToEnrol,
  type Account,
  type Accounts,
} from '../accounts/index.ts';
import { enrolPage, recoveryCodesPage } from './pages/enrol-pages.ts';
import * as interactions from './interaction.ts';
import { qrCode } from './html/qr.ts';
import { secondFactorPage, signInPage, type SecondFactor } from './pages/sign-in-pages.ts';
import { assertOurs, errorPage, formText, openPage, PageQuery, toPageError, type PageSite } from './page-requests.ts';

const Uid = z.object({ uid: z.string().max(64) });
const tag = 'Sign-in pages';
const limit = { name: 'sign-in-pages', points: 300, seconds: 60 };

/** Signing in at our own pages, step by step. What is proved is kept with the interaction; the address stays the same. */
export function signInPageRoutes(accounts: Accounts, site: PageSite): Route[] {
  const { pool } = accounts;
  const title = pool.name === 'customer' ? 'Customer' : 'Operator';
  const showError = errorPage(site);

  /** Where each form goes, under the interaction's own address: its cookie is sent nowhere else. */
  const open = async (pageRequest: PageRequest, uid: string, lang: string | undefined) => {
    const interaction = await interactions.findInteraction(accounts, pageRequest, uid);
    const asked = lang ?? (interaction.params['ui_locales'] as string | undefined);
    const page = openPage(site, pageRequest, asked);
    return { interaction, page, at: (path = '') => page.urlOf(`/interaction/${uid}${path}`) };
  };
  type Opened = Awaited<ReturnType<typeof open>>;
  type PageError = ReturnType<typeof toPageError>;

  const showSignIn = async ({ page, at }: Opened, error?: PageError, email = ''): Promise<PageResponse> => {
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

  const showSecondFactor = async (
    { page, at }: Opened,
    { hasTotp, hasPasskey }: Account,
    error?: PageError,
    usedMethod?: SecondFactor,
  ): Promise<PageResponse> => {
    const methods: SecondFactor[] = [
      ...(hasTotp ? (['totp', 'recovery_code'] as const) : []),
      ...(hasPasskey ? (['passkey'] as const) : []),
    ];
    const passkey = hasPasskey
      ? { action: at('/passkey'), options: JSON.stringify(await passkeyRequest(accounts)) }
      : undefined;
    const view = { action: at('/code'), methods, passkey, error, usedMethod, restartUrl: at('/restart') };
    return page.show(secondFactorPage(page.t, view), error?.status);
  };

  const showEnrolment = async ({ page, at }: Opened, { userId }: Account, error?: PageError): Promise<PageResponse> => {
    const { secret, uri } = await totpToEnrol(accounts, { userId });
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

  /** The page for what is still missing, or the way back. */
  const goOn = async (
    opened: Opened,
    pageRequest: PageRequest,
    progress: interactions.Progress | undefined,
  ): Promise<PageResponse> => {
    if (!progress) return showSignIn(opened);
    const account = await interactions.accountOf(accounts, progress);
    const missing = interactions.whatIsMissing(accounts, account, progress);
    if (missing === 'second-factor') return showSecondFactor(opened, account);
    if (missing === 'enrolment') return showEnrolment(opened, account);
    return { location: await interactions.finish(accounts, pageRequest, progress) };
  };

  /** One more thing is proved. Sent on by a redirect, so that a reload does not send the form again. */
  const advance = async (
    opened: Opened,
    pageRequest: PageRequest,
    progress: interactions.Progress,
  ): Promise<PageResponse> => {
    const account = await interactions.accountOf(accounts, progress);
    if (interactions.whatIsMissing(accounts, account, progress) === 'nothing')
      return { location: await interactions.finish(accounts, pageRequest, progress) };
    await interactions.saveProgress(opened.interaction, progress);
    return { location: opened.at() };
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
  /** A form of one step; what it refuses is shown on the page it came from. */
  const step = <B extends z.ZodObject>(
    path: string,
    name: string,
    summary: string,
    body: B,
    handle: (
      opened: Opened,
      pageRequest: PageRequest,
      form: z.output<B>,
      progress: interactions.Progress | undefined,
    ) => Promise<PageResponse>,
  ): Route =>
    pageRoute({
      ...shape('POST', path, name, summary),
      body,
      handler: async (pageRequest, { params, query, body: form }) => {
        assertOurs(site, pageRequest);
        const opened = await open(pageRequest, params.uid, query.lang);
        return handle(opened, pageRequest, form as z.output<B>, interactions.progressOf(opened.interaction));
      },
    });

  return [
    pageRoute({
      ...shape('GET', '', 'SignInPage', 'Show the sign-in page'),
      handler: async (pageRequest, { params, query }) => {
        const opened = await open(pageRequest, params.uid, query.lang);
        return goOn(opened, pageRequest, interactions.progressOf(opened.interaction));
      },
    }),
    pageRoute({
      ...shape('GET', '/restart', 'RestartSignIn', 'Restart sign-in with a different account'),
      handler: async (pageRequest, { params, query }) => {
        const opened = await open(pageRequest, params.uid, query.lang);
        await interactions.saveProgress(opened.interaction, undefined);
        return { location: opened.at() };
      },
    }),
    step(
      '/password',
      'SignInForm',
      'Submit the sign-in form',
      z.object({ email: formText(254), password: formText(1_024) }),
      async (opened, pageRequest, form) => {
        try {
          const { account, methods, settle } = await provePassword(accounts, form, pageRequest);
          await pool.inPool(settle);
          return await advance(opened, pageRequest, { userId: account.userId, methods });
        } catch (thrown) {
          return showSignIn(opened, toPageError(thrown), form.email);
        }
      },
    ),
    step(
      '/passkey',
      'PasskeyForm',
      'Submit a passkey, instead of a password or after one',
      z.object({ credential: formText(20_000) }),
      async (opened, pageRequest, { credential }, progress) => {
        try {
          const { account, methods } = await provePasskey(accounts, readJson(credential));
          // After a password it must be the same person's.
          if (progress && progress.userId !== account.userId)
            await interactions.saveProgress(opened.interaction, undefined);
          return await advance(opened, pageRequest, { userId: account.userId, methods });
        } catch (thrown) {
          const error = toPageError(thrown);
          if (!progress) return showSignIn(opened, error);
          return showSecondFactor(opened, await interactions.accountOf(accounts, progress), error, 'passkey');
        }
      },
    ),
    step(
      '/code',
      'SecondFactorForm',
      'Submit a two-factor code',
      z.object({ code: formText(40), method: z.enum(['totp', 'recovery_code']).catch('totp') }),
      async (opened, pageRequest, { code, method }, progress) => {
        if (!progress) return { location: opened.at() };
        const account = await interactions.accountOf(accounts, progress);
        try {
          const proved = await proveCode(accounts, account, code, pageRequest);
          return await advance(opened, pageRequest, { ...progress, methods: [...progress.methods, proved] });
        } catch (thrown) {
          return showSecondFactor(opened, account, toPageError(thrown), method);
        }
      },
    ),
    step(
      '/enrol',
      'EnrolForm',
      'Submit the first code of a new authenticator app',
      z.object({ code: formText(10) }),
      async (opened, pageRequest, { code }, progress) => {
        const enrolling = await mayEnrol(progress);
        if (!enrolling) return { location: opened.at() };
        try {
          const { recoveryCodes } = await confirmTotp(accounts, enrolling.account, code, pageRequest);
          await interactions.saveProgress(opened.interaction, { ...enrolling.progress, methods: ['pwd', 'otp'] });
          const view = { codes: recoveryCodes, action: opened.at('/continue') };
          return opened.page.show(recoveryCodesPage(opened.page.t, view));
        } catch (thrown) {
          return showEnrolment(opened, enrolling.account, toPageError(thrown));
        }
      },
    ),
    step(
      '/enrol-passkey',
      'EnrolPasskeyForm',
      'Submit a first passkey',
      z.object({ credential: formText(20_000) }),
      async (opened, pageRequest, { credential }, progress) => {
        const enrolling = await mayEnrol(progress);
        if (!enrolling) return { location: opened.at() };
        try {
          await savePasskey(accounts, enrolling.account, readJson(credential), 'Passkey', pageRequest);
          return await advance(opened, pageRequest, { ...enrolling.progress, methods: ['pwd', 'passkey'] });
        } catch (thrown) {
          return showEnrolment(opened, enrolling.account, toPageError(thrown));
        }
      },
    ),
    step(
      '/continue',
      'ContinueForm',
      'Continue after the recovery codes',
      z.object({}),
      async (opened, pageRequest, _form, progress) =>
        progress ? advance(opened, pageRequest, progress) : { location: opened.at() },
    ),
  ];

  /** Only somebody whose password was right and who has no second factor yet: nobody adds one beside another's. */
  async function mayEnrol(progress: interactions.Progress | undefined) {
    if (!progress) return undefined;
    const account = await interactions.accountOf(accounts, progress);
    return interactions.whatIsMissing(accounts, account, progress) === 'enrolment' ? { progress, account } : undefined;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
