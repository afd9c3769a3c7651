import { read } from '@parley/portal-kit/context';
import type { Service } from '@parley/portal-kit/service';
import { liveOf, type Bot } from '../pages/bots/bot-data.ts';

/** The newest bot in its live environment. A paused one only if no other is, because visitors can't see it. */
export async function findLiveBot(service: Service, request: Request): Promise<Bot | undefined> {
  const liveIds = new Map<string, string | undefined>();
  const liveIdIn = async (workspaceId: string) => {
    if (!liveIds.has(workspaceId)) {
      const query = { workspaceId, limit: 100 };
      const environments = read(await service.GET('/environments', { params: { query } }), request).data;
      liveIds.set(workspaceId, liveOf(environments)?.id);
    }
    return liveIds.get(workspaceId) ?? '';
  };
  let paused: Bot | undefined;
  let cursor: string | undefined;
  do {
    const query = { limit: 100, ...(cursor && { cursor }) };
    const page = read(await service.GET('/bots', { params: { query } }), request);
    for (const bot of page.data) {
      const isCandidate = bot.status === 'active' || (bot.status === 'paused' && !paused);
      if (!isCandidate || !bot.deployments[await liveIdIn(bot.workspaceId)]) continue;
      if (bot.status === 'active') return bot;
      paused = bot;
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return paused;
}
