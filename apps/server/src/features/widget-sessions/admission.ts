import type { Config } from '../../platform/config.ts';
import { asSystem, inTenant, type RequestInfo, type Services } from '../../platform/context.ts';
import { AppError, conflict, forbidden, notFound, unauthorized } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Consume } from '../../platform/rate-limit.ts';
import { reportExposure, type Bindings, type KeyAuth } from '../api-keys/index.ts';
import { isOriginAllowed, type BotStates, type BotState } from '../bots/index.ts';
import type { CachedTenant } from '../tenants/index.ts';
import type { PageInstall } from './installs.ts';
import type { WidgetConfig } from './widget-sessions.contract.ts';

// Checks for every request with a widget key.

export interface AdmissionDeps {
  config: Pick<Config, 'CDN_URL' | 'PUBLIC_URL'>;
  services: Services;
  keys: KeyAuth;
  bots: BotStates;
  tenantState: (tenantId: Id<'tenant'>) => CachedTenant | Promise<CachedTenant>;
  consume: Consume;
  recordInstall(page: PageInstall): void;
}

const exposures = { name: 'key-exposed', points: 1, seconds: 3_600 };

/**
 * Checks the key, its bot, the tenant and the origin, in this order. A frame is loaded by navigation, which sends no
 * `Origin`: with `framed`, the browser enforces the allowed origins by `frame-ancestors`.
 */
export async function admit(
  deps: AdmissionDeps,
  { publicKey, botId }: { publicKey: string; botId: string },
  source: Pick<RequestInfo, 'origin' | 'setTenant'> | 'framed',
) {
  const key = await deps.keys.lookUp(publicKey);
  if (key?.keyType === 'secret_server') await notifyOwner(deps, key.principal.caller.tenantId, key.keyId);
  if (key && source !== 'framed') source.setTenant?.(key.principal.caller.tenantId);
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
  await assertTenantActive(deps, tenantId);
  const bot = await activeBot(deps, tenantId, botId);
  const origin = source === 'framed' ? null : assertOrigin(deps, bot, source.origin);
  const environmentId = environmentOf(bot, key);
  const config = configOf(bot, environmentId);
  deps.keys.recordUse(key.principal.caller);
  if (origin !== null && !isOwnOrigin(deps.config, origin)) deps.recordInstall({ tenantId, botId: bot.id, origin });
  return { tenantId, environmentId, keyId: key.keyId, bot, origin, config };
}

async function notifyOwner({ services, consume }: AdmissionDeps, tenantId: Id<'tenant'>, keyId: string) {
  const isFirst = await consume(exposures, keyId).then(
    () => true,
    () => false, // a busy page sends it with every view; one event per hour is enough
  );
  if (isFirst) await inTenant(services, asSystem(tenantId, 'widget'), (ctx) => reportExposure(ctx, keyId));
}

export async function assertTenantActive({ tenantState }: AdmissionDeps, tenantId: Id<'tenant'>) {
  const { status, features } = await tenantState(tenantId);
  if (status !== 'active') throw forbidden('tenant_suspended', 'This chat is currently unavailable.');
  if (!features.has('api_keys'))
    throw new AppError('FEATURE_NOT_ENTITLED', 'entitlement_missing', "The plan does not include 'api_keys'.");
}

export async function activeBot({ bots }: AdmissionDeps, tenantId: Id<'tenant'>, botId: string): Promise<BotState> {
  const { bot } = await bots.of(tenantId, botId);
  if (!bot) throw notFound('bot');
  if (bot.status !== 'active') throw forbidden('bot_not_active', 'This bot is paused or archived.');
  return bot;
}

/** Our own origins are always allowed: only our frame runs there, and browsers embed it in allowed pages only. */
export function assertOrigin({ config }: AdmissionDeps, bot: BotState, origin: string | undefined): string {
  if (origin === undefined)
    throw forbidden('origin_missing', 'Anonymous sessions must be opened by a browser that sends an Origin header.');
  if (!isOriginAllowed(bot.allowedOrigins, origin) && !isOwnOrigin(config, origin))
    throw forbidden(
      'origin_not_allowed',
      `The bot does not allow ${origin.slice(0, 200)}. Add it to the bot’s allowed origins.`,
    );
  return origin;
}

const isOwnOrigin = ({ CDN_URL, PUBLIC_URL }: AdmissionDeps['config'], origin: string) =>
  [CDN_URL, PUBLIC_URL].some((url) => new URL(url).origin === origin);

/** The environment of the key; the live one if the key has none. */
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
