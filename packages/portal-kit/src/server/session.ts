import { z } from 'zod';
import { createService } from '../service/client.ts';
import type { Cookies } from './cookies.ts';
import type { Hosted } from './hosted.ts';
import { poolRoutes, type PoolName } from './pool.ts';
import { createRefreshing } from './refreshing.ts';
import { Refusal, toBody } from './refusal.ts';

const Access = z.object({ accessToken: z.string(), expiresAt: z.number() });
const Renewal = z.object({ refreshToken: z.string(), kind: z.enum(['password', 'hosted', 'lent']) });

/** `lent`: an operator in somebody's place. There is nothing to renew it with, and its refresh token is empty. */
export type Tokens = z.infer<typeof Access> & z.infer<typeof Renewal>;

/** A lent session is known as one for longer than it lasts, so that its end is not taken for a sign-out. */
const lentSeconds = 3_600;
/** How long a browser is told that a visit has ended. */
const overSeconds = 120;
const Over = z.object({ isOver: z.literal(true) });

/** Renewed while it still has this long to live: nothing that was begun with it outlives it. */
const marginMs = 30_000;

interface Parts {
  pool: PoolName;
  apiUrl: string;
  cookies: Cookies;
  hosted: Hosted;
}

/** Who is asking, from the cookies of a request. Tokens stay in here: what others get is a way to call the service. */
export function createSessions({ pool, apiUrl, cookies, hosted }: Parts) {
  const routes = poolRoutes(pool);
  const open = createService({ baseUrl: apiUrl });

  const renew = createRefreshing(async (packed: string): Promise<Tokens | 'ended'> => {
    const { refreshToken, kind } = Renewal.parse(JSON.parse(packed));
    const before: Tokens = { refreshToken, kind, accessToken: '', expiresAt: 0 };
    if (kind === 'hosted') return hosted.refresh(before);
    const { data, response } = await open.POST(routes.refresh, { body: { refreshToken } });
    if (data) return toTokens(data);
    if (response.status === 401) return 'ended';
    throw new Error(`token refresh failed with status ${response.status}`);
  });

  function sessionOf(cookieHeader: string | undefined, forwarded: Record<string, string>) {
    let tokens: Promise<Tokens | undefined> | undefined;
    /** What the browser is to keep from now on; null when there is nothing to keep any more. */
    let changed: Tokens | null | undefined;
    let hasImpersonationEnded = false;

    const kept = async (): Promise<Tokens | undefined> => {
      const [access, renewal] = await Promise.all([
        cookies.open('at', cookieHeader, Access),
        cookies.open('rt', cookieHeader, Renewal),
      ]);
      if (!renewal) return undefined;
      const found = { accessToken: '', expiresAt: 0, ...access, ...renewal };
      if (found.kind === 'lent' && found.expiresAt > Date.now()) return found;
      return found.expiresAt - Date.now() > marginMs ? found : renewed(found);
    };
    async function renewed({ refreshToken, kind }: Tokens): Promise<Tokens | undefined> {
      if (kind === 'lent') {
        hasImpersonationEnded = true;
        changed = null;
        return undefined;
      }
      const next = await renew(JSON.stringify({ refreshToken, kind })).catch(() => {
        throw new Refusal(503, 'sign_in_unavailable', 'Can’t reach Parley right now. You’re still signed in.');
      });
      changed = next === 'ended' ? null : next;
      return next === 'ended' ? undefined : next;
    }
    const now = () => (tokens ??= kept());

    /** Calls the service as this person. A token it no longer takes is renewed, once: 401 means that nothing was done. */
    async function call(request: Request): Promise<Response> {
      const found = await now();
      const isRepeatable = request.body === null || request.method === 'GET';
      const again = isRepeatable && found ? request.clone() : undefined;
      const response = await send(request, found);
      if (response.status !== 401 || !found) return response;
      if (!again) return response;
      tokens = renewed(found);
      const next = await tokens;
      if (!next) return response;
      const second = await send(again, next);
      // Whoever belongs to no organisation any more: kept as signed in, they would be sent to and fro for ever.
      if (second.status === 401) keep(null);
      return second;
    }
    /** Keeps these from the answer on, or forgets. */
    const keep = (given: Tokens | null, { isVisit: isImpersonation = false } = {}) => {
      changed = given;
      hasImpersonationEnded = isImpersonation;
      tokens = Promise.resolve(given ?? undefined);
    };
    const send = (request: Request, found: Tokens | undefined) => {
      for (const [name, value] of Object.entries(forwarded)) request.headers.set(name, value);
      if (found) request.headers.set('authorization', `Bearer ${found.accessToken}`);
      return fetch(request).catch((error: unknown) => {
        if (request.signal.aborted) throw error; // whoever asked is gone
        return unreachable();
      });
    };

    return {
      isSignedIn: async () => (await now()) !== undefined,
      /** An operator was in somebody's place here until a moment ago. */
      isImpersonationOver: async () =>
        (await now()) === undefined &&
        (hasImpersonationEnded || (await cookies.open('visit', cookieHeader, Over)) !== undefined),
      tokens: now,
      call,
      service: createService({ baseUrl: apiUrl, fetch: call }),
      keep,
      async setCookies(): Promise<string[]> {
        if (changed === undefined) return [];
        const visit = hasImpersonationEnded
          ? await cookies.encrypt('visit', { isOver: true }, { seconds: overSeconds })
          : cookieHeader?.includes('_visit=')
            ? cookies.clear('visit')
            : [];
        if (changed === null) return [...cookies.clear('at'), ...cookies.clear('rt'), ...visit];
        const { accessToken, expiresAt, refreshToken, kind } = changed;
        const seconds = kind === 'lent' ? lentSeconds : routes.cookieSeconds;
        return [
          ...visit,
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

interface SignedIn {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}
export const toTokens = ({ accessToken, refreshToken, expiresIn }: SignedIn): Tokens => ({
  kind: 'password',
  accessToken,
  refreshToken,
  expiresAt: Date.now() + expiresIn * 1_000,
});

/** A service that does not answer is answered for, in its own words. */
const unreachable = () => {
  const refusal = new Refusal(
    503,
    'service_unreachable',
    'Can’t reach Parley right now. Nothing is lost. Try again shortly.',
  );
  return Response.json(toBody(refusal, ''), { status: 503, headers: { 'retry-after': '2' } });
};
