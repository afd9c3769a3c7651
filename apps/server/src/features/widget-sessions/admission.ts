import type { Config } from '../../platform/config.ts';
import { asSystem, inTenant, type RequestInfo, type Services } from '../../platform/context.ts';
import { AppError, conflict, forbidden, notFound, unauthorized } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Consume } from '../../platform/rate-limit.ts';
import { reportExposure, type Bindings, type KeyAuth } from '../api-keys/index.ts';
import { isOriginAllowed, type BotStates, type BotState } from '../bots/index.ts';
import type { CachedTenant } from '../tenants/index.ts';
import type { AtPage } from './installs.ts';
import type { WidgetConfig } from './widget-sessions.contract.ts';

// What a page with a widget key is asked before it gets anything, whatever it came for.

export interface AdmissionParts {
  config: Pick<Config, 'CDN_URL' | 'PUBLIC_URL'>;
  services: Services;
  keys: KeyAuth;
  bots: BotStates;
  tenantState: (tenantId: Id<'tenant'>) => CachedTenant | Promise<CachedTenant>;
  consume: Consume;
  noteInstall(page: AtPage): void;
}

const exposures = { name: 'key-exposed', points: 1, seconds: 3_600 };

/**
 * The key, its bot, the tenant and the page, in this order. A frame comes by a navigation, which names no page: whoever
 * passes `framed` leaves it to the browser to show the answer in the bot's own pages only.
 */
export async function admit(
  parts: AdmissionParts,
  { publicKey, botId }: { publicKey: string; botId: string },
  from: Pick<RequestInfo, 'origin' | 'setTenant'> | 'framed',
) {
  const key = await parts.keys.lookUp(publicKey);
  if (key?.keyType === 'secret_server') await notifyOwner(parts, key.principal.caller.tenantId, key.keyId);
  if (key && from !== 'framed') from.setTenant?.(key.principal.caller.tenantId);
  if (!key || key.keyType !== 'public_widget')
    throw unauthorized(
      'invalid_api_key',
      'This is not a widget key, or it was revoked. Widget keys start with pk_live_.',
    );
  if (key.expiresAtMs <= Date.now())
    throw unauthorized('key_expired', 'This key has expired, or its secret was rotated and no longer works.');
  if (key.boundBotId !== botId)
    throw unauthorized('bot_mismatch', 'This widget key is bound to another bot. Check data-bot-id.');
  const { tenantId } = key.principal.caller;
  await assertOpen(parts, tenantId);
  const bot = await activeBot(parts, tenantId, botId);
  const origin = from === 'framed' ? null : assertOrigin(parts, bot, from.origin);
  const environmentId = environmentOf(bot, key);
  const config = configOf(bot, environmentId);
  parts.keys.recordUse(key.principal.caller);
  if (origin !== null && !isOurs(parts.config, origin)) parts.noteInstall({ tenantId, botId: bot.id, origin });
  return { tenantId, environmentId, keyId: key.keyId, bot, origin, config };
}

async function notifyOwner({ services, consume: takeOne }: AdmissionParts, tenantId: Id<'tenant'>, keyId: string) {
  const isNews = await takeOne(exposures, keyId).then(
    () => true,
    () => false, // a busy page sends it with every view; once an hour is enough to be heard
  );
  if (isNews) await inTenant(services, asSystem(tenantId, 'widget'), (ctx) => reportExposure(ctx, keyId));
}

export async function assertOpen({ tenantState }: AdmissionParts, tenantId: Id<'tenant'>) {
  const { status, features } = await tenantState(tenantId);
  if (status !== 'active') throw forbidden('tenant_suspended', 'This chat is currently unavailable.');
  if (!features.has('api_keys'))
    throw new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', "The plan does not include 'api_keys'.");
}

export async function activeBot({ bots }: AdmissionParts, tenantId: Id<'tenant'>, botId: string): Promise<BotState> {
  const { bot } = await bots.of(tenantId, botId);
  if (!bot) throw notFound('bot');
  if (bot.status !== 'active') throw forbidden('bot_not_active', 'This bot is paused or archived.');
  return bot;
}

/** Our own origins are every bot's: what runs there is our frame, which browsers show in the bot's pages only. */
export function assertOrigin({ config }: AdmissionParts, bot: BotState, origin: string | undefined): string {
  if (origin === undefined)
    throw forbidden('origin_missing', 'Anonymous sessions must be opened by a browser that sends an Origin header.');
  if (!isOriginAllowed(bot.allowedOrigins, origin) && !isOurs(config, origin))
    throw forbidden(
      'origin_not_allowed',
      `The bot does not allow ${origin.slice(0, 200)}. Add it to the bot’s allowed origins.`,
    );
  return origin;
}

const isOurs = ({ CDN_URL, PUBLIC_URL }: AdmissionParts['config'], origin: string) =>
  [CDN_URL, PUBLIC_URL].some((url) => new URL(url).origin === origin);

/** The key chooses; one that leaves it open means the live one. */
function environmentOf(bot: BotState, { environmentId }: Bindings): Id<'environment'> {
  const { environments } = bot;
  const chosen = environmentId
    ? environments.find(({ id }) => id === environmentId)
    : (environments.find(({ name }) => name === 'live') ?? environments[0]);
  if (!chosen) throw notFound('environment');
  return chosen.id;
}

export function configOf(bot: BotState, environmentId: Id<'environment'>): WidgetConfig {
  const deployed = bot.deployments[environmentId];
  if (!deployed) throw conflict('bot_not_published', 'Publish the bot and deploy it to this environment.');
  const { content, versionId } = deployed;
  return { ...content, botId: bot.id, versionId, isHandoffOffered: content.handoff.isOffered };
}
