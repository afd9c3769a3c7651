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
import { hintLanes } from '../apps/server/src/platform/lane-hints.ts';
import { openPlatform } from '../apps/server/src/platform/platform.ts';
import { runEntry } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import type { Stack } from '../tools/stack/index.ts';
import { waitForService } from './chat-figures.ts';
import { cpuMs, cpuMsOf } from './cpu.ts';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { buildServer, built, connectAdmin, withStack } from './servers.ts';
import type { Figures, Load } from './webhooks-sender.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const deliveries = Number(process.env['BENCH_DELIVERIES'] ?? 6_000);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 20);
/** Numbers of endpoints, each of another tenant. */
const sizes = listOf('BENCH_ENDPOINTS', [1, 50, 1_000, 10_000]);
const sleeping = listOf('BENCH_SLEEPING', [50, 1_000, 10_000]);
const hanging = listOf('BENCH_HANGING', [1, 30]);
const backlog = Number(process.env['BENCH_BACKLOG'] ?? 100_000);

function listOf(name: string, defaults: number[]): number[] {
  const text = process.env[name];
  return text === undefined ? defaults : text.split(',').filter(Boolean).map(Number);
}

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
  const platform = await openPlatform('api', loadConfig(settings));
  const admin = connectAdmin(stack);
  const figures: Result[] = [];
  try {
    // In one lane, so that all are neighbours.
    for (const count of hanging)
      figures.push(
        await withWorker({ ...settings, WEBHOOK_LANES: '1' }, stack, (worker) =>
          neighbours(createParley({ services: platform.services, admin, stack, host: at.host, worker }), admin, count),
        ),
      );
    await withWorker(settings, stack, async (worker) => {
      const parley = createParley({ services: platform.services, admin, stack, host: at.host, worker });
      for (const endpoints of sizes)
        figures.push(...(await compare(endpoints, { rate: endpoints > 100 ? 0.5 : 0.6, cpu: 1 }, parley, senders)));
      for (const count of sleeping) figures.push(...(await sparse(parley, admin, count)));
    });
    return figures;
  } finally {
    for (const child of [receiver, ...Object.values(senders)]) child.disconnect();
    await Promise.all([platform.close(), admin.destroy()]);
  }
}

async function withWorker<T>(
  settings: Record<string, string>,
  stack: Stack,
  work: (pid: number) => Promise<T>,
): Promise<T> {
  const worker = runEntry(built.worker, settings);
  try {
    await waitForService(stack, 'WebhookReplay');
    return await work(worker.pid ?? 0);
  } finally {
    await worker.stop();
  }
}

interface BenchDeps {
  services: Services;
  admin: Db;
  stack: Stack;
  host: string;
  worker: number;
}

type Parley = ReturnType<typeof createParley>;

function createParley({ services, admin, stack, host, worker }: BenchDeps) {
  const created: Id<'tenant'>[] = [];
  const aTenant = async (path: string) => {
    const tenantId = newId('tenant');
    await inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
      await createTenant(ctx, { name: 'Bench', plan: 'enterprise' });
      const endpoint = { eventTypes: ['bench.*'], description: '', environmentId: null, botIds: [], headers: {} };
      const more = { ...endpoint, rateLimit: 10_000, ordering: 'none' as const, autoRecover: true };
      await createWebhook(ctx, { ...more, url: `https://${host}/${path}/${tenantId}` }, () => {});
    });
    return tenantId;
  };
  /** Tenants with an endpoint each. */
  const tenants = async (count: number) => {
    const create = async () => {
      while (created.length < count) created.push(await aTenant('good'));
    };
    await Promise.all(Array.from({ length: 8 }, create));
    return created.slice(0, count);
  };
  const cpu = () => cpuMs(stack.dir, worker);
  const workerCpu = () => cpuMsOf(worker);
  const setStatus = async (tenantIds: readonly Id<'tenant'>[], status: string) => {
    const { rows } = await sql<{ tenantId: Id<'tenant'>; id: string }>`
      update webhooks set status = ${status} where tenant_id = any (${tenantIds}) returning tenant_id, id`.execute(
      admin,
    );
    return () => rows.forEach(({ tenantId, id }) => hintLanes(services.notify, tenantId, [id], { isChanged: true }));
  };
  /** Endpoints that get nothing until the function is called that this returns. */
  const pause = async (tenantIds: readonly Id<'tenant'>[]) => {
    (await setStatus(tenantIds, 'paused'))();
    await sleep(1_000);
    return async () => setStatus(tenantIds, 'active');
  };
  /** Until the relay has passed on all events, which is not part of a delivery. */
  const relayed = async () => {
    for (;;) {
      const { rows } = await sql`select from directory.waiting_streams limit 1`.execute(admin);
      if (rows.length === 0) return sleep(500);
      await sleep(50);
    }
  };
  /** From the moment at which the endpoints are resumed, with everything committed. */
  const run = async (endpoints: number, count: number): Promise<Figures & { workerMs: number }> => {
    const some = await tenants(endpoints);
    const resume = await pause(some);
    for (let n = 0; n < some.length; n += 8)
      await Promise.all(some.slice(n, n + 8).map((tenantId) => happen(services, tenantId, count / endpoints)));
    await relayed();
    const hint = await resume();
    const [startedAt, before, workerBefore] = [performance.now(), cpu(), workerCpu()];
    hint();
    while (await isQueued(admin)) await sleep(20);
    return { ms: performance.now() - startedAt, cpuMs: cpu() - before, workerMs: workerCpu() - workerBefore };
  };
  const body = async () =>
    (
      await admin
        .selectFrom('events')
        .select('body')
        .where('type', '=', happened.type)
        .limit(1)
        .executeTakeFirstOrThrow()
    ).body;
  return { services, run, tenants, aTenant, body, cpu, pause, relayed };
}

const isQueued = async (admin: Db) =>
  (await admin.selectFrom('webhookQueue').select('id').limit(1).executeTakeFirst()) !== undefined;

type Senders = Record<'bare' | 'bullmq', ChildProcess>;

async function compare(
  endpoints: number,
  goals: { rate: number; cpu: number },
  parley: Parley,
  senders: Senders,
): Promise<Result[]> {
  const count = Math.max(deliveries, endpoints);
  const measure = async (sender: ChildProcess, load: Load) => {
    sender.send(load);
    const ended = new AbortController();
    const fail = () => ended.abort(new Error('a sender ended'));
    sender.once('exit', fail);
    const [figures] = (await once(sender, 'message', { signal: ended.signal })) as [Figures];
    sender.off('exit', fail);
    return figures;
  };
  await parley.run(endpoints, Math.max(endpoints, 2_000)); // warm
  const body = await parley.body();
  for (const sender of Object.values(senders)) await measure(sender, { endpoints, deliveries: 2_000, body });
  const all = { parley: [] as (Figures & { workerMs: number })[], bare: [] as Figures[], bullmq: [] as Figures[] };
  for (let round = 0; round < rounds; round++) {
    const load = { endpoints, deliveries: count, body };
    all.bare.push(await measure(senders.bare, load));
    all.bullmq.push(await measure(senders.bullmq, load));
    all.parley.push(await parley.run(endpoints, count));
  }
  const rate = (key: keyof typeof all) => median(all[key].map(({ ms }) => (count * 1_000) / ms));
  const cpu = (key: keyof typeof all) => median(all[key].map(({ cpuMs: used }) => used / count));
  const name = `${endpoints.toLocaleString('en')} endpoints of as many tenants`;
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
      note: `of this the worker ${(median(all.parley.map(({ workerMs }) => workerMs)) / count).toFixed(3)} ms`,
    }),
  ];
}

/** From the transaction's start, which is before its commit, to the first attempt, at 200 per second to random endpoints. */
async function sparse(parley: Parley, admin: Db, count: number): Promise<Result[]> {
  const tenants = await parley.tenants(count);
  const emit = async () => {
    const [startedAt, cpu] = [performance.now(), parley.cpu()];
    const emitting: Promise<void>[] = [];
    for (let n = 0; n < 200 * seconds; n++) {
      await sleep(Math.max(0, startedAt + n * 5 - performance.now()));
      emitting.push(happen(parley.services, tenants[Math.floor(Math.random() * tenants.length)]!, 1));
    }
    await Promise.all(emitting);
    return { before: cpu };
  };
  // What it costs to insert the events and their deliveries, and to relay the events.
  const resume = await parley.pause(tenants);
  const { before: alone } = await emit();
  await parley.relayed();
  const inserting = parley.cpu() - alone;
  (await resume())();
  while (await isQueued(admin)) await sleep(50);
  await sleep(3_000);
  await sql`truncate webhook_deliveries`.execute(admin);
  const { before } = await emit();
  while (await isQueued(admin)) await sleep(20);
  await parley.relayed();
  const sent = 200 * seconds;
  const cpu = (parley.cpu() - before - inserting) / sent;
  const { p50, p95, p99, worst } = await delays(admin);
  const name = `200 events per second to ${count.toLocaleString('en')} endpoints that sleep`;
  return [
    result({
      name: `${name}, commit to first attempt (p50)`,
      value: p50,
      unit: 'ms',
      goal: { atMost: 25 },
      rounds: sent,
    }),
    result({
      name: `${name}, commit to first attempt (p99)`,
      value: p99,
      unit: 'ms',
      goal: { atMost: 100 },
      rounds: sent,
      note: `p95 ${p95.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
    }),
    result({
      name: `${name}, CPU beyond the inserting transaction`,
      value: cpu,
      unit: 'ms',
      goal: { atMost: 3 },
      rounds: sent,
      note: `inserting and relaying ${(inserting / sent).toFixed(2)} ms`,
    }),
  ];
}

async function delays(admin: Db, tenantId?: string) {
  const { rows } = await sql<{ quarters: number[] }>`
    select percentile_disc(array[0.5, 0.95, 0.99, 1]) within group (order by 1000 * extract(epoch from (log->0->>'at')::timestamptz - created_at)) as quarters
    from webhook_deliveries where ${tenantId ?? null}::text is null or tenant_id = ${tenantId ?? null}`.execute(admin);
  const [p50 = 0, p95 = 0, p99 = 0, worst = 0] = (rows[0]?.quarters ?? []).map(Number);
  return { p50, p95, p99, worst };
}

/** An endpoint that gets ten events a second, in the lane of others that hang with a backlog. */
async function neighbours(parley: Parley, admin: Db, count: number): Promise<Result> {
  const good = await parley.aTenant('good');
  const measure = async () => {
    await sql`truncate webhook_deliveries`.execute(admin);
    for (let n = 0; n < 10 * seconds; n++) {
      const next = sleep(100);
      await happen(parley.services, good, 1);
      await next;
    }
    for (;;) {
      const { rows } = await sql<{
        n: number;
      }>`select count(*)::int as n from webhook_deliveries where tenant_id = ${good}`.execute(admin);
      if ((rows[0]?.n ?? 0) >= 10 * seconds) return delays(admin, good);
      await sleep(100);
    }
  };
  await measure(); // warm
  const quiet = await measure();
  const bad: Id<'tenant'>[] = [];
  while (bad.length < count) bad.push(await parley.aTenant('hangs'));
  for (let n = 0; n < backlog; n += 500 * count)
    await Promise.all(
      Array.from({ length: Math.min(4, count) }, async (_, part) => {
        for (let m = part; m < count; m += 4) await happen(parley.services, bad[m]!, 500);
      }),
    );
  const busy = await measure();
  await sql`delete from webhook_queue`.execute(admin);
  return result({
    name: `commit to first attempt (p99) at 10 per second, next to ${count} endpoints in the same lane that hang with ${backlog.toLocaleString('en')} deliveries`,
    value: busy.p99,
    unit: 'ms',
    peer: { name: 'without them', value: quiet.p99 },
    ratio: busy.p99 / quiet.p99,
    goal: { atMost: 2 },
    rounds: 10 * seconds,
    note: `p50 ${busy.p50.toFixed(0)} ms, worst ${busy.worst.toFixed(0)} ms`,
  });
}
