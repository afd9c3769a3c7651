import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { createTenant } from '../apps/server/src/features/tenants/tenants.service.ts';
import { createWebhook } from '../apps/server/src/features/webhooks/endpoints/webhooks.service.ts';
import { loadConfig } from '../apps/server/src/platform/config.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import type { Db } from '../apps/server/src/platform/db.ts';
import { defineEvent, emit } from '../apps/server/src/platform/events.ts';
import type { Id } from '../apps/server/src/platform/ids.contract.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import { openPlatform } from '../apps/server/src/platform/platform.ts';
import { runEntry } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import type { Stack } from '../tools/stack/index.ts';
import { waitForService } from './chat-figures.ts';
import { cpuMs } from './cpu.ts';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { buildServer, built, connectAdmin, withStack } from './servers.ts';
import type { Figures, Load } from './webhooks-sender.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const deliveries = Number(process.env['BENCH_DELIVERIES'] ?? 6_000);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 20);

const happened = defineEvent(
  'bench.happened',
  z.object({ object: z.object({ id: z.string(), n: z.int(), text: z.string() }) }),
  { permission: 'webhook.view', isAudited: false },
);
const text = 'Where is my order? It was to come on Tuesday, and today is Thursday.';
const happen = (services: Services, tenantId: Id<'tenant'>, count: number) =>
  inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
    for (let n = 0; n < count; n++) await emit(ctx, happened, 'bench', { object: { id: `subject-${n}`, n, text } });
  });

/** A delivery, from commit to recorded success, compared with only posting and with another queue's worker. */
export async function webhooks(): Promise<Result[]> {
  buildServer();
  return withStack(measureAll, { durable: true });
}

async function measureAll(stack: Stack): Promise<Result[]> {
  const receiver = fork('bench/webhooks-receiver.ts');
  const [at] = (await once(receiver, 'message')) as [{ host: string; caPem: string }];
  const settings = { ...(await prepare(stack, { receiver: at })), LOG_LEVEL: 'error' } as Record<string, string>;
  const env = { ...process.env, RECEIVER_HOST: at.host, RECEIVER_CA: at.caPem, VALKEY_URL: stack.valkey.url };
  const senders = {
    bare: fork('bench/webhooks-sender.ts', { env: { ...env, SENDER: 'bare' } }),
    bullmq: fork('bench/webhooks-sender.ts', { env: { ...env, SENDER: 'bullmq' } }),
  };
  const worker = runEntry(built.worker, settings);
  const platform = await openPlatform('api', loadConfig(settings));
  const admin = connectAdmin(stack);
  try {
    await waitForService(stack, 'WebhookEndpoint');
    const parley = createParley({ services: platform.services, admin, stack, host: at.host, worker: worker.pid ?? 0 });
    const [few, many] = [
      { rate: 0.4, cpu: 1 },
      { rate: 0.15, cpu: 3 },
    ];
    const figures = [
      ...(await compare({ endpoints: 1, each: 1 }, few, parley, senders)),
      ...(await compare({ endpoints: 50, each: 1 }, few, parley, senders)),
      ...(await compare({ endpoints: 1_000, each: 10 }, many, parley, senders)),
      ...(await compare({ endpoints: 1_000, each: 1 }, many, parley, senders)),
    ];
    for (const count of [1, 10, 50])
      figures.push(...(await latency(platform.services, admin, await parley.tenants(count, 1))));
    return figures;
  } finally {
    for (const child of [receiver, ...Object.values(senders)]) child.disconnect();
    await Promise.all([worker.stop(), platform.close(), admin.destroy()]);
  }
}

interface BenchDeps {
  services: Services;
  admin: Db;
  stack: Stack;
  host: string;
  worker: number;
}

function createParley({ services, admin, stack, host, worker }: BenchDeps) {
  const tenantsByEach = new Map<number, Id<'tenant'>[]>();
  /** Tenants with this many endpoints each, which all get the same events. */
  const tenants = async (count: number, each: number) => {
    const created = tenantsByEach.get(each) ?? [];
    tenantsByEach.set(each, created);
    while (created.length < count) {
      const tenantId = newId('tenant');
      await inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
        await createTenant(ctx, { name: 'Bench', plan: 'enterprise' });
        const endpoint = { eventTypes: ['bench.*'], description: '', environmentId: null, botIds: [], headers: {} };
        const more = { ...endpoint, rateLimit: 10_000, ordering: 'none' as const, autoRecover: true };
        for (let n = 0; n < each; n++)
          await createWebhook(ctx, { ...more, url: `https://${host}/${tenantId}/${n}` }, () => {});
      });
      created.push(tenantId);
    }
    return created.slice(0, count);
  };
  const run = async ({ endpoints, each }: LoadShape, count: number): Promise<Figures> => {
    const some = await tenants(endpoints / each, each);
    process.kill(worker, 'SIGSTOP'); // until everything is committed
    for (const tenantId of some) await happen(services, tenantId, count / endpoints);
    await sleep(200);
    const [startedAt, cpu] = [performance.now(), cpuMs(stack.dir, worker)];
    process.kill(worker, 'SIGCONT');
    while (await isQueued(admin)) await sleep(20);
    return { ms: performance.now() - startedAt, cpuMs: cpuMs(stack.dir, worker) - cpu };
  };
  const body = async () =>
    (await admin.selectFrom('events').select('body').where('type', '=', happened.type).executeTakeFirstOrThrow()).body;
  return { run, tenants, body };
}

const isQueued = async (admin: Db) =>
  (await admin.selectFrom('webhookQueue').select('id').limit(1).executeTakeFirst()) !== undefined;

interface LoadShape {
  endpoints: number;
  /** Per tenant. */
  each: number;
}
type Senders = Record<'bare' | 'bullmq', ChildProcess>;

async function compare(
  shape: LoadShape,
  goals: { rate: number; cpu: number },
  parley: ReturnType<typeof createParley>,
  senders: Senders,
): Promise<Result[]> {
  const measure = async (sender: ChildProcess, load: Load) => {
    sender.send(load);
    const ended = new AbortController();
    const fail = () => ended.abort(new Error('a sender ended'));
    sender.once('exit', fail);
    const [figures] = (await once(sender, 'message', { signal: ended.signal })) as [Figures];
    sender.off('exit', fail);
    return figures;
  };
  const { endpoints, each } = shape;
  await parley.run(shape, Math.max(endpoints, 2_000)); // warm
  const body = await parley.body();
  for (const sender of Object.values(senders)) await measure(sender, { endpoints, deliveries: 2_000, body });
  const all = { parley: [] as Figures[], bare: [] as Figures[], bullmq: [] as Figures[] };
  for (let round = 0; round < rounds; round++) {
    const load = { endpoints, deliveries, body };
    all.bare.push(await measure(senders.bare, load));
    all.bullmq.push(await measure(senders.bullmq, load));
    all.parley.push(await parley.run(shape, deliveries));
  }
  const rate = (key: keyof typeof all) => median(all[key].map(({ ms }) => (deliveries * 1_000) / ms));
  const cpu = (key: keyof typeof all) => median(all[key].map(({ cpuMs: used }) => used / deliveries));
  const name = `${endpoints.toLocaleString('en')} endpoints of ${(endpoints / each).toLocaleString('en')} tenants`;
  return [
    result({
      name: `from commit to recorded success (worker, PostgreSQL with fsync, Restate, Valkey), ${name}`,
      value: rate('parley'),
      unit: 'per second',
      peer: { name: 'a bare loop that signs and posts with the same client', value: rate('bare') },
      ratio: rate('parley') / rate('bare'),
      goal: { atLeast: goals.rate },
      rounds,
      note: `BullMQ ${Math.round(rate('bullmq')).toLocaleString('en')} per second`,
    }),
    result({
      name: `CPU of a delivery, ${name}`,
      value: cpu('parley'),
      unit: 'ms',
      peer: { name: 'a BullMQ worker with Redis', value: cpu('bullmq') },
      ratio: cpu('parley') / cpu('bullmq'),
      goal: { atMost: goals.cpu },
      rounds,
    }),
  ];
}

/** From the transaction's start, which is before its commit, to the first attempt, at 200 per second. */
async function latency(services: Services, admin: Db, tenants: Id<'tenant'>[]): Promise<Result[]> {
  await sql`truncate webhook_deliveries`.execute(admin);
  const startedAt = performance.now();
  const emitting: Promise<void>[] = [];
  for (let n = 0; n < 200 * seconds; n++) {
    await sleep(Math.max(0, startedAt + n * 5 - performance.now()));
    emitting.push(happen(services, tenants[n % tenants.length]!, 1));
  }
  await Promise.all(emitting);
  while (await isQueued(admin)) await sleep(50);
  const { rows } = await sql<{ n: string; quarters: number[] }>`
    select count(*) as n, percentile_disc(array[0.5, 0.95, 0.99, 1]) within group (order by 1000 * extract(epoch from (log->0->>'at')::timestamptz - created_at)) as quarters
    from webhook_deliveries`.execute(admin);
  const [p50 = 0, p95 = 0, p99 = 0, worst = 0] = (rows[0]?.quarters ?? []).map(Number);
  const [name, sent] = [
    `commit to first attempt at 200 events per second, ${tenants.length} endpoints`,
    Number(rows[0]?.n),
  ];
  return [
    result({ name: `${name} (p50)`, value: p50, unit: 'ms', goal: { atMost: 100 }, rounds: sent }),
    result({
      name: `${name} (p99)`,
      value: p99,
      unit: 'ms',
      goal: { atMost: 1_000 },
      rounds: sent,
      note: `p95 ${p95.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
    }),
  ];
}
