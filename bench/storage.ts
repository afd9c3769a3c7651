import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { purgeConversations } from '../apps/server/src/features/conversations/index.ts';
import { loadConfig } from '../apps/server/src/platform/config.ts';
import { asSystem, inTenant, type Services } from '../apps/server/src/platform/context.ts';
import type { Db } from '../apps/server/src/platform/db.ts';
import { defineEvent, emit } from '../apps/server/src/platform/events.ts';
import type { Id } from '../apps/server/src/platform/ids.contract.ts';
import { openPlatform } from '../apps/server/src/platform/platform.ts';
import { seedTenants } from '../load/seed.ts';
import type { Tenant } from '../load/target.ts';
import { serversOf } from '../load/resources.ts';
import { meanMessages, questions } from '../load/visitor.ts';
import { runEntry, waitFor } from '../tools/demo/processes.ts';
import { prepare } from '../tools/demo/settings.ts';
import type { Stack } from '../tools/stack/index.ts';
import { agent, call, openSession } from './chat-client.ts';
import { waitForService } from './chat-figures.ts';
import { result, type Result } from './figures/result.ts';
import { buildServer, built, connectAdmin, withStack, type OnEnd } from './servers.ts';
import { storageFigures } from './storage-figures.ts';
import { growthOf, readSizes, type Growth, type PartProcesses, type Sizes } from './storage-sizes.ts';

const messages = Number(process.env['BENCH_MESSAGES'] ?? 10_000);
const deliveries = Number(process.env['BENCH_DELIVERIES'] ?? 50_000);
const tenantCount = 20;
const visitorsAtATime = 16;
const siteUrl = 'http://localhost:1';

const stored = defineEvent('bench.stored', z.object({ object: z.object({ id: z.string(), text: z.string() }) }), {
  permission: 'webhook.view',
  isAudited: false,
});

/** What a message and a delivery take on disk, how much WAL they cause, and what retention leaves of a message. */
export async function storage(): Promise<Result[]> {
  buildServer();
  return withStack(measureAll, { durable: true });
}

async function measureAll(stack: Stack, onEnd: OnEnd): Promise<Result[]> {
  const receiver = fork('bench/webhooks-receiver.ts');
  onEnd(() => receiver.disconnect());
  const [at] = (await once(receiver, 'message')) as [{ host: string; caPem: string }];
  const settings: Record<string, string> = {
    ...(await prepare(stack, { receiver: at })),
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const apiUrl = settings['PUBLIC_URL'] ?? '';
  const quiet = await seedTenants(settings, { count: tenantCount, siteUrl });
  const subscribed = await seedTenants(settings, {
    count: tenantCount,
    siteUrl,
    receiverUrl: `https://${at.host}`,
    emailPrefix: 'subscribed',
  });
  const [api, worker] = [runEntry(built.api, settings), runEntry(built.worker, settings)];
  for (const one of [api, worker]) onEnd(one.stop);
  const parts: PartProcesses = { API: () => [api.pid ?? 0], worker: () => [worker.pid ?? 0], ...serversOf(stack.dir) };
  onEnd(() => agent.destroy());
  await waitFor(`${apiUrl}/health/ready`);
  await waitForService(stack, 'Conversation');
  const platform = await openPlatform('api', loadConfig(settings));
  onEnd(() => platform.close());
  const admin = connectAdmin(stack);
  onEnd(() => admin.destroy());
  /** From a checkpoint until everything that `work` has started is done. */
  const measure = async (work: () => Promise<unknown>): Promise<Growth> => {
    await settled(admin);
    await sql`checkpoint`.execute(admin);
    const before = await readSizes(admin, stack, parts);
    await work();
    await settled(admin);
    return growthOf(before, await readSizes(admin, stack, parts));
  };

  const empty = await readSizes(admin, stack, parts);
  await chat(apiUrl, quiet, 200); // what the first rows of a table take is not for each of them
  const ofMessages = await measure(() => chat(apiUrl, quiet, messages));
  await happen(platform.services, subscribed, 1_000);
  const ofEvents = await measure(() => happen(platform.services, quiet, deliveries));
  const ofDeliveries = await measure(() => happen(platform.services, subscribed, deliveries));
  const { restateBytes } = await readSizes(admin, stack, parts);
  return [
    ...messageFigures(ofMessages),
    await leftAfterRetention(empty, { admin, stack, services: platform.services }),
    ...deliveryFigures(ofDeliveries, ofEvents),
    result({
      name: storageFigures.restate,
      value: restateBytes / 1e6,
      unit: 'MB',
      rounds: 1,
      note: `${((restateBytes - empty.restateBytes) / 1e6).toFixed(0)} more than before the first one`,
    }),
  ];
}

/** Visitors who send some messages one after the other and don't come back. */
async function chat(apiUrl: string, tenants: readonly Tenant[], count: number): Promise<void> {
  let sent = 0;
  const visitor = async () => {
    while (sent < count) {
      const tenant = tenants[sent % tenants.length];
      if (!tenant) throw new Error('there is no tenant');
      const { headers, sessionToken } = await openSession({ ...tenant, apiUrl, site: siteUrl });
      for (let n = 0; n < meanMessages && sent < count; n++) {
        const message = questions[sent++ % questions.length];
        const url = `${apiUrl}/widget/chatbots/${tenant.botId}/message`;
        await call('POST', url, { headers, body: { sessionToken, message } });
      }
    }
  };
  await Promise.all(Array.from({ length: visitorsAtATime }, visitor));
}

const text = 'Where is my order? It was to come on Tuesday, and today is Thursday.';
const perTransaction = 10;

async function happen(services: Services, tenants: readonly Tenant[], count: number): Promise<void> {
  const one = async (tenantId: Id<'tenant'>) => {
    for (let n = 0; n < count / tenants.length; n += perTransaction)
      await inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
        for (let i = 0; i < perTransaction; i++)
          await emit(ctx, stored, `subject-${n + i}`, { object: { id: `subject-${n + i}`, text } });
      });
  };
  await Promise.all(tenants.map(({ tenantId }) => one(tenantId as Id<'tenant'>)));
}

/** Until no event waits to be published, no delivery is due, and the search index has what was written. */
async function settled(admin: Db): Promise<void> {
  for (let quiet = 0; quiet < 4;) {
    await sleep(500);
    const { rows } = await sql`
      (select from directory.waiting_streams limit 1) union all (select from webhook_queue limit 1)`.execute(admin);
    quiet = rows.length === 0 ? quiet + 1 : 0;
  }
}

const kb = (bytes: number) => `${(bytes / 1_024).toFixed(2)} KB`;
const perOne = (name: string, bytes: number, count: number, note: string): Result =>
  result({ name, value: bytes / count, unit: 'bytes', rounds: count, note });

const cpuNote = (cpuMs: Record<string, number>, count: number) =>
  Object.entries(cpuMs)
    .map(([name, ms]) => `${name} ${(ms / count).toFixed(2)} ms`)
    .join(', ');

function messageFigures(growth: Growth): Result[] {
  const { rows, indexes, byTable, walBytes, fullPages, valkeyBytes, cpuMs } = growth;
  const largest = byTable.slice(0, 8).map(({ name, bytes }) => `${name} ${kb(bytes / messages)}`);
  const count = messages.toLocaleString('en');
  return [
    perOne(
      storageFigures.message,
      rows + indexes,
      messages,
      `${count} messages, ${meanMessages} in each conversation; tables ${kb(rows / messages)}, indexes ${kb(indexes / messages)}; ${largest.join(', ')}; CPU time: ${cpuNote(cpuMs, messages)}`,
    ),
    perOne(
      storageFigures.messageEvents,
      byTable.find(({ name }) => name === 'events')?.bytes ?? Number.NaN,
      messages,
      '',
    ),
    perOne(
      storageFigures.messageWal,
      walBytes,
      messages,
      `from one checkpoint to the end of the run, with ${(fullPages / messages).toFixed(2)} full pages for each message`,
    ),
    perOne(storageFigures.messageValkey, valkeyBytes, messages, 'all of it expires within minutes to a day'),
  ];
}

/** The queue is empty again, so it isn't part of what a delivery takes; nor is its event. */
function deliveryFigures(withEndpoint: Growth, withoutEndpoint: Growth): Result[] {
  const bytes = withEndpoint.byTable.find(({ name }) => name === 'webhook_deliveries')?.bytes ?? Number.NaN;
  const pages = (withEndpoint.fullPages - withoutEndpoint.fullPages) / deliveries;
  const cpuOf = (part: string) => (withEndpoint.cpuMs[part] ?? 0) - (withoutEndpoint.cpuMs[part] ?? 0);
  const note = `${deliveries.toLocaleString('en')} deliveries, each successful at the first attempt, to ${tenantCount} endpoints of as many tenants`;
  return [
    perOne(storageFigures.delivery, bytes, deliveries, note),
    perOne(
      storageFigures.deliveryWal,
      withEndpoint.walBytes - withoutEndpoint.walBytes,
      deliveries,
      `with ${pages.toFixed(2)} full pages for each; without its event, which is ${kb(withoutEndpoint.walBytes / deliveries)} more`,
    ),
    ...(['worker', 'PostgreSQL'] as const).map((part) =>
      result({
        name: part === 'worker' ? storageFigures.deliveryWorker : storageFigures.deliveryPostgres,
        value: cpuOf(part) / deliveries,
        unit: 'ms',
        rounds: deliveries,
        note: 'while the queue is long, so less than for single ones',
      }),
    ),
  ];
}

interface RetentionDeps {
  admin: Db;
  stack: Stack;
  services: Services;
}

/** Lets all conversations expire, drops all partitions that retention drops, and packs what is left. */
async function leftAfterRetention(empty: Sizes, { admin, stack, services }: RetentionDeps): Promise<Result> {
  await sql`update conversations set expires_at = now() - interval '1 hour'`.execute(admin);
  while ((await purgeConversations(services)) > 0);
  await sql`update directory.partitioned_tables set keep = interval '-100 days'`.execute(admin);
  const partitioned = await sql<{ name: string }>`select name from directory.partitioned_tables`.execute(admin);
  for (const { name } of partitioned.rows)
    for (let isDropped = true; isDropped;) {
      const { rows } = await sql<{ isDropped: boolean }>`
        select directory.drop_expired_partition(${name}) as is_dropped`.execute(admin);
      isDropped = rows[0]?.isDropped ?? false;
    }
  for (const name of empty.tables.keys()) await sql`vacuum full ${sql.raw(name)}`.execute(admin);
  const { byTable } = growthOf(empty, await readSizes(admin, stack, {}));
  const total = byTable.reduce((sum, { bytes }) => sum + bytes, 0);
  const largest = byTable.slice(0, 5).map(({ name, bytes }) => `${name} ${kb(bytes / messages)}`);
  return perOne(storageFigures.messageLeft, total, messages, largest.join(', '));
}
