import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServiceError, ServiceResponse } from '../service/client.ts';
import { readJson } from './bodies.ts';
import type { PortalConfig } from './config.ts';
import type { Cookies } from './cookies.ts';
import { sameOriginPath } from './guard.ts';
import { PendingSignIn, type Hosted } from './hosted.ts';
import { poolRoutes, type PoolName } from './pool.ts';
import { HttpError } from './http-error.ts';
import { toTokens, type PortalSession, type Tokens } from './session.ts';

interface SignInDeps {
  pool: PoolName;
  config: PortalConfig;
  cookies: Cookies;
  hosted: Hosted;
  sessionOf(request: FastifyRequest): PortalSession;
}

const pendingSeconds = 600;
const SignIn = z.strictObject({ email: z.string().max(254), password: z.string().max(1_024) });
const Code = z.strictObject({ code: z.string().max(40) });
const Switch = z.strictObject({ tenantId: z.string().max(80) });
const ImpersonationLink = z.strictObject({ code: z.string().max(100) });
const PendingMfa = z.object({ mfaToken: z.string() });

type SignInResponse = ServiceResponse<Parameters<typeof toTokens>[0] & { userId: string; tenantId: string | null }>;

/** Sign-in and sign-out. Tokens stay on the server; pages get only the user and tenant. */
export function signInRoutes(app: FastifyInstance, { pool, config, cookies, hosted, sessionOf }: SignInDeps): void {
  const routes = poolRoutes(pool);
  const { origin } = new URL(config.PORTAL_URL);

  const finish = (
    request: FastifyRequest,
    reply: FastifyReply,
    response: SignInResponse,
    kind: Tokens['kind'] = 'password',
  ) => {
    void reply.header('cache-control', 'no-store');
    if (!response.data) return forwardError(reply, response);
    sessionOf(request).setTokens({ ...toTokens(response.data), kind });
    const { userId, tenantId } = response.data;
    return reply.send({ userId, tenantId });
  };

  app.post('/api/auth/login', async (request, reply) => {
    const body = await readJson(request, SignIn);
    const response = await sessionOf(request).service.POST(routes.signIn, { body });
    const pendingMfa = mfaTokenOf(response.error);
    if (!pendingMfa) return finish(request, reply, response);
    // The MFA token is kept in a cookie. The page only asks for the code.
    void reply.header(
      'set-cookie',
      await cookies.encrypt('half', { mfaToken: pendingMfa }, { seconds: pendingSeconds }),
    );
    return forwardError(reply.header('cache-control', 'no-store'), response);
  });

  app.post('/api/auth/login/mfa', async (request, reply) => {
    const { code } = await readJson(request, Code);
    const pendingMfa = await cookies.open('half', request.headers.cookie, PendingMfa);
    if (!pendingMfa) throw new HttpError(401, 'sign_in_expired', 'Your sign-in has expired. Sign in again.');
    const body = { mfaToken: pendingMfa.mfaToken, code };
    const response = await sessionOf(request).service.POST(routes.signInWithCode, { body });
    if (response.data) void reply.header('set-cookie', cookies.clear('half'));
    return finish(request, reply, response);
  });

  app.post('/api/auth/logout', async (request, reply) => {
    const session = sessionOf(request);
    const tokens = await session.tokens().catch(() => undefined);
    const isImpersonation = tokens?.kind === 'impersonation';
    if (isImpersonation) await session.service.POST('/auth/impersonation/end').catch(() => {});
    else if (tokens?.kind === 'hosted') await hosted.revoke(tokens.refreshToken).catch(() => {});
    else if (tokens)
      await session.service.POST(routes.signOut, { body: { refreshToken: tokens.refreshToken } }).catch(() => {});
    session.setTokens(null, isImpersonation ? 'impersonation' : undefined);
    return reply.header('cache-control', 'no-store').send({ status: 'done' });
  });

  if (pool === 'customer') {
    // Starts an impersonation. A POST from our own page, because a link alone must not change the session.
    app.post('/api/auth/impersonation', async (request, reply) => {
      const body = await readJson(request, ImpersonationLink);
      const { data, ...result } = await sessionOf(request).service.POST('/auth/impersonation', { body });
      const response = data ? { ...result, data: { ...data, refreshToken: '' } } : result;
      return finish(request, reply, response, 'impersonation');
    });

    app.post('/api/auth/switch-tenant', async (request, reply) => {
      const { tenantId } = await readJson(request, Switch);
      const session = sessionOf(request);
      const tokens = await session.tokens();
      if (!tokens) throw new HttpError(401, 'not_signed_in', 'Sign in first.');
      if (tokens.kind === 'impersonation')
        throw new HttpError(
          403,
          'not_allowed_while_impersonating',
          'You can’t switch organisations while impersonating a member. End the impersonation first.',
        );
      const body = { tenantId, refreshToken: tokens.refreshToken };
      // Keep the kind, which decides where the tokens are refreshed.
      return finish(request, reply, await session.service.POST('/auth/switch-tenant', { body }), tokens.kind);
    });
  }

  app.get<{ Querystring: { next?: string } }>('/api/auth/start', async (request, reply) => {
    const { url, pendingSignIn } = await hosted.start(sameOriginPath(request.query.next, origin));
    // Lax, because Strict cookies are not sent on the redirect back from the other site.
    const cookie = await cookies.encrypt('journey', pendingSignIn, { site: 'Lax', seconds: pendingSeconds });
    return reply.header('set-cookie', cookie).header('cache-control', 'no-store').redirect(url, 303);
  });

  app.get('/api/auth/callback', async (request, reply) => {
    const pendingSignIn = await cookies.open('journey', request.headers.cookie, PendingSignIn);
    void reply.header('cache-control', 'no-store').header('set-cookie', cookies.clear('journey', 'Lax'));
    const tokens =
      pendingSignIn &&
      (await hosted.finish(request.url, pendingSignIn).catch((error: unknown) => {
        request.log.info({ err: error }, 'sign-in not completed');
      }));
    if (!tokens) return reply.redirect('/sign-in?problem=not_finished', 303);
    sessionOf(request).setTokens(tokens);
    // A page instead of a redirect: only a navigation started on this site sends the Strict cookies.
    const next = sameOriginPath(pendingSignIn.next, origin).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return reply
      .type('text/html; charset=utf-8')
      .send(
        `<!doctype html><html lang="en"><head><title>Signed in</title><meta http-equiv="refresh" content="0;url=${next}"></head><body><p><a href="${next}">Continue</a></p></body></html>`,
      );
  });
}

const forwardError = (reply: FastifyReply, { error, response }: SignInResponse) => {
  const { error: problem } = (error ?? {}) as { error?: ServiceError };
  for (const name of ['retry-after', 'x-request-id']) {
    const value = response.headers.get(name);
    if (value !== null) void reply.header(name, value);
  }
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
