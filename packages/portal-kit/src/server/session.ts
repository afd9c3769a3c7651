import { z } from 'zod';
import { createService } from '../service/client.ts';
import type { Cookies } from './cookies.ts';
import type { Hosted } from './hosted.ts';
import { poolRoutes, type PoolName } from './pool.ts';
import { createTokenRefresher } from './token-refresher.ts';
import { HttpError, toErrorBody } from './http-error.ts';

const AccessCookie = z.object({ accessToken: z.string(), expiresAt: z.number() });
const RefreshCookie = z.object({ refreshToken: z.string(), kind: z.enum(['password', 'hosted', 'impersonation']) });

/** `impersonation`: an operator who impersonates a member. It can't be refreshed, and its refresh token is empty. */
export type Tokens = z.infer<typeof AccessCookie> & z.infer<typeof RefreshCookie>;

/** The cookies outlive the impersonation, so that its end is not taken for a sign-out. */
const impersonationSeconds = 3_600;
/** `impersonation`: an operator was impersonating a member in this browser, and the impersonation has ended. */
const SignedOut = z.object({ reason: z.enum(['impersonation', 'session_ended', 'session_too_old', 'no_access']) });
export type SignedOutReason = z.infer<typeof SignedOut>['reason'];
/** How long the sign-in page says why someone was signed out. It is cleared by the next sign-in. */
const noticeSeconds: Record<SignedOutReason, number> = {
  impersonation: 120,
  session_ended: 3_600,
  session_too_old: 3_600,
  no_access: 3_600,
};

/** Tokens are refreshed this long before they expire, so that they don't expire during a request. */
const refreshMarginMs = 30_000;

interface SessionDeps {
  pool: PoolName;
  apiUrl: string;
  cookies: Cookies;
  hosted: Hosted;
}

/** Sessions from request cookies. Tokens stay in this module; callers get a client that adds them. */
export function createSessions({ pool, apiUrl, cookies, hosted }: SessionDeps) {
  const routes = poolRoutes(pool);
  const open = createService({ baseUrl: apiUrl });

  const refreshOnce = createTokenRefresher(async (credential: string): Promise<Tokens | 'ended'> => {
    const { refreshToken, kind } = RefreshCookie.parse(JSON.parse(credential));
    const before: Tokens = { refreshToken, kind, accessToken: '', expiresAt: 0 };
    if (kind === 'hosted') return hosted.refresh(before);
    const { data, response } = await open.POST(routes.refresh, { body: { refreshToken } });
    if (data) return toTokens(data);
    if (response.status === 401) return 'ended';
    throw new Error(`token refresh failed with status ${response.status}`);
  });

  function sessionOf(cookieHeader: string | undefined, forwarded: Record<string, string>) {
    let tokens: Promise<Tokens | undefined> | undefined;
    /** Tokens to store in the response's cookies; null clears them. */
    let changed: Tokens | null | undefined;
    /** Why this request signed the person out; undefined if they did so themselves. */
    let signedOut: SignedOutReason | undefined;

    const readTokens = async (): Promise<Tokens | undefined> => {
      const [access, refresh] = await Promise.all([
        cookies.open('at', cookieHeader, AccessCookie),
        cookies.open('rt', cookieHeader, RefreshCookie),
      ]);
      if (!refresh) return undefined;
      const stored = { accessToken: '', expiresAt: 0, ...access, ...refresh };
      if (stored.kind === 'impersonation' && stored.expiresAt > Date.now()) return stored;
      return stored.expiresAt - Date.now() > refreshMarginMs ? stored : refreshTokens(stored);
    };
    async function refreshTokens({ refreshToken, kind }: Tokens): Promise<Tokens | undefined> {
      if (kind === 'impersonation') {
        setTokens(null, 'impersonation');
        return undefined;
      }
      const next = await refreshOnce(JSON.stringify({ refreshToken, kind })).catch(() => {
        throw new HttpError(503, 'sign_in_unavailable', 'Can’t reach Parley right now. You’re still signed in.');
      });
      setTokens(next === 'ended' ? null : next, next === 'ended' ? 'session_ended' : undefined);
      return next === 'ended' ? undefined : next;
    }
    const currentTokens = () => (tokens ??= readTokens());

    /** Calls the service as this user. On 401, which means nothing was done, it refreshes the token and retries once. */
    async function call(request: Request): Promise<Response> {
      const stored = await currentTokens();
      const isRepeatable = request.body === null || request.method === 'GET';
      const retry = isRepeatable && stored ? request.clone() : undefined;
      const response = await send(request, stored);
      if (response.status !== 401 || !stored) return response;
      if (!retry) return response;
      tokens = refreshTokens(stored);
      const next = await tokens;
      if (!next) return response;
      const retried = await send(retry, next);
      // A new token doesn't help. Sign them out to avoid a redirect loop.
      if (retried.status === 401) setTokens(null, await signedOutReasonOf(retried));
      return retried;
    }
    /** Stores the tokens with the response, or clears them. */
    const setTokens = (next: Tokens | null, reason?: SignedOutReason) => {
      changed = next;
      signedOut = reason;
      tokens = Promise.resolve(next ?? undefined);
    };
    const send = (request: Request, stored: Tokens | undefined) => {
      for (const [name, value] of Object.entries(forwarded)) request.headers.set(name, value);
      if (stored) request.headers.set('authorization', `Bearer ${stored.accessToken}`);
      return fetch(request).catch((error: unknown) => {
        if (request.signal.aborted) throw error; // the client disconnected
        return unreachable();
      });
    };

    return {
      isSignedIn: async () => (await currentTokens()) !== undefined,
      /** Why they were signed out, for the sign-in page. */
      signedOutReason: async (): Promise<SignedOutReason | null> => {
        if (await currentTokens()) return null;
        return signedOut ?? (await cookies.open('ended', cookieHeader, SignedOut))?.reason ?? null;
      },
      tokens: currentTokens,
      call,
      service: createService({ baseUrl: apiUrl, fetch: call }),
      setTokens,
      async setCookies(): Promise<string[]> {
        if (changed === undefined) return [];
        const endedCookie = signedOut
          ? await cookies.encrypt('ended', { reason: signedOut }, { seconds: noticeSeconds[signedOut] })
          : cookieHeader?.includes('_ended=')
            ? cookies.clear('ended')
            : [];
        if (changed === null) return [...cookies.clear('at'), ...cookies.clear('rt'), ...endedCookie];
        const { accessToken, expiresAt, refreshToken, kind } = changed;
        const seconds = kind === 'impersonation' ? impersonationSeconds : routes.cookieSeconds;
        return [
          ...endedCookie,
          ...(await cookies.encrypt('at', { accessToken, expiresAt }, { seconds })),
          ...(await cookies.encrypt('rt', { refreshToken, kind }, { seconds })),
        ];
      },
    };
  }
  return { sessionOf, service: open };
}
export type Sessions = ReturnType<typeof createSessions>;
export type PortalSession = ReturnType<Sessions['sessionOf']>;

/** From the API's refusal of a token that was just renewed. */
async function signedOutReasonOf(refusal: Response): Promise<SignedOutReason> {
  const body = (await refusal
    .clone()
    .json()
    .catch(() => ({}))) as { error?: { reason?: string } };
  return body.error?.reason === 'session_too_old' ? 'session_too_old' : 'no_access';
}

interface SignInResult {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}
export const toTokens = ({ accessToken, refreshToken, expiresIn }: SignInResult): Tokens => ({
  kind: 'password',
  accessToken,
  refreshToken,
  expiresAt: Date.now() + expiresIn * 1_000,
});

/** An error response in the API's format when the service is unreachable. */
const unreachable = () => {
  const httpError = new HttpError(
    503,
    'service_unreachable',
    'Can’t reach Parley right now. Nothing is lost. Try again shortly.',
  );
  return Response.json(toErrorBody(httpError, ''), { status: 503, headers: { 'retry-after': '2' } });
};
