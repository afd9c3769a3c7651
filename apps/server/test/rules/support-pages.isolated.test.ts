import { sql, type KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { countOf } from '../../../../tools/testing/size.ts';
import { listStuck, listUnhealthy } from '../../src/features/webhooks/support/support.operator.service.ts';
import { endpointsOfTenant } from '../../src/features/webhooks/index.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { admin, anOperator, aTenant, inside, services } from '../harness.ts';

const count = countOf('ENDPOINTS', { sample: 400, full: 100_000 });
const tenantCount = countOf('TENANTS', { sample: 20, full: 1_000 });

/** Unhealthy endpoints of many tenants, each with two queued deliveries and one that failed. */
async function seed() {
  const { tenantId } = await aTenant();
  await sql`set session_replication_role = replica`.execute(admin); // no triggers or foreign keys
  await sql`insert into tenants (tenant_id, name, plan, api_version)
    select 'ten_' || lpad(n::text, 26, '0'), 'Tenant ' || n, 'team', api_version
    from tenants, generate_series(1, ${tenantCount}) as n where tenant_id = ${tenantId}`.execute(admin);
  const health = { failures: 12, failingSince: '2026-01-02T03:04:05.000Z' };
  await sql`insert into webhooks (tenant_id, id, url, event_types, rate_limit, ordering, status, created_by)
    select 'ten_' || lpad((1 + n % ${tenantCount})::text, 26, '0'), 'whk_' || lpad(n::text, 26, '0'),
      'https://hooks.example/' || n, '{*}', 10, 'none', 'broken', 'test'
    from generate_series(1, ${count}) as n`.execute(admin);
  await sql`insert into webhook_health (tenant_id, webhook_id, health, last_failure_at)
    select tenant_id, id, ${JSON.stringify(health)}::jsonb, now() from webhooks where created_by = 'test'`.execute(
    admin,
  );
  const deliveries = (
    prefix: string,
  ) => sql`select w.tenant_id, ${prefix} || right(w.id, ${29 - prefix.length}) || k as id, w.id as webhook_id,
    'evt_' || lpad(k::text, 26, '0') as event_id, 'bot.created' as event_type, k as position, now() as created_at
    from webhooks w, generate_series(1, 2) as k where w.created_by = 'test'`;
  await sql`insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, position, created_at, next_attempt_at)
    select *, now() from (${deliveries('dlv_7')}) as d`.execute(admin);
  const first = sql<{ first: string }>`select directory.first_id('dlv', now()) as first`;
  const today = (await first.execute(admin)).rows[0]?.first ?? '';
  await sql`insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, position, created_at, is_replay, status, attempts, log)
    select *, false, 'exhausted', 13, '[]' from (${deliveries(today)}) as d`.execute(admin);
  await sql`set session_replication_role = default`.execute(admin);
  await sql`analyze webhooks, webhook_queue, webhook_deliveries, tenants`.execute(admin);
}

/** Counts the queries of a context. */
function counted(ctx: Context, onQuery: () => void): Context {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      onQuery();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { ...ctx, tx: ctx.tx.withPlugin(plugin) };
}

test(`a page of endpoints or deliveries takes as many queries as it has tenants, not endpoints (${count} endpoints)`, async () => {
  await seed();
  let queries = 0;
  const inTenant = <T>(tenantId: Id<'tenant'>, work: (ctx: Context) => Promise<T>) =>
    inside(tenantId, (ctx) => work(counted(ctx, () => queries++)));
  const deps = { db: services.db, inTenant };

  const unhealthy = await listUnhealthy(deps, { limit: 100 });
  expect(unhealthy.data).toHaveLength(100);
  expect(unhealthy.data[0]).toMatchObject({ waiting: 2, status: 'broken', host: 'hooks.example' });
  const tenants = new Set(unhealthy.data.map(({ tenantId }) => tenantId)).size;
  expect(queries).toBe(tenants);

  queries = 0;
  for (const state of ['held', 'exhausted'] as const) {
    const stuck = await listStuck(deps, { state, limit: 100 });
    expect(stuck.data).toHaveLength(100);
    expect(stuck.data.map(({ id }) => id)).toEqual(
      stuck.data
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  }
  expect(queries).toBeLessThanOrEqual(3 * 100 * 2);
  expect(queries % 3).toBe(0);

  queries = 0;
  const tenantId = `ten_${'1'.padStart(26, '0')}` as const;
  const own = await inTenant(tenantId, endpointsOfTenant);
  expect(own.length).toBe(Math.min(100, count / tenantCount));
  expect(queries).toBe(2); // the tenant's name, and all endpoints

  const support = await anOperator('support');
  for (const path of ['/admin/endpoints?limit=100', `/admin/tenants/${tenantId}/health`]) {
    const times: number[] = [];
    for (let n = 0; n < 20; n++) {
      const startedAt = performance.now();
      const response = await support.get(path);
      expect(response.statusCode, response.body).toBe(200);
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    console.log(
      `${path}: p50 ${times[10]?.toFixed(0)} ms, slowest of 20 ${times[19]?.toFixed(0)} ms (${count} endpoints of ${tenantCount} tenants)`,
    );
  }
});
