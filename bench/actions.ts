import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createTenant } from '../apps/server/src/features/tenants/tenants.service.ts';
import { createWebhook } from '../apps/server/src/features/webhooks/endpoints/webhooks.service.ts';
import { loadConfig } from '../apps/server/src/platform/config.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { openPlatform } from '../apps/server/src/platform/platform.ts';
import { orderStatus } from '../tools/demo/actions.ts';
import { demoChunks } from '../tools/demo/chunks.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { seedBot } from '../tools/demo/seed-bot.ts';
import { prepare } from '../tools/demo/settings.ts';
import { freePort, type Stack } from '../tools/stack/index.ts';
import { agent, call, openSession, type BotTarget } from './chat-client.ts';
import { waitForService } from './chat-figures.ts';
import { cpuMs } from './cpu.ts';
import { result, type Result } from './figures/result.ts';
import { median, msOf, percentile } from './figures/stats.ts';
import { resetMessageLimits } from './limits.ts';
import { buildServer, built, withStack } from './servers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const turns = Number(process.env['BENCH_TURNS'] ?? 150);
const site = 'http://localhost:1';

/** The cost of one action in a turn, compared with calling the same system from a bare workflow with as many steps. */
export async function actions(): Promise<Result[]> {
  buildServer();
  return withStack(measureAll);
}

async function measureAll(stack: Stack): Promise<Result[]> {
  const receiver = fork('bench/webhooks-receiver.ts');
  const [at] = (await once(receiver, 'message')) as [{ host: string; caPem: string }];
  const settings: Record<string, string> = {
    ...(await prepare(stack, { receiver: at })),
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const platform = await openPlatform('api', loadConfig(settings));
  const bot = await seedShop(platform.services, `https://${at.host}/actions`);
  await platform.close();
  const entries = [built.api, built.worker].map((entry) => runEntry(entry, settings));
  entries.push(
    runEntry('bench/bare-worker.ts', { ...settings, WORKER_PORT: String(await freePort()), RECEIVER: at.host }),
  );
  try {
    const apiUrl = settings['PUBLIC_URL'] ?? '';
    await waitFor(`${apiUrl}/health/ready`);
    for (const service of ['Conversation', 'ActionRun', 'Bare', 'BareRun']) await waitForService(stack, service);
    const variants = variantsOf({ apiUrl, site, ...bot }, stack);
    const cpu = () => cpuMs(stack.dir, ...entries.map(({ pid = 0 }) => pid));
    const figures: Result[] = [];
    for (const concurrency of [1, 10])
      figures.push(...(await compare(variants, concurrency, { cpu, resetLimits: () => resetMessageLimits(stack) })));
    return figures;
  } finally {
    agent.destroy();
    receiver.disconnect();
    await Promise.all(entries.map((entry) => entry.stop()));
  }
}

/** A tenant whose only endpoint is called by its bot's action and gets no events. */
const seedShop = (services: Services, url: string) => {
  const tenantId = newId('tenant');
  return inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
    const { workspace, environments } = await createTenant(ctx, { name: 'Bench', plan: 'enterprise' });
    const endpoint = { url, eventTypes: ['ping'], description: '', environmentId: null, botIds: [], headers: {} };
    const more = { ...endpoint, rateLimit: 10_000, ordering: 'none' as const, autoRecover: true };
    const { webhook } = await createWebhook(ctx, more, () => {});
    return seedBot(ctx, {
      workspaceId: workspace.id,
      environmentId: environments[0]!.id,
      allowedOrigins: [site],
      draft: {},
      chunks: demoChunks,
      actions: [{ ...orderStatus, webhookId: webhook.id }],
    });
  });
};

/** A few questions in one conversation, as a visitor asks them. */
const turnsEach = 8;

type Variant = (worker: number) => Promise<number>;

function variantsOf(target: BotTarget, { restate }: Stack) {
  const sessions = new Map<string, { sent: number; session: Awaited<ReturnType<typeof openSession>> }>();
  const sending =
    (message: string, expected: string): Variant =>
    async (worker) => {
      const key = `${worker} ${message}`;
      let known = sessions.get(key);
      if (!known || known.sent % turnsEach === 0) known = { sent: 0, session: await openSession(target) };
      sessions.set(key, { ...known, sent: known.sent + 1 });
      const { headers, sessionToken } = known.session;
      return msOf(async () => {
        const url = `${target.apiUrl}/widget/chatbots/${target.botId}/message`;
        const response = await call('POST', url, { headers, body: { sessionToken, message } });
        if (!response.includes(expected)) throw new Error(response);
      });
    };
  let count = 0;
  const bare: Variant = () => msOf(() => call('POST', `${restate.ingressUrl}/Bare/a${count++}/act`, { body: {} }));
  return {
    action: sending('Where is my order A-1001?', 'packed'),
    bare,
    plain: sending('What does delivery cost?', '4.90'),
  };
}

/** In turn, so that other load on the machine affects all of them. */
async function compare(
  variants: Record<'action' | 'bare' | 'plain', Variant>,
  concurrency: number,
  { cpu, resetLimits }: { cpu: () => number; resetLimits: () => Promise<void> },
): Promise<Result[]> {
  const names = ['action', 'bare', 'plain'] as const;
  const runOnce = async (variant: Variant) => {
    await resetLimits();
    const times: number[] = [];
    const loop = async (worker: number) => {
      while (times.length < turns) times.push(await variant(worker));
    };
    await Promise.all(Array.from({ length: concurrency }, (_, worker) => loop(worker)));
    return times;
  };
  for (const name of names) await runOnce(variants[name]); // warm
  const all: Record<(typeof names)[number], { p50: number; p95: number; cpu: number }[]> = {
    action: [],
    bare: [],
    plain: [],
  };
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const cpuBefore = cpu();
      const times = await runOnce(variants[name]);
      all[name].push({ p50: median(times), p95: percentile(times, 0.95), cpu: (cpu() - cpuBefore) / times.length });
    }
  // The best round of each: other load only ever adds.
  const best = (name: (typeof names)[number], which: 'p50' | 'p95' | 'cpu') =>
    Math.min(...all[name].map((one) => one[which]));
  const details = (name: (typeof names)[number]) =>
    `p95 ${best(name, 'p95').toFixed(1)} ms, ${best(name, 'cpu').toFixed(1)} ms of CPU`;
  const what = `a turn with one action triggered by a phrase, ${concurrency} concurrent (p50, best round)`;
  return [
    result({
      name: what,
      value: best('action', 'p50'),
      unit: 'ms',
      peer: { name: 'a bare workflow with as many steps that makes the same call', value: best('bare', 'p50') },
      ratio: best('action', 'p50') / best('bare', 'p50'),
      goal: { atMost: 2 },
      rounds,
      note: `${turns} turns each; ${details('action')}; the bare workflow ${details('bare')}`,
    }),
    result({
      name: 'the same turn without an action',
      value: best('plain', 'p50'),
      unit: 'ms',
      rounds,
      note: details('plain'),
    }),
  ];
}
