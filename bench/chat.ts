import { rmSync } from 'node:fs';
import { build } from './chat-client.ts';
import { chatBench } from './chat-figures.ts';
import { idleStreams } from './chat-streams.ts';
import { prepare } from '../tools/demo/settings.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { startModelServer } from '../tools/model/index.ts';
import { startStack } from '../tools/stack/index.ts';

/** The cost of a chat, compared with the minimum for each part of it. */
export async function chat() {
  build();
  const stack = await startStack('bench', { keep: false });
  const model = await startModelServer();
  try {
    const settings = {
      ...(await prepare(stack, { model })),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
    } as Record<string, string>;
    const site = 'http://localhost:1';
    const seeded = await seedDemo(settings, site);
    const target = { apiUrl: settings['PUBLIC_URL'] ?? '', site, ...seeded };
    await chatBench(settings, target, stack, model);
    await idleStreams(settings, target);
  } finally {
    await model.close();
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}
