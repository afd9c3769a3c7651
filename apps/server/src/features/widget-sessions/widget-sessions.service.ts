import { inTenant, type Caller, type Context, type RequestInfo, type VisitorSession } from '../../platform/context.ts';
import { AppError, forbidden, notFound, unauthorized } from '../../platform/errors.ts';
import type { FailedAuthentications } from '../../platform/failed-authentications.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import { ipKey } from '../../platform/rate-limit.ts';
import type { Bindings } from '../api-keys/index.ts';
import { contentOf, environmentsOfBot, freezeDraft } from '../bots/index.ts';
import { contactIdOf, saveIdentity, visitorIdOf } from '../contacts/index.ts';
import type { State } from '../conversations/conversations.contract.ts';
import { activeBot, admit, assertTenantActive, assertOrigin, configOf, type AdmissionDeps } from './admission.ts';
import { createTokens, type Tokens } from './session-token.ts';
import type { OpenAnonymous, OpenAuthenticated } from './widget-sessions.contract.ts';

export interface SessionDeps extends AdmissionDeps {
  failedAuthentications: FailedAuthentications;
  /** The conversation to continue; undefined if the visitor token is no longer valid. */
  resumeVisitor(visitor: {
    tenantId: Id<'tenant'>;
    visitorId: Id<'visitor'>;
    issuedAt: Date;
  }): Promise<{ conversation: { id: Id<'conversation'>; lastSeq: number; state: State } | null } | undefined>;
}

const perIp = { name: 'widget-sessions', points: 30, seconds: 60 };

/** Opens and verifies sessions. Stores nothing, except what a backend says about its user. */
export function openSessions(deps: SessionDeps) {
  const tokens: Tokens = createTokens(deps.services.keyring);
  const { keys, consume, failedAuthentications } = deps;
  const readSession = (token: string, requestInfo: RequestInfo, options?: Parameters<Tokens['readSession']>[1]) =>
    tokens.readSession(token, options).catch((error: unknown) => failedAuthentications.rethrow(error, requestInfo));

  async function anonymous(
    { publicKey, botId, visitorId: label, visitorToken }: OpenAnonymous,
    requestInfo: RequestInfo,
  ) {
    requestInfo.setRateState?.(await consume(perIp, `${ipKey(requestInfo.ip)} ${publicKey.slice(0, 60)}`));
    const admitted = await admit(deps, { publicKey, botId }, requestInfo);
    const { tenantId, environmentId, keyId, origin, config } = admitted;
    const scope = { tenantId, environmentId, botId: config.botId };
    const visitor = await identifyVisitor(deps, tokens, scope, visitorToken);
    const visitorId = visitor?.visitorId ?? newId('visitor');
    const session = { ...scope, openedBy: keyId, visitorId, label, origin, startedAt: new Date() };
    const nextToken = tokens.signVisitor({ ...scope, visitorId });
    return {
      ...tokens.signSession(session),
      visitorToken: nextToken,
      conversation: visitor?.conversation ?? null,
      config,
    };
  }

  async function authenticated(caller: Caller, input: OpenAuthenticated) {
    if (caller.actor.type !== 'api_key')
      throw unauthorized(
        'server_key_required',
        'To open sessions for your users, call this from your backend with a server key.',
      );
    const { tenantId } = caller;
    const { workspaceId, botId, externalUserId, email, name, attributes } = input;
    const environmentId = input.environmentId as Id<'environment'>;
    if (input.tenantId !== tenantId)
      throw forbidden('tenant_mismatch', 'Your key belongs to a different tenant than the one in the request.');
    const bindings = await keys.bindingsOf(tenantId, caller.actor.id);
    if (!bindings) throw unauthorized('invalid_api_key', 'The key was revoked or has expired.');
    assertBound(bindings, input);
    const bot = await activeBot(deps, tenantId, botId);
    if (bot.workspaceId !== workspaceId) throw notFound('bot');
    if (!bot.environments.some(({ id }) => id === environmentId)) throw notFound('environment');
    configOf(bot, environmentId);
    const contactId = contactIdOf(tenantId, environmentId, externalUserId);
    // Not in the token, which the page can read.
    if (name !== undefined || attributes !== undefined) {
      const identity = { id: contactId, environmentId, externalUserId, email };
      await inTenant(deps.services, caller, (ctx) => saveIdentity(ctx, identity, { name, attributes }, bot.id));
    }
    const signed = tokens.signSession({
      tenantId,
      environmentId,
      botId: bot.id,
      openedBy: caller.actor.id,
      visitorId: visitorIdOf(contactId),
      label: externalUserId,
      contact: { id: contactId, externalUserId, email },
      origin: null,
      startedAt: new Date(),
    });
    return { ...signed, contactId };
  }

  /** Checked at each use, with caches of a few seconds: a session ends with its key, origin, bot or tenant. */
  async function assertAlive(session: VisitorSession, requestInfo: RequestInfo): Promise<VisitorSession> {
    const { tenantId, botId, openedBy, origin, versionId } = session;
    requestInfo.setTenant?.(tenantId);
    await assertTenantActive(deps, tenantId);
    const bot = await activeBot(deps, tenantId, botId);
    if (versionId) return session; // a member's preview of a draft in the portal, signed for half an hour
    if (!(await keys.bindingsOf(tenantId, openedBy)))
      throw unauthorized('session_ended', 'The key that opened this session is no longer valid.');
    const page = requestInfo.origin ?? origin;
    if (origin !== null && page !== origin)
      throw forbidden('origin_not_allowed', 'This session was opened on another page.');
    if (page !== null) assertOrigin(deps, bot, page);
    return session;
  }

  return {
    anonymous,
    authenticated,
    visitorIn: (session: VisitorSession, visitorToken: string | undefined) => visitorIn(tokens, session, visitorToken),
    visitorOf: async (token: string, requestInfo: RequestInfo) =>
      assertAlive(await readSession(token, requestInfo), requestInfo),
    async refresh(sessionToken: string, requestInfo: RequestInfo) {
      const signed = await readSession(sessionToken, requestInfo, { isRenewal: true });
      const session = await assertAlive(signed, requestInfo);
      // The member may have left the tenant: opening a new preview session checks the permission.
      if (session.versionId)
        throw unauthorized('session_expired', 'Open a new preview session to keep testing the draft.');
      return tokens.signSession(session);
    },
    /** A visitor session in the test environment, for a member who previews the current draft. */
    async preview(ctx: Context, botId: Id<'bot'>) {
      const versionId = await freezeDraft(ctx, botId);
      const content = await contentOf(ctx.tx, versionId);
      const environments = await environmentsOfBot(ctx.tx, botId);
      const environment = environments.find(({ name }) => name === 'test') ?? environments[0];
      if (!environment || !content) throw notFound('environment');
      const { tenantId, actor } = ctx;
      const signed = tokens.signSession({
        tenantId,
        environmentId: environment.id,
        botId,
        openedBy: actor.id,
        visitorId: newId('visitor'),
        label: actor.id,
        origin: null,
        versionId,
        startedAt: ctx.now,
      });
      return { ...signed, config: { ...content, botId, versionId, isHandoffOffered: content.handoff.isOffered } };
    },
    /** Why this session has ended; null while it is valid, or if that cannot be checked now. */
    checkEnd: (session: VisitorSession, requestInfo: RequestInfo) =>
      assertAlive(session, requestInfo).then(
        () => null,
        (error: unknown) =>
          error instanceof AppError && error.status < 500 ? { reason: error.reason, message: error.message } : null,
      ),
  };
}
export type Sessions = ReturnType<typeof openSessions>;

function assertBound(bindings: Bindings, { workspaceId, environmentId, botId }: OpenAuthenticated) {
  const pairs = [
    [bindings.workspaceId, workspaceId],
    [bindings.environmentId, environmentId],
    [bindings.boundBotId, botId],
  ] as const;
  if (pairs.some(([bound, named]) => bound !== null && bound !== named))
    throw unauthorized('key_binding_mismatch', 'This key is bound to another workspace, environment or bot.');
}

/** The visitor of a token, if it is for this bot and environment. */
async function visitorIn(
  tokens: Tokens,
  { tenantId, environmentId, botId }: Pick<VisitorSession, 'tenantId' | 'environmentId' | 'botId'>,
  visitorToken: string | undefined,
) {
  const visitor = visitorToken === undefined ? undefined : await tokens.readVisitor(visitorToken);
  const isSameScope =
    visitor?.tenantId === tenantId && visitor.environmentId === environmentId && visitor.botId === botId;
  return isSameScope ? visitor : undefined;
}

/** The returning visitor, if the token is valid for this bot and not superseded. */
async function identifyVisitor(
  { resumeVisitor }: SessionDeps,
  tokens: Tokens,
  scope: Pick<VisitorSession, 'tenantId' | 'environmentId' | 'botId'>,
  visitorToken: string | undefined,
) {
  const visitor = await visitorIn(tokens, scope, visitorToken);
  if (!visitor) return undefined;
  const { visitorId, issuedAt } = visitor;
  const resumed = await resumeVisitor({ tenantId: scope.tenantId, visitorId, issuedAt });
  return resumed && { visitorId, ...resumed };
}
