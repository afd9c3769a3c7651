import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServiceError } from '../service/client.ts';
import { readJson } from './bodies.ts';
import type { PortalConfig } from './config.ts';
import type { Cookies } from './cookies.ts';
import { ownPath } from './guard.ts';
import { Journey, type Hosted } from './hosted.ts';
import { poolRoutes, type PoolName } from './pool.ts';
import { Refusal } from './refusal.ts';
import { toTokens, type PortalSession, type Tokens } from './session.ts';

interface Parts {
  pool: PoolName;
  config: PortalConfig;
  cookies: Cookies;
  hosted: Hosted;
  sessionOf(request: FastifyRequest): PortalSession;
}

const journeySeconds = 600;
const SignIn = z.strictObject({ email: z.string().max(254), password: z.string().max(1_024) });
const Code = z.strictObject({ code: z.string().max(40) });
const Switch = z.strictObject({ tenantId: z.string().max(80) });
const ImpersonationLink = z.strictObject({ code: z.string().max(100) });
const Half = z.object({ mfaToken: z.string() });

type Answer = {
  data?: Parameters<typeof toTokens>[0] & { userId: string; tenantId: string | null };
  error?: unknown;
  response: Response;
};

/** Signing in and out. What the service answers with tokens ends here: the page hears who, and never a token. */
export function signInRoutes(app: FastifyInstance, { pool, config, cookies, hosted, sessionOf }: Parts): void {
  const routes = poolRoutes(pool);
  const { origin } = new URL(config.PORTAL_URL);

  const finish = (request: FastifyRequest, reply: FastifyReply, answer: Answer, kind: Tokens['kind'] = 'password') => {
    void reply.header('cache-control', 'no-store');
    if (!answer.data) return passOn(reply, answer);
    sessionOf(request).keep({ ...toTokens(answer.data), kind });
    const { userId, tenantId } = answer.data;
    return reply.send({ userId, tenantId });
  };

  app.post('/api/auth/login', async (request, reply) => {
    const body = await readJson(request, SignIn);
    const response = await sessionOf(request).service.POST(routes.signIn, { body });
    const half = mfaTokenOf(response.error);
    if (!half) return finish(request, reply, response);
    // Half of a sign-in is kept like the whole: the page asks for the code and needs to know no more.
    void reply.header('set-cookie', await cookies.encrypt('half', { mfaToken: half }, { seconds: journeySeconds }));
    return passOn(reply.header('cache-control', 'no-store'), response);
  });

  app.post('/api/auth/login/mfa', async (request, reply) => {
    const { code } = await readJson(request, Code);
    const half = await cookies.open('half', request.headers.cookie, Half);
    if (!half) throw new Refusal(401, 'sign_in_expired', 'Your sign-in has expired. Sign in again.');
    const body = { mfaToken: half.mfaToken, code };
    const response = await sessionOf(request).service.POST(routes.signInWithCode, { body });
    if (response.data) void reply.header('set-cookie', cookies.clear('half'));
    return finish(request, reply, response);
  });

  app.post('/api/auth/logout', async (request, reply) => {
    const session = sessionOf(request);
    const tokens = await session.tokens().catch(() => undefined);
    const isImpersonation = tokens?.kind === 'lent';
    if (isImpersonation) await session.service.POST('/auth/impersonation/end').catch(() => {});
    else if (tokens?.kind === 'hosted') await hosted.revoke(tokens.refreshToken).catch(() => {});
    else if (tokens)
      await session.service.POST(routes.signOut, { body: { refreshToken: tokens.refreshToken } }).catch(() => {});
    session.keep(null, { isVisit: isImpersonation });
    return reply.header('cache-control', 'no-store').send({ status: 'done' });
  });

  if (pool === 'customer') {
    // An operator comes in somebody's place: by a button on our own page, since a link alone must change no session.
    app.post('/api/auth/impersonation', async (request, reply) => {
      const body = await readJson(request, ImpersonationLink);
      const response = await sessionOf(request).service.POST('/auth/impersonation', { body });
      const lent = response.data && { ...response.data, refreshToken: '' };
      return finish(request, reply, { ...response, ...(lent && { data: lent }) } as Answer, 'lent');
    });

    app.post('/api/auth/switch-tenant', async (request, reply) => {
      const { tenantId } = await readJson(request, Switch);
      const session = sessionOf(request);
      const tokens = await session.tokens();
      if (!tokens) throw new Refusal(401, 'not_signed_in', 'Sign in first.');
      if (tokens.kind === 'lent')
        throw new Refusal(
          403,
          'not_allowed_while_impersonating',
          'You can’t switch organisations while impersonating a member. End the impersonation first.',
        );
      const body = { tenantId, refreshToken: tokens.refreshToken };
      // Renewed from now on where it began.
      return finish(request, reply, await session.service.POST('/auth/switch-tenant', { body }), tokens.kind);
    });
  }

  app.get<{ Querystring: { next?: string } }>('/api/auth/start', async (request, reply) => {
    const { url, journey } = await hosted.begin(ownPath(request.query.next, origin));
    // Lax: a Strict one would not come along when the other site sends the browser back.
    const cookie = await cookies.encrypt('journey', journey, { site: 'Lax', seconds: journeySeconds });
    return reply.header('set-cookie', cookie).header('cache-control', 'no-store').redirect(url, 303);
  });

  app.get('/api/auth/callback', async (request, reply) => {
    const journey = await cookies.open('journey', request.headers.cookie, Journey);
    void reply.header('cache-control', 'no-store').header('set-cookie', cookies.clear('journey', 'Lax'));
    const tokens =
      journey &&
      (await hosted.finish(request.url, journey).catch((error: unknown) => {
        request.log.info({ err: error }, 'sign-in not completed');
      }));
    if (!tokens) return reply.redirect('/sign-in?problem=not_finished', 303);
    sessionOf(request).keep(tokens);
    // A page, not a redirect: only a step that begins here is one of our own, and brings the new cookies along.
    const next = ownPath(journey.next, origin).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return reply
      .type('text/html; charset=utf-8')
      .send(
        `<!doctype html><html lang="en"><head><title>Signed in</title><meta http-equiv="refresh" content="0;url=${next}"></head><body><p><a href="${next}">Continue</a></p></body></html>`,
      );
  });
}

const passOn = (reply: FastifyReply, { error, response }: Answer) => {
  const { error: problem } = (error ?? {}) as { error?: ServiceError };
  const retryAfter = response.headers.get('retry-after');
  if (retryAfter) void reply.header('retry-after', retryAfter);
  const details = problem?.details?.filter(({ path }) => !path.endsWith('mfaToken'));
  const {
    code = 'INTERNAL',
    reason = 'unreadable',
    message = 'Unexpected response from the API.',
    requestId,
  } = problem ?? {};
  return reply
    .status(response.status)
    .send({ error: { code, reason, message, requestId, ...(details?.length && { details }) } });
};

function mfaTokenOf(error: unknown): string | undefined {
  const problem = (error as { error?: ServiceError } | undefined)?.error;
  if (problem?.reason !== 'mfa_required') return undefined;
  return problem.details?.find(({ path }) => path.endsWith('mfaToken'))?.message;
}
