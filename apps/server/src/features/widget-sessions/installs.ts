import { LRUCache } from 'lru-cache';
import { asSystem, inTenant, type Context, type Services } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import type { Id } from '../../platform/ids.contract.ts';
import type { Log } from '../../platform/telemetry.ts';
import { areBots } from '../bots/index.ts';
import { listInstalls, maxOrigins, saveInstalls } from './installs.store.ts';

export interface PageInstall {
  tenantId: Id<'tenant'>;
  botId: string;
  origin: string;
}

/** Longer than any real host name. */
const maxCharacters = 300;

/**
 * Records on which origins a bot is installed, in batches every two seconds: never a write per page view. An origin is
 * written again after ten minutes at the earliest. A crash loses up to two seconds of records.
 */
export function createInstalls(services: Services, log: Log, flushMs = 2_000) {
  let pending = new Map<string, { tenantId: Id<'tenant'>; botId: string; origins: Map<string, Date> }>();
  const written = new LRUCache<string, true>({ max: 20_000, ttl: 600_000 });

  const record = ({ tenantId, botId, origin }: PageInstall) => {
    const bot = `${tenantId}/${botId}`;
    if (origin.length > maxCharacters || written.has(`${bot} ${origin}`)) return;
    const pages = pending.get(bot) ?? { tenantId, botId, origins: new Map<string, Date>() };
    if (pages.origins.size >= maxOrigins) return;
    if (!pages.origins.has(origin)) pages.origins.set(origin, new Date());
    pending.set(bot, pages);
  };

  const flush = async () => {
    const batch = pending;
    pending = new Map();
    for (const [bot, { tenantId, botId, origins }] of batch) {
      for (const origin of origins.keys()) written.set(`${bot} ${origin}`, true);
      const pages = [...origins].map(([origin, at]) => ({ origin, at }));
      await inTenant(services, asSystem(tenantId, 'installs'), ({ tx }) => saveInstalls(tx, botId, pages)).catch(
        (error: unknown) => {
          for (const { origin } of pages) written.delete(`${bot} ${origin}`); // retried with the next page view
          log.warn({ err: error, tenantId, botId }, 'recording widget installs failed');
        },
      );
    }
  };
  const timer = setInterval(() => void flush(), flushMs).unref();

  return {
    record,
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

export async function installsOf({ tx }: Context, botId: string) {
  if (!(await areBots(tx, [botId]))) throw notFound('bot');
  return { data: await listInstalls(tx, botId), nextCursor: null };
}
