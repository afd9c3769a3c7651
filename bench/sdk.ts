import { rmSync } from 'node:fs';
import { createParley } from '@parley/sdk';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { raiseReadLimit } from './read-limit.ts';
import { startStack } from '../tools/stack/index.ts';

const calls = Number(process.env['BENCH_CALLS'] ?? 3_000);
const goalMs = 1;

/** The client's overhead: the same call by its method and by `fetch`, in turn. */
export async function sdk() {
  const stack = await startStack('bench', { keep: false });
  const settings = await prepare(stack);
  const { serverKey: key, serverKeyId: keyId, tenantId } = await seedDemo(settings);
  await raiseReadLimit(stack, tenantId);
  const apiUrl = settings['PUBLIC_URL'] ?? '';
  const api = runEntry('apps/server/src/api.ts', { ...settings, LOG_LEVEL: 'error' });
  try {
    await waitFor(`${apiUrl}/health/ready`);
    const parley = createParley({ apiUrl, keyId, key });
    const headers = { authorization: `Bearer ${key}`, 'x-service-api-key-id': keyId };
    const bare = async () => (await fetch(`${apiUrl}/me`, { headers })).json();
    const variants = { bare, sdk: () => parley.getMe() };
    const times: Record<keyof typeof variants, number[]> = { bare: [], sdk: [] };
    for (let call = 0; call < calls; call++)
      for (const variant of ['bare', 'sdk'] as const) {
        const startedAt = performance.now();
        await variants[variant]();
        if (call > calls / 10) times[variant].push(performance.now() - startedAt);
      }
    const [bareMs, sdkMs] = [median(times.bare), median(times.sdk)];
    console.log(
      `a call by the SDK: p50 ${sdkMs.toFixed(2)} ms, by fetch alone ${bareMs.toFixed(2)} ms, more by ${(sdkMs - bareMs).toFixed(2)} ms (goal ${goalMs} ms or less)`,
    );
  } finally {
    await api.stop();
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
