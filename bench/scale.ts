import type { Options } from 'autocannon';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedDemo } from '../tools/demo/seed.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort } from '../tools/stack/index.ts';
import { agent, anIp, call, openSession, type Target } from './chat-client.ts';
import { waitForService } from './chat-figures.ts';
import { cpuMs, cpuMsOf } from './cpu.ts';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { loadRoute } from './load.ts';
import { raiseReadLimit, resetMessageLimits } from './limits.ts';
import { buildServer, built, withStack } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3);
const counts = [1, 2, 4];
const site = 'http://localhost:1';

/**
 * 1, 2 and 4 API processes behind a proxy: how many requests a core gives on each path. All of it shares the cores of this
 * machine, so the rate says little; what a request costs the API and the other servers does.
 */
export async function scale(): Promise<Result[]> {
  buildServer();
  return withStack(async (stack, onEnd) => {
    const settings: Record<string, string> = {
      ...(await prepare(stack)),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const demo = await seedDemo(settings, site);
    await raiseReadLimit(stack, demo.tenantId);
    const ports = await Promise.all(Array.from({ length: Math.max(...counts) }, freePort));
    const apis = ports.map((port) => runEntry(built.api, { ...settings, PORT: String(port) }));
    const worker = runEntry(built.worker, settings);
    for (const one of [...apis, worker]) onEnd(one.stop);
    onEnd(() => agent.destroy());
    await Promise.all(ports.map((port) => waitFor(`http://127.0.0.1:${port}/health/ready`)));
    await waitForService(stack, 'Conversation');
    const proxies = await Promise.all(counts.map((count) => startProxy(ports.slice(0, count))));
    for (const one of proxies) onEnd(one.stop);
    const usage = () => ({
      api: cpuOf(apis),
      proxy: cpuOf(proxies),
      others: cpuMs(stack.dir, worker.pid ?? 0),
    });
    const figures: Result[] = [];
    const resetLimits = () => resetMessageLimits(stack);
    for (const path of pathsOf({ site, ...demo }))
      figures.push(...(await measurePath(path, proxies, { usage, resetLimits })));
    return figures;
  });
}

interface Proxy extends ReturnType<typeof runEntry> {
  url: string;
  count: number;
}

async function startProxy(upstreams: readonly number[]): Promise<Proxy> {
  const port = await freePort();
  const proxy = runEntry('bench/proxy.ts', { PORT: String(port), UPSTREAM_PORTS: upstreams.join(',') });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(`${url}/health/ready`);
  return { ...proxy, url, count: upstreams.length };
}

const cpuOf = (entries: readonly { pid: number | undefined }[]) =>
  entries.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);

interface Path {
  name: string;
  /** Requests per second, for some seconds. */
  rate(url: string): Promise<number>;
}

function pathsOf(target: Omit<Target, 'apiUrl'> & Awaited<ReturnType<typeof seedDemo>>): Path[] {
  const key = { authorization: `Bearer ${target.serverKey}`, 'x-service-api-key-id': target.serverKeyId };
  const { publicKey, botId } = target;
  const body = JSON.stringify({ publicKey, botId, visitorId: 'bench' });
  const headers = { 'content-type': 'application/json', origin: site };
  const openSessions = {
    method: 'POST',
    path: '/widget/sessions/anonymous',
    body,
    setupRequest: (request: object) => ({ ...request, headers: { ...headers, 'x-forwarded-for': anIp() } }),
  } as const;
  return [
    {
      name: '`GET /me` with a server key',
      rate: (url) => rateOf({ url: `${url}/me`, headers: key, connections: 32, duration: seconds }),
    },
    {
      name: 'opening a widget session',
      rate: (url) => rateOf({ url, requests: [openSessions], connections: 32, duration: seconds }),
    },
    { name: 'a turn without a model', rate: (url) => turnRate({ ...target, apiUrl: url }) },
  ];
}

const rateOf = async (options: Options) => (await loadRoute(undefined, options)).rate;

/** Eight visitors who ask again as soon as they have their answer. */
async function turnRate(target: Target): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let count = 0;
  const visit = async () => {
    while (performance.now() < until) {
      const { headers, sessionToken } = await openSession(target);
      const body = { sessionToken, message: 'when is the shop open' };
      for (let n = 0; n < 8 && performance.now() < until; n++, count++)
        await call('POST', `${target.apiUrl}/widget/chatbots/${target.botId}/message`, { headers, body });
    }
  };
  await Promise.all(Array.from({ length: 8 }, visit));
  return count / seconds;
}

interface Sample {
  rate: number;
  /** Milliseconds of CPU for each request. */
  api: number;
  proxy: number;
  others: number;
}

async function measurePath(
  { name, rate }: Path,
  proxies: readonly Proxy[],
  { usage, resetLimits }: { usage: () => Omit<Sample, 'rate'>; resetLimits: () => Promise<void> },
): Promise<Result[]> {
  const samples = new Map<number, Sample[]>(proxies.map(({ count }) => [count, []]));
  for (const { url } of proxies) await resetLimits().then(() => rate(url)); // warm
  for (let round = 0; round < rounds; round++)
    for (const { url, count } of proxies) {
      await resetLimits();
      const [before, startedAt] = [usage(), performance.now()];
      const perSecond = await rate(url);
      const requests = (perSecond * (performance.now() - startedAt)) / 1_000;
      const after = usage();
      const each = (part: 'api' | 'proxy' | 'others') => (after[part] - before[part]) / requests;
      samples.get(count)?.push({ rate: perSecond, api: each('api'), proxy: each('proxy'), others: each('others') });
    }
  const of = (count: number, field: keyof Sample) => median((samples.get(count) ?? []).map((sample) => sample[field]));
  const perCore = (count: number) => 1_000 / of(count, 'api');
  return counts.map((count) => {
    const ms = (field: keyof Sample) => `${of(count, field).toPrecision(2)} ms`;
    return result({
      name: `${name}, ${count} API ${count === 1 ? 'process' : 'processes'}`,
      value: perCore(count),
      unit: 'per second and core of the API',
      ...(count > 1 && { peer: { name: 'one process', value: perCore(1) }, ratio: perCore(count) / perCore(1) }),
      rounds,
      note: `${Math.round(of(count, 'rate')).toLocaleString('en')} per second on this machine; CPU of a request: API ${ms('api')}, proxy ${ms('proxy')}, worker and servers ${ms('others')}`,
    });
  });
}
