import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
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
import { freePort, startStack, type Stack } from '../tools/stack/index.ts';
import { agent, build, built, call, median, openSession } from './chat-client.ts';
import { known } from './chat-figures.ts';
import { cpuMs } from './webhooks.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const turns = Number(process.env['BENCH_TURNS'] ?? 150);
const site = 'http://localhost:1';
const goal = 1.5;

/** What one action costs in a turn, against calling the same system from a bare workflow with as many journaled steps. */
export async function actions() {
  build();
  const stack = await startStack('bench', { keep: false });
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
    for (const service of ['Conversation', 'ActionRun', 'Bare', 'BareRun']) await known(stack, service);
    const ways = waysOf({ apiUrl, site, ...bot, modelBot: bot }, stack);
    const cpu = () => cpuMs(stack.dir, ...entries.map(({ pid = 0 }) => pid));
    for (const atOnce of [1, 10]) await compare(ways, atOnce, cpu);
  } finally {
    agent.destroy();
    receiver.disconnect();
    await Promise.all(entries.map((entry) => entry.stop()));
    await stack.stop();
    rmSync(stack.dir, { recursive: true, force: true });
  }
}

/** A tenant whose only endpoint is called by its bot's action and hears of nothing else. */
const seedShop = (services: Services, url: string) => {
  const tenantId = newId('tenant');
  return inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
    const { workspace, environments } = await createTenant(ctx, { name: 'Bench', plan: 'enterprise' });
    const wanted = { url, eventTypes: ['ping'], description: '', environmentId: null, botIds: [], headers: {} };
    const more = { ...wanted, rateLimit: 10_000, ordering: 'none' as const, autoRecover: true };
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

/** As a visitor does: a few questions in one conversation. */
const turnsEach = 8;

type Way = (lane: number) => Promise<number>;

function waysOf(target: Parameters<typeof openSession>[0], { restate }: Stack) {
  const sessions = new Map<string, { said: number; session: Awaited<ReturnType<typeof openSession>> }>();
  const asking =
    (message: string, expected: string): Way =>
    async (lane) => {
      const place = `${lane} ${message}`;
      let known = sessions.get(place);
      if (!known || known.said % turnsEach === 0) known = { said: 0, session: await openSession(target) };
      sessions.set(place, { ...known, said: known.said + 1 });
      const { headers, sessionToken } = known.session;
      const began = performance.now();
      const answer = await call('POST', `${target.apiUrl}/widget/chatbots/${target.botId}/message`, {
        headers,
        body: { sessionToken, message },
      });
      if (!answer.includes(expected)) throw new Error(answer);
      return performance.now() - began;
    };
  let made = 0;
  const bare =
    (handler: string): Way =>
    async () => {
      const began = performance.now();
      await call('POST', `${restate.ingressUrl}/Bare/a${made++}/${handler}`, { body: {} });
      return performance.now() - began;
    };
  return {
    action: asking('Where is my order A-1001?', 'packed'),
    bare: bare('act'),
    plain: asking('What does delivery cost?', '4.90'),
  };
}

/** By turns, so that whatever else the machine does happens to all. */
async function compare(ways: Record<'action' | 'bare' | 'plain', Way>, atOnce: number, cpu: () => number) {
  const names = ['action', 'bare', 'plain'] as const;
  const runOnce = async (way: Way) => {
    const times: number[] = [];
    const loop = async (lane: number) => {
      while (times.length < turns) times.push(await way(lane));
    };
    await Promise.all(Array.from({ length: atOnce }, (_, lane) => loop(lane)));
    return times;
  };
  for (const name of names) await runOnce(ways[name]); // warm
  const all: Record<(typeof names)[number], { p50: number; p95: number; cpu: number }[]> = {
    action: [],
    bare: [],
    plain: [],
  };
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const before = cpu();
      const times = (await runOnce(ways[name])).toSorted((a, b) => a - b);
      const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
      all[name].push({ p50: median(times), p95, cpu: (cpu() - before) / times.length });
    }
  // The calmest round of each: what else the machine does only ever adds.
  const least = (name: (typeof names)[number], which: 'p50' | 'p95' | 'cpu') =>
    Math.min(...all[name].map((one) => one[which]));
  const say = (name: (typeof names)[number]) =>
    `p50 ${least(name, 'p50').toFixed(1)} ms, p95 ${least(name, 'p95').toFixed(1)} ms, ${least(name, 'cpu').toFixed(1)} ms of CPU`;
  const [ratio, cpuRatio] = (['p50', 'cpu'] as const).map((which) => least('action', which) / least('bare', which));
  const verdict = (ratio ?? 0) <= goal ? 'met' : 'NOT MET';
  console.log(
    `action, ${atOnce} at once (${rounds} × ${turns}): a turn with one call ${say('action')}; a bare workflow that makes the same call ${say('bare')}; ` +
      `ratio of p50 ${ratio?.toFixed(2)} (goal ${goal} or less: ${verdict}), of CPU ${cpuRatio?.toFixed(2)}; the turn without an action ${say('plain')}`,
  );
}
