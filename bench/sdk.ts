import { createParley } from '@parley/sdk';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { result, type Result } from './figures/result.ts';
import { median, msOf } from './figures/stats.ts';
import { raiseReadLimit } from './limits.ts';
import { buildServer, built, withStack } from './servers.ts';

const calls = Number(process.env['BENCH_CALLS'] ?? 3_000);

/** The client's overhead: the same call by its method and by `fetch`, in turn. */
export async function sdk(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    const settings = await prepare(stack);
    const { serverKey: key, serverKeyId: keyId, tenantId } = await seedDemo(settings);
    await raiseReadLimit(stack, tenantId);
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    onEnd(runEntry(built.api, { ...settings, LOG_LEVEL: 'error' }).stop);
    await waitFor(`${apiUrl}/health/ready`);
    const parley = createParley({ apiUrl, keyId, key });
    const headers = { authorization: `Bearer ${key}`, 'x-service-api-key-id': keyId };
    const [bareTimes, times]: [number[], number[]] = [[], []];
    for (let n = 0; n < calls; n++) {
      const bareMs = await msOf(async () => (await fetch(`${apiUrl}/me`, { headers })).json());
      const ms = await msOf(() => parley.getMe());
      if (n < calls / 10) continue; // warm
      bareTimes.push(bareMs);
      times.push(ms);
    }
    const [ms, bareMs] = [median(times), median(bareTimes)];
    return [
      result({
        name: 'what a call of the client takes more than bare `fetch` (p50)',
        value: ms - bareMs,
        unit: 'ms',
        goal: { atMost: 1 },
        rounds: calls,
        note: `${ms.toFixed(2)} against ${bareMs.toFixed(2)} ms`,
      }),
    ];
  });
}
