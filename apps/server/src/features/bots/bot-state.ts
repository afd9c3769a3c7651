import { createCache } from '../../platform/cache.ts';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Signals } from '../../platform/valkey.ts';
import type { BusinessHours } from '../business-hours/business-hours.contract.ts';
import { findBusinessHours } from '../business-hours/index.ts';
import type { VersionContent } from './bot-content.contract.ts';
import type { Bot } from './bots.contract.ts';
import { environmentsOf, find } from './bots.store.ts';
import { deployedContents } from './versions.store.ts';

/** The state of a bot that every message and page load needs. */
export interface BotState extends Pick<
  Bot,
  'id' | 'workspaceId' | 'status' | 'allowedOrigins' | 'retentionDays' | 'limits'
> {
  /** The environments of its workspace. */
  environments: { id: Id<'environment'>; name: string }[];
  /** Of its workspace; null: always open. */
  businessHours: BusinessHours | null;
  /** By environment id. Environments without a deployed version are missing. */
  deployments: Record<string, { versionId: Id<'botVersion'>; content: VersionContent }>;
}
interface CachedBot {
  bot: BotState | null;
}

/**
 * Cached for seconds and invalidated on all nodes when the bot changes, so that a rollback takes effect immediately.
 */
export function createBotState(services: Services, signals: Signals) {
  const cache = createCache<CachedBot>(
    'bot',
    signals,
    async (key) => {
      const [tenantId = '', botId = ''] = key.split('/');
      const caller = asSystem(tenantId as Id<'tenant'>, 'bot-state');
      return { bot: await inTenant(services, caller, (ctx) => load(ctx, botId), { readOnly: true }) };
    },
    { max: 2_000 }, // entries contain the complete content
  );
  const keyOf = (tenantId: string, botId: string) => `${tenantId}/${botId}`;
  return {
    of: (tenantId: Id<'tenant'>, botId: string) => cache.get(keyOf(tenantId, botId)),
    invalidate: (tenantId: Id<'tenant'>, botId: string) => cache.invalidate(keyOf(tenantId, botId)),
  };
}
export type BotStates = ReturnType<typeof createBotState>;

async function load({ tx }: Context, botId: string): Promise<BotState | null> {
  const bot = await find(tx, botId);
  if (!bot) return null;
  const { id, workspaceId, status, allowedOrigins, retentionDays, limits } = bot;
  const deployed = await deployedContents(tx, botId);
  return {
    id,
    workspaceId,
    status,
    allowedOrigins,
    retentionDays,
    limits,
    environments: await environmentsOf(tx, workspaceId),
    businessHours: (await findBusinessHours(tx, workspaceId)) ?? null,
    deployments: Object.fromEntries(
      deployed.map(({ environmentId, versionId, content }) => [environmentId, { versionId, content }]),
    ),
  };
}
