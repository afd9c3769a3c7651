import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { startModelServer } from '../tools/model/index.ts';
import { chatFigures } from './chat-figures.ts';
import { idleStreams } from './chat-streams.ts';
import type { Result } from './figures/result.ts';
import { buildServer, withStack } from './servers.ts';

/** The cost of a chat, compared with the minimum for each part of it. */
export async function chat(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    const model = await startModelServer();
    onEnd(model.close);
    const settings: Record<string, string> = {
      ...(await prepare(stack, { model })),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const site = 'http://localhost:1';
    const seeded = await seedDemo(settings, site);
    const target = { apiUrl: settings['PUBLIC_URL'] ?? '', site, ...seeded };
    return [...(await chatFigures({ settings, target, stack, model })), await idleStreams(settings, target)];
  });
}
