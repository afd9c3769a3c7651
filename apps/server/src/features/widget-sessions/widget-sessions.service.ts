import type { Caller, Context, From, Ground, VisitorSession } from '../../platform/context.ts';
import { asSystem, inTenant } from '../../platform/context.ts';
import { AppError, conflict, forbidden, notFound, unauthorized } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import { newId } from '../../platform/ids.ts';
import { addressKey, type TakeOne } from '../../platform/rate-limit.ts';
import { noteExposure, type Bindings, type KeyAuth } from '../api-keys/index.ts';
import {
  contentOf,
  environmentsOfBot,
  freezeDraft,
  isOriginAllowed,
  type BotStates,
  type KnownBot,
} from '../bots/index.ts';
import type { KnownTenant } from '../tenants/index.ts';
import { contactIdOf, visitorIdOf } from './contact-id.ts';
import { createTokens, type Tokens } from './session-token.ts';
import type { OpenAnonymous, OpenAuthenticated, WidgetConfig } from './widget-sessions.contract.ts';

export interface SessionParts {
  ground: Ground;
  keys: KeyAuth;
  bots: BotStates;
  tenantState: (tenantId: Id<'tenant'>) => KnownTenant | Promise<KnownTenant>;
  takeOne: TakeOne;
  /** What this visitor can go on with; undefined when their token is no longer good. */
  recall(who: {
    tenantId: Id<'tenant'>;
    visitorId: Id<'visitor'>;
    givenAt: Date;
  }): Promise<{ conversation: { id: Id<'conversation'>; lastSeq: number } | null } | undefined>;
}

const perAddress = { name: 'widget-sessions', points: 30, seconds: 60 };
const exposures = { name: 'key-exposed', points: 1, seconds: 3_600 };

/** Opens sessions, and says whose a session token is. Writes nothing. */
export function openSessions(parts: SessionParts) {
  const tokens: Tokens = createTokens(parts.ground.keyring);
  const { keys, takeOne } = parts;

  async function anonymous({ publicKey, botId, visitorId: label, visitorToken }: OpenAnonymous, from: From) {
    from.noteRate?.(await takeOne(perAddress, `${addressKey(from.address)} ${publicKey.slice(0, 60)}`));
    const key = await keys.lookUp(publicKey);
    if (key?.keyType === 'secret_server') await tellOwner(parts, key.principal.caller.tenantId, key.keyId);
    if (!key || key.keyType !== 'public_widget')
      throw unauthorized(
        'invalid_api_key',
        'This is not a widget key, or it is revoked. Widget keys begin with pk_live_.',
      );
    if (key.endsAt <= Date.now())
      throw unauthorized('key_expired', 'This key has expired, or its secret was rotated away.');
    if (key.boundBotId !== botId)
      throw unauthorized('bot_mismatch', 'This widget key is bound to another bot. Check data-bot-id.');
    const { tenantId } = key.principal.caller;
    await assertOpen(parts, tenantId);
    const bot = await activeBot(parts, tenantId, botId);
    const origin = assertOrigin(bot, from.origin);
    const environmentId = environmentOf(bot, key);
    const config = configOf(bot, environmentId);
    keys.noteUse(key.principal.caller);

    const place = { tenantId, environmentId, botId: bot.id };
    const known = await recognise(parts, tokens, place, visitorToken);
    const visitorId = known?.visitorId ?? newId('visitor');
    const session = { ...place, openedBy: key.keyId, visitorId, label, origin, beganAt: new Date() };
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
      throw unauthorized('server_key_required', 'Open sessions for your users with a server key, from your backend.');
    const { tenantId } = caller;
    const { workspaceId, environmentId, botId, externalUserId, email } = input;
    if (input.tenantId !== tenantId)
      throw forbidden('tenant_mismatch', 'Your key belongs to another tenant than the one you name.');
    const bindings = await keys.bindingsOf(tenantId, caller.actor.id);
    if (!bindings) throw unauthorized('invalid_api_key', 'The key is revoked or has expired.');
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
      beganAt: new Date(),
    });
    return { ...signed, contactId };
  }

  /** What a session stands on is asked at each use, from caches of seconds: it dies with its key, page, bot and tenant. */
  async function assertAlive(session: VisitorSession, from: From): Promise<VisitorSession> {
    const { tenantId, botId, openedBy, origin, versionId } = session;
    await assertOpen(parts, tenantId);
    const bot = await activeBot(parts, tenantId, botId);
    if (versionId) return session; // a member tries a draft in the portal; it was signed for them, for half an hour
    if (!(await keys.bindingsOf(tenantId, openedBy)))
      throw unauthorized('session_ended', 'The key that opened this session is no longer good.');
    const page = from.origin ?? origin;
    if (origin !== null && page !== origin)
      throw forbidden('origin_not_allowed', 'This session belongs to another page.');
    if (page !== null) assertOrigin(bot, page);
    return session;
  }

  return {
    anonymous,
    authenticated,
    visitorOf: async (token: string, from: From) => assertAlive(await tokens.readSession(token), from),
    async refresh(sessionToken: string, from: From) {
      const session = await assertAlive(await tokens.readSession(sessionToken, { isRenewal: true }), from);
      // Whoever tries a draft may have left the tenant meanwhile: they open a new one, which asks for their permission.
      if (session.versionId) throw unauthorized('session_expired', 'Open a new session to go on trying the draft.');
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
        beganAt: ctx.now,
      });
      return { ...signed, config: { ...content, botId, versionId, isHandoffOffered: content.handoff.isOffered } };
    },
    stillGood: (session: VisitorSession, from: From) =>
      assertAlive(session, from).then(
        () => true,
        (error: unknown) => !(error instanceof AppError && error.status < 500),
      ),
  };
}
export type Sessions = ReturnType<typeof openSessions>;

async function tellOwner({ ground, takeOne }: SessionParts, tenantId: Id<'tenant'>, keyId: string) {
  const isNews = await takeOne(exposures, keyId).then(
    () => true,
    () => false, // a busy page sends it with every view; once an hour is enough to be heard
  );
  if (isNews) await inTenant(ground, asSystem(tenantId, 'widget'), (ctx) => noteExposure(ctx, keyId));
}

async function assertOpen({ tenantState }: SessionParts, tenantId: Id<'tenant'>) {
  const { status, features } = await tenantState(tenantId);
  if (status !== 'active') throw forbidden('tenant_suspended', 'This chat is closed at the moment.');
  if (!features.has('api_keys'))
    throw new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', "The plan does not include 'api_keys'.");
}

async function activeBot({ bots }: SessionParts, tenantId: Id<'tenant'>, botId: string): Promise<KnownBot> {
  const { bot } = await bots.of(tenantId, botId);
  if (!bot) throw notFound('bot');
  if (bot.status !== 'active') throw forbidden('bot_not_active', 'This bot is paused or archived.');
  return bot;
}

function assertOrigin(bot: KnownBot, origin: string | undefined): string {
  if (origin === undefined)
    throw forbidden('origin_missing', 'Widget sessions are opened by a browser, which says the page it is on.');
  if (!isOriginAllowed(bot.allowedOrigins, origin))
    throw forbidden(
      'origin_not_allowed',
      `The bot does not allow ${origin.slice(0, 200)}. Add it to its allowed origins.`,
    );
  return origin;
}

/** The key chooses; one that leaves it open means the live one. */
function environmentOf(bot: KnownBot, { environmentId }: Bindings): Id<'environment'> {
  const { environments } = bot;
  const chosen = environmentId
    ? environments.find(({ id }) => id === environmentId)
    : (environments.find(({ name }) => name === 'live') ?? environments[0]);
  if (!chosen) throw notFound('environment');
  return chosen.id;
}

function configOf(bot: KnownBot, environmentId: Id<'environment'>): WidgetConfig {
  const deployed = bot.deployments[environmentId];
  if (!deployed) throw conflict('bot_not_published', 'Publish the bot, and deploy it to this environment.');
  const { content, versionId } = deployed;
  return { ...content, botId: bot.id, versionId, isHandoffOffered: content.handoff.isOffered };
}

function assertBound(bindings: Bindings, { workspaceId, environmentId, botId }: OpenAuthenticated) {
  const pairs = [
    [bindings.workspaceId, workspaceId],
    [bindings.environmentId, environmentId],
    [bindings.boundBotId, botId],
  ] as const;
  if (pairs.some(([bound, named]) => bound !== null && bound !== named))
    throw unauthorized('key_bound_elsewhere', 'This key is bound to another workspace, environment or bot.');
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
