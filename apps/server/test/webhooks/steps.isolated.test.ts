import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { publishResults } from '../../src/features/webhooks/lanes/publish.ts';
import { addWorker } from '../../src/features/webhooks/lanes/ownership.store.ts';
import { runStep, type StepInput } from '../../src/features/webhooks/lanes/step.dispatch.ts';
import { newHealth } from '../../src/features/webhooks/endpoints/health.ts';
import type { Attempt, SendResult } from '../../src/features/webhooks/delivery/send.ts';
import { connect } from '../../src/platform/db.ts';
import { forTenants } from '../../src/platform/dispatch.ts';
import { newId } from '../../src/platform/ids.ts';
import { laneOf } from '../../src/platform/lane-hints.ts';
import { admin, aTenant, services, urlAs } from '../harness.ts';
import { emitTestEventIn } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const laneCount = 64;
const attempt: Attempt = {
  id: newId('attempt'),
  number: 1,
  at: new Date().toISOString(),
  outcome: 'failed',
  status: 500,
  error: null,
  hint: 'The endpoint returned 500.',
  timings: null,
  ip: null,
  response: null,
};
const nothing = {
  finished: [],
  retries: [],
  released: [],
  health: [],
  claims: [],
  asks: [],
  reads: [],
  eventsSince: '',
};

async function anEndpoint() {
  const tenant = await aTenant();
  const created = await tenant.post('/webhooks', { url: 'https://example.com/hook', eventTypes: ['*'] });
  const { id } = created.json<{ webhook: { id: string } }>().webhook;
  return { tenant, tenantId: tenant.tenantId, webhookId: id };
}

/** How the statements of a step read their tables, on a new connection. */
async function scansOfAStep(endpoint: StepInput['reads'][number]): Promise<string[]> {
  await using db = connect(urlAs('parley_app'), { max: 1 });
  const worker = await addWorker(services.db, laneCount, 60);
  const unknown = { id: 'dlv_unknown', attempts: 1, attempt };
  const { tenantId, webhookId } = endpoint;
  const claim = { ...endpoint, max: 5, isOrdered: false, isProbe: false };
  await runStep(db, {
    worker,
    laneCount,
    lanes: [],
    tenantIds: new Set([tenantId]),
    finished: [{ ...unknown, status: 'succeeded' }],
    retries: [{ ...unknown, retryCount: 1, nextAttemptAt: new Date() }],
    released: [unknown],
    health: [{ ...endpoint, health: newHealth(), revision: -1 }],
    claims: [
      { ...claim, isNew: true },
      { ...claim, isOrdered: true, isNew: false },
    ],
    eventsSince: 'evt_',
    asks: [{ webhookId, isOrdered: true }],
    reads: [endpoint],
  });
  return await forTenants(db, [tenantId], async (tx) => {
    const { rows: statements } = await sql<{ name: string; parameters: number }>`
      select name, cardinality(parameter_types) as parameters from pg_prepared_statements order by prepare_time, name`.execute(
      tx,
    );
    const scans = [];
    for (const { name, parameters } of statements) {
      const nulls = Array.from({ length: parameters }, () => 'null').join(', ');
      const { rows } = await sql<Record<string, string>>`
        explain (costs off) execute ${sql.raw(`"${name}"(${nulls})`)}`.execute(tx);
      const lines = rows.flatMap((row) => Object.values(row));
      scans.push(
        ...lines.flatMap((line) => /(?:(?:Seq|Index|Bitmap Heap|Index Only) Scan|Cond:) .*/.exec(line)?.[0] ?? []),
      );
    }
    return scans;
  });
}

// Workers prepare them once, so a plan that fits only what is in the queue at that time would stay.
test('statements of a delivery step have the same plan on an empty queue, a small one and a large one', async () => {
  const { tenantId, webhookId } = await anEndpoint();
  const tables = sql`webhook_queue, webhooks, webhook_health, tenants, events`;
  const scans = () => scansOfAStep({ tenantId, webhookId });
  const fill = (endpoints: number, each: number) =>
    sql`
    insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, next_attempt_at, created_at)
    select ${tenantId}, 'dlv_' || e || '_' || n, 'whk_' || e, 'evt_' || n, 'test.happened', 'cnv_' || n % 3, n, now() - n * interval '1 s', now()
    from generate_series(1, ${endpoints}::int) as e, generate_series(1, ${each}::int) as n`.execute(admin);

  await sql`vacuum analyze ${tables}`.execute(admin);
  const onEmpty = await scans();
  await fill(1, 3);
  await sql`vacuum analyze ${tables}`.execute(admin);
  expect(await scans()).toEqual(onEmpty);
  await sql`delete from webhook_queue`.execute(admin);
  await fill(1, 20_000); // one endpoint has everything
  await sql`vacuum analyze ${tables}`.execute(admin);
  expect(await scans()).toEqual(onEmpty);
  await sql`delete from webhook_queue`.execute(admin);
  await fill(20_000, 1);
  await sql`vacuum analyze ${tables}`.execute(admin);
  expect(await scans()).toEqual(onEmpty);
  const plan = onEmpty.join('\n');
  expect(plan.match(/webhook_queue_(?:pkey|due|order)/g)?.toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'webhook_queue_due'),
    ...Array.from({ length: 3 }, () => 'webhook_queue_order'),
    ...Array.from({ length: 4 }, () => 'webhook_queue_pkey'),
  ]);
  expect(plan).not.toMatch(/Seq Scan|by_time|by_state/);
});

test('a worker that has lost a lane stores no result, claims nothing and publishes nothing', async () => {
  const { tenantId, webhookId } = await anEndpoint();
  await emitTestEventIn(services, tenantId, 1);
  const lane = laneOf(webhookId, laneCount);
  const worker = await addWorker(services.db, laneCount, 60);
  const step = (more: Partial<StepInput>) =>
    runStep(services.db, { ...nothing, worker, laneCount, lanes: [lane], tenantIds: new Set([tenantId]), ...more });
  const claim = { tenantId, webhookId, max: 5, isOrdered: false, isProbe: false, isNew: false };
  await sql`update directory.webhook_lanes set owner = ${worker} where lane = ${lane}`.execute(admin);
  const { claimed } = await step({ claims: [claim] });
  expect(claimed).toHaveLength(1);
  await emitTestEventIn(services, tenantId, 2);
  const rows = () => admin.selectFrom('webhookQueue').selectAll().where('webhookId', '=', webhookId).execute();
  const before = await rows();

  await sql`delete from directory.webhook_workers where id = ${worker}`.execute(admin); // as the one that takes over does
  const delivery = claimed.map((row) => ({ ...row, isProbe: false }));
  const finished = delivery.map((row) => ({ ...row, status: 'exhausted' as const, attempt }));
  const health = [{ tenantId, webhookId, health: newHealth(), revision: 1 }];
  for (const late of [{ finished }, { claims: [claim] }, { health }])
    await expect(step(late)).rejects.toMatchObject({ code: 'PL001' });
  const sendResult: SendResult = { attempt, directive: 'gone', isOverload: false, holdUntil: undefined };
  const results = delivery.map((one) => ({ delivery: one, sendResult }));
  const hold = { worker, laneCount, lane };
  await expect(publishResults(services, { tenantId, webhookId, results, missing: [], hold })).rejects.toMatchObject({
    code: 'PL001',
  });

  expect(await rows()).toEqual(before);
  const { rows: stored } = await sql<{ status: string; deliveries: string; health: string; notices: string }>`
    select status, (select count(*) from webhook_deliveries d where d.webhook_id = w.id) as deliveries,
      (select count(*) from webhook_health h where h.webhook_id = w.id) as health,
      (select count(*) from events e where e.tenant_id = w.tenant_id and type in ('webhook.disabled', 'webhook.failing', 'webhook.exhausted')) as notices
    from webhooks w where id = ${webhookId}`.execute(admin);
  expect(stored).toEqual([{ status: 'active', deliveries: '0', health: '0', notices: '0' }]);
});
