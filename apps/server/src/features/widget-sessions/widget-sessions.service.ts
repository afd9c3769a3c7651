import type { Caller, Context, RequestInfo, VisitorSession } from '../../platform/context.ts';
import { AppError, forbidden, notFound, unauthorized } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import { ipKey } from '../../platform/rate-limit.ts';
import type { Bindings } from '../api-keys/index.ts';
import { contentOf, environmentsOfBot, freezeDraft } from '../bots/index.ts';
import type { State } from '../conversations/conversations.contract.ts';
import { activeBot, admit, assertOpen, assertOrigin, configOf, type AdmissionParts } from './admission.ts';
import { contactIdOf, visitorIdOf } from './contact-id.ts';
import { createTokens, type Tokens } from './session-token.ts';
import type { OpenAnonymous, OpenAuthenticated } from './widget-sessions.contract.ts';

export interface SessionParts extends AdmissionParts {
  /** What this visitor can go on with; undefined when their token is no longer good. */
  recall(who: {
    tenantId: Id<'tenant'>;
    visitorId: Id<'visitor'>;
    givenAt: Date;
  }): Promise<{ conversation: { id: Id<'conversation'>; lastSeq: number; state: State } | null } | undefined>;
}

const perAddress = { name: 'widget-sessions', points: 30, seconds: 60 };

/** Opens sessions, and says whose a session token is. Writes nothing. */
export function openSessions(parts: SessionParts) {
  const tokens: Tokens = createTokens(parts.services.keyring);
  const { keys, consume: takeOne } = parts;

  async function anonymous(
    { publicKey, botId, visitorId: label, visitorToken }: OpenAnonymous,
    requestInfo: RequestInfo,
  ) {
    requestInfo.setRateState?.(await takeOne(perAddress, `${ipKey(requestInfo.ip)} ${publicKey.slice(0, 60)}`));
    const admitted = await admit(parts, { publicKey, botId }, requestInfo);
    const { tenantId, environmentId, keyId, origin, config } = admitted;
    const place = { tenantId, environmentId, botId: config.botId };
    const known = await recognise(parts, tokens, place, visitorToken);
    const visitorId = known?.visitorId ?? newId('visitor');
    const session = { ...place, openedBy: keyId, visitorId, label, origin, startedAt: new Date() };
    const nextToken = tokens.signVisitor({ ...place, visitorId });
    return {
      ...tokens.signSession(session),
      visitorToken: nextToken,
      conversation: known?.conversation ?? null,
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
    const { workspaceId, environmentId, botId, externalUserId, email } = input;
    if (input.tenantId !== tenantId)
      throw forbidden('tenant_mismatch', 'Your key belongs to a different tenant than the one in the request.');
    const bindings = await keys.bindingsOf(tenantId, caller.actor.id);
    if (!bindings) throw unauthorized('invalid_api_key', 'The key was revoked or has expired.');
    assertBound(bindings, input);
    const bot = await activeBot(parts, tenantId, botId);
    if (bot.workspaceId !== workspaceId) throw notFound('bot');
    if (!bot.environments.some(({ id }) => id === environmentId)) throw notFound('environment');
    configOf(bot, environmentId as Id<'environment'>);
    const contactId = contactIdOf(tenantId, environmentId, externalUserId);
    const signed = tokens.signSession({
      tenantId,
      environmentId: environmentId as Id<'environment'>,
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

  /** What a session stands on is asked at each use, from caches of seconds: it dies with its key, page, bot and tenant. */
  async function assertAlive(session: VisitorSession, requestInfo: RequestInfo): Promise<VisitorSession> {
    const { tenantId, botId, openedBy, origin, versionId } = session;
    requestInfo.setTenant?.(tenantId);
    await assertOpen(parts, tenantId);
    const bot = await activeBot(parts, tenantId, botId);
    if (versionId) return session; // a member tries a draft in the portal; it was signed for them, for half an hour
    if (!(await keys.bindingsOf(tenantId, openedBy)))
      throw unauthorized('session_ended', 'The key that opened this session is no longer valid.');
    const page = requestInfo.origin ?? origin;
    if (origin !== null && page !== origin)
      throw forbidden('origin_not_allowed', 'This session was opened on another page.');
    if (page !== null) assertOrigin(parts, bot, page);
    return session;
  }

  return {
    anonymous,
    authenticated,
    visitorOf: async (token: string, requestInfo: RequestInfo) =>
      assertAlive(await tokens.readSession(token), requestInfo),
    async refresh(sessionToken: string, requestInfo: RequestInfo) {
      const session = await assertAlive(await tokens.readSession(sessionToken, { isRenewal: true }), requestInfo);
      // Whoever tries a draft may have left the tenant meanwhile: they open a new one, which asks for their permission.
      if (session.versionId)
        throw unauthorized('session_expired', 'Open a new preview session to keep testing the draft.');
      return tokens.signSession(session);
    },
    /** For a member who tries the draft as it is now: the same session as a visitor's, in the test environment. */
    async toTry(ctx: Context, botId: Id<'bot'>) {
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
    /** Why this session is over; null while it goes on, or while nobody can tell. */
    endedBy: (session: VisitorSession, requestInfo: RequestInfo) =>
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

/** Somebody who was here before, if they can prove it and are still known. */
async function recognise(
  { recall }: SessionParts,
  tokens: Tokens,
  place: { tenantId: Id<'tenant'>; environmentId: string; botId: string },
  visitorToken: string | undefined,
) {
  if (visitorToken === undefined) return undefined;
  const known = await tokens.readVisitor(visitorToken);
  const isHere =
    known?.tenantId === place.tenantId && known.environmentId === place.environmentId && known.botId === place.botId;
  if (!known || !isHere) return undefined;
  const { visitorId, givenAt } = known;
  const recalled = await recall({ tenantId: place.tenantId, visitorId, givenAt });
  return recalled && { visitorId, ...recalled };
}
