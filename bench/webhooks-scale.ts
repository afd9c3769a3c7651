import { sql } from 'kysely';
import { z } from 'zod';
import { createTenant } from '../apps/server/src/features/tenants/tenants.service.ts';
import * as log from '../apps/server/src/features/webhooks/log/deliveries.store.ts';
import * as queue from '../apps/server/src/features/webhooks/delivery/queue.store.ts';
import { createWebhook } from '../apps/server/src/features/webhooks/endpoints/webhooks.service.ts';
import { loadConfig } from '../apps/server/src/platform/config.ts';
import { forTenants } from '../apps/server/src/platform/dispatch.ts';
import { newHeads } from '../apps/server/src/features/webhooks/lanes/lanes.cross-tenant.ts';
import { prepared } from '../apps/server/src/platform/prepared.ts';
import { asSystem, inTenant, type Context, type Services } from '../apps/server/src/platform/context.ts';
import type { Db } from '../apps/server/src/platform/db.ts';
import { defineEvent, emit } from '../apps/server/src/platform/events.ts';
import type { Id } from '../apps/server/src/platform/ids.contract.ts';
import { firstId, newId } from '../apps/server/src/platform/ids.ts';
import { openPlatform } from '../apps/server/src/platform/platform.ts';
import { prepare } from '../tools/demo/settings.ts';
import { result, type Result } from './figures/result.ts';
import { median } from './figures/stats.ts';
import { connectAdmin, withStack } from './servers.ts';

const many = Number(process.env['BENCH_ROWS'] ?? 10_000_000);
const days = 30;
const happened = defineEvent('scale.happened', z.object({ object: z.object({ n: z.int() }) }), {
  permission: 'webhook.view',
  isAudited: false,
});

/** Queued deliveries of endpoints that are paused or broken, for each delivery of the log. */
const queuedEndpoints = 10_000;
const allLanes = Array.from({ length: 64 }, (_, lane) => lane);

/** The cost of fan-out, delivery and reading the log with empty tables, and with millions of rows. */
export const webhooksScale = (): Promise<Result[]> =>
  withStack(async (stack) => {
    const settings = await prepare(stack);
    const platform = await openPlatform('api', loadConfig({ ...settings, LOG_LEVEL: 'error' }));
    const admin = connectAdmin(stack);
    try {
      const subject = await createSubject(platform.services);
      await measure(platform.services, subject); // warm
      const few = await measure(platform.services, subject);
      await fill(admin, subject);
      await measure(platform.services, subject);
      const full = await measure(platform.services, subject);
      const figures = Object.keys(few).map((what) => {
        const [value, peer] = [full[what as keyof typeof full], few[what as keyof typeof few]];
        return result({
          name: `${what}, with ${many.toLocaleString('en')} deliveries`,
          value,
          unit: 'ms',
          peer: { name: 'with empty tables', value: peer },
          ratio: value / peer,
          goal: { atMost: 1.3 },
          rounds: 1,
        });
      });
      return [...figures, await dropDay(admin)];
    } finally {
      await Promise.all([platform.close(), admin.destroy()]);
    }
  });

interface Subject {
  tenantId: Id<'tenant'>;
  webhookIds: string[];
}

async function createSubject(services: Services): Promise<Subject> {
  const tenantId = newId('tenant');
  const webhookIds = await inTenant(services, asSystem(tenantId, 'bench'), async (ctx) => {
    await createTenant(ctx, { name: 'Bench', plan: 'enterprise' });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const endpoint = {
        url: `https://example.com/${n}`,
        eventTypes: ['scale.*'],
        description: '',
        environmentId: null,
      };
      const more = { botIds: [], headers: {}, rateLimit: 100, ordering: 'none', autoRecover: true } as const;
      ids.push((await createWebhook(ctx, { ...endpoint, ...more, botIds: [] }, () => {})).webhook.id);
    }
    return ids;
  });
  return { tenantId, webhookIds };
}

/** Median milliseconds of each, as the product does it. */
async function measure(services: Services, { tenantId, webhookIds }: Subject) {
  const within = <T>(work: (ctx: Context) => Promise<T>) => inTenant(services, asSystem(tenantId, 'bench'), work);
  const times = {
    'fan-out of an event to 5 endpoints': [] as number[],
    'delivering 50 (claiming, and storing)': [] as number[],
    'looking for what became due': [] as number[],
    'a page of the log': [] as number[],
    'a page deep in the log': [] as number[],
    'a page of what failed': [] as number[],
  };
  const timed = async (what: keyof typeof times, work: (ctx: Context) => Promise<unknown>) => {
    const startedAt = performance.now();
    await within(work);
    times[what].push(performance.now() - startedAt);
  };
  for (let round = 0; round < 100; round++) {
    for (let n = 0; n < 10; n++)
      await timed('fan-out of an event to 5 endpoints', (ctx) => emit(ctx, happened, 'x', { object: { n } }));
    for (const webhookId of webhookIds) {
      const startedAt = performance.now();
      await forTenants(services.db, [tenantId], async (plain) => {
        const tx = prepared(plain);
        const one = { tenantId, webhookId, max: 50, isOrdered: false, isProbe: false, isNew: false };
        const claimed = await queue.claim(tx, '1', [one], { eventsSince: firstId('event', Date.now() - 86_400_000) });
        await queue.finish(
          tx,
          claimed.map(({ id, attempts }) => ({ id, attempts, status: 'succeeded', attempt })),
        );
      });
      times['delivering 50 (claiming, and storing)'].push(performance.now() - startedAt);
    }
    const lookedAt = performance.now();
    await newHeads(services.db, allLanes, allLanes.length);
    times['looking for what became due'].push(performance.now() - lookedAt);
    const page =
      (before: string | undefined, status?: 'exhausted') =>
      async ({ tx }: Context) =>
        log.list(tx, { webhookId: webhookIds[round % 5] ?? '', status, before, limit: 51 });
    await timed('a page of the log', page(undefined));
    const [deep] = (await within(page(undefined))).slice(-1);
    await timed('a page deep in the log', page(deep?.id));
    await timed('a page of what failed', page(undefined, 'exhausted'));
  }
  return Object.fromEntries(Object.entries(times).map(([what, of]) => [what, median(of)])) as Record<
    keyof typeof times,
    number
  >;
}

const attempt = {
  id: newId('attempt'),
  number: 1,
  at: new Date().toISOString(),
  outcome: 'succeeded' as const,
  status: 200,
  error: null,
  hint: 'Delivered.',
  timings: { dnsMs: 0.1, connectMs: 0, tlsMs: 0, firstByteMs: 5.2, totalMs: 5.4 },
  ip: '203.0.113.7',
  response: 'ok',
};

/** A month of deliveries, a tenth of the measured endpoints; and as many that wait for endpoints which are not delivered to. */
async function fill(admin: Db, { tenantId, webhookIds }: Subject) {
  const startedAt = performance.now();
  await sql`set session_replication_role = replica`.execute(admin); // no triggers or foreign keys
  const partitions = sql`select directory.add_partition(p, date_trunc('day', now()) - make_interval(days => n))
    from directory.partitioned_tables p, generate_series(1, ${days}) as n where name = 'webhook_deliveries'`;
  await sql`set timezone = 'UTC'`.execute(admin);
  await partitions.execute(admin);
  const owner = sql`case when n % 10 = 0 then ${tenantId} else 'ten_' || (n % 1000) end`;
  const endpoint = sql`case when n % 10 = 0 then (${webhookIds}::text[])[1 + (n / 10) % 5] else 'whk_' || (n % 5000) end`;
  for (let day = 1; day <= days; day++) {
    const rows = sql`generate_series(1, ${Math.round(many / days)}) as n`;
    const first = sql`(select directory.first_id('dlv', date_trunc('day', now()) - make_interval(days => ${day})))`;
    await sql`insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, position, is_replay, status, attempts, log, created_at)
      select ${owner}, ${first} || lpad(to_hex(n), 16, '0'), ${endpoint}, 'evt_' || n, 'scale.happened', n, false,
        case when n % 1000 = 0 then 'exhausted' else 'succeeded' end, 1, ${JSON.stringify([attempt])}::jsonb, now() from ${rows}`.execute(
      admin,
    );
  }
  const waiting = Math.round(many / 20);
  for (let part = 0; part < 20; part++)
    await sql`insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, position, next_attempt_at, created_at)
      select 'ten_' || (n % 1000), 'dlv_' || lpad(n::text, 26, '0'), 'whk_' || (n % ${queuedEndpoints}), 'evt_' || n, 'scale.happened', n, now() - interval '1 hour', now() - interval '1 hour'
      from generate_series(${part * waiting + 1}::int, ${(part + 1) * waiting}::int) as n`.execute(admin);
  await sql`set session_replication_role = default`.execute(admin);
  await sql`checkpoint`.execute(admin); // flush before measuring
  const { rows: parts } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'webhook_deliveries'::regclass`.execute(
    admin,
  );
  for (const name of ['webhook_queue', ...parts.map((part) => part.name)])
    await sql`analyze ${sql.table(name)}`.execute(admin);
  console.log(
    `webhooks: ${many.toLocaleString('en')} deliveries written in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
  );
}

async function dropDay(admin: Db): Promise<Result> {
  await sql`update directory.partitioned_tables set keep = ${`${days - 2} days`}::interval where name = 'webhook_deliveries'`.execute(
    admin,
  );
  const startedAt = performance.now();
  let dropped = 0;
  for (;;) {
    const { rows } = await sql<{ isDropped: boolean }>`
      select directory.drop_expired_partition('webhook_deliveries') as is_dropped`.execute(admin);
    if (!rows[0]?.isDropped) break;
    dropped++;
  }
  const ms = performance.now() - startedAt;
  return result({
    name: 'dropping one day of the log',
    value: ms / dropped,
    unit: 'ms',
    goal: { atMost: 1_000 },
    rounds: dropped,
  });
}
