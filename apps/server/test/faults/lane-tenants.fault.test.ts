import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { newHealth } from '../../src/features/webhooks/endpoints/health.ts';
import { addWorker, renewWorker } from '../../src/features/webhooks/lanes/ownership.store.ts';
import { readBodies, runStep, type StepInput } from '../../src/features/webhooks/lanes/step.dispatch.ts';
import { connect, type Db, type Tx } from '../../src/platform/db.ts';
import { forTenants } from '../../src/platform/dispatch.ts';
import { laneOf } from '../../src/platform/lane-hints.ts';
import { newId } from '../../src/platform/ids.ts';
import { countFlights } from '../flights.ts';
import { admin, aTenant, services, urlAs } from '../harness.ts';
import { emitTestEvent } from '../webhooks/fixture.ts';
import { randomFrom, rounds, seed } from './random.ts';

// Workers deliver for many tenants in one transaction. None of them may read or write a tenant that it does not name: on
// connections that are reused, after transactions that failed, and when it is given the ids of others.

const laneCount = 4;
const db = connect(urlAs('parley_app'), { max: 3 });
afterAll(() => db.destroy());
const random = randomFrom(seed);

async function anEndpoint() {
  const tenant = await aTenant();
  const created = await tenant.post('/webhooks', { url: 'https://example.com/hook', eventTypes: ['*'] });
  const { id } = created.json<{ webhook: { id: string } }>().webhook;
  for (let n = 0; n < 3; n++) await emitTestEvent(tenant, n);
  return { tenantId: tenant.tenantId as string, webhookId: id };
}
const endpoints = await Promise.all(Array.from({ length: 8 }, anEndpoint));
const worker = await addWorker(db, laneCount, 600);
await renewWorker(db, { worker, laneCount, leaseSeconds: 600, isLeaving: false, given: [] });

const tables = ['tenants', 'webhooks', 'webhook_health', 'webhook_queue', 'events'];
const others = [
  'bots',
  'api_keys',
  'webhook_secrets',
  'data_keys',
  'memberships',
  'conversations',
  'webhook_deliveries',
];

async function checkSees(tx: Tx, named: ReadonlySet<string>, problems: string[]) {
  for (const table of tables) {
    const { rows } = await sql<{ tenantId: string }>`select distinct tenant_id from ${sql.table(table)}`.execute(tx);
    for (const { tenantId } of rows) if (!named.has(tenantId)) problems.push(`${table}: sees ${tenantId}`);
  }
}
const checkOutside = async (problems: string[]) => {
  const { rows } = await sql<{ role: string; ids: string | null; n: string }>`
    select current_user as role, current_setting('app.tenant_ids', true) as ids, (select count(*) from webhook_queue) as n`.execute(
    db,
  );
  if (rows.some(({ role, ids, n }) => role !== 'parley_app' || (ids ?? '') !== '' || n !== '0'))
    problems.push(`outside: ${JSON.stringify(rows)}`);
};

/** Everything that a step can do, for any endpoint. */
const stepFor = (
  named: ReadonlySet<string>,
  targets: typeof endpoints,
  rows: { id: string; attempts: number }[],
): StepInput => {
  const attempt = { id: newId('attempt'), number: 1, at: new Date().toISOString(), outcome: 'succeeded' as const };
  const more = { status: 200, error: null, hint: 'Delivered.', timings: null, ip: null, response: null };
  return {
    worker,
    laneCount,
    lanes: [...new Set(targets.map(({ webhookId }) => laneOf(webhookId, laneCount)))],
    tenantIds: named,
    finished: rows.slice(0, 1).map((row) => ({ ...row, status: 'succeeded', attempt: { ...attempt, ...more } })),
    retries: rows
      .slice(1, 2)
      .map((row) => ({ ...row, retryCount: 9, nextAttemptAt: new Date(), attempt: { ...attempt, ...more } })),
    released: rows.slice(2),
    health: targets.map((target) => ({ ...target, health: { ...newHealth(), failures: 7 }, revision: 1 })),
    claims: targets.map((target) => ({ ...target, max: 2, isOrdered: false, isProbe: false, isNew: true })),
    asks: targets.map(({ webhookId }) => ({ webhookId, isOrdered: false })),
    reads: targets,
    eventsSince: '',
  };
};

/** The rows of all tenants that a step could change. */
const stateOf = async (foreign: readonly string[]) => {
  const { rows } = await sql`
    select tenant_id, id, attempts, retry_count, leased_until, claimed_by, log::text from webhook_queue where tenant_id = any (${foreign})
    union all select tenant_id, webhook_id, revision, null, last_success_at, null, health::text from webhook_health where tenant_id = any (${foreign})
    union all select tenant_id, id, attempts, null, null, null, log::text from webhook_deliveries where tenant_id = any (${foreign})
    order by 1, 2`.execute(admin);
  return rows;
};

const times = rounds * 20;
test(
  `${times} transactions for several tenants, a third of which fail, see and change no other tenant`,
  { timeout: 30_000 + rounds * 2_000 },
  async () => {
    console.log(`lane tenants: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
    const problems: string[] = [];
    const one = async (db: Db) => {
      const named = new Set(endpoints.filter(() => random.chance(0.4)).map(({ tenantId }) => tenantId));
      const kind = random.pick(['read', 'fail', 'end']);
      await forTenants(db, named, async (tx) => {
        await checkSees(tx, named, problems);
        if (kind === 'fail') await sql`select 1 / 0`.execute(tx);
        if (kind === 'end') throw new Error('intended');
      }).catch((error: Error) => {
        if (!/intended|division/.test(error.message)) problems.push(error.message);
      });
      await checkOutside(problems);
    };
    for (let n = 0; n < times; n += 4) await Promise.all(Array.from({ length: 4 }, () => one(db)));
    expect(problems).toEqual([]);
  },
);

test('a step that is given the endpoints and deliveries of other tenants reads and changes none of them', async () => {
  const [own, ...foreign] = endpoints;
  if (!own) throw new Error('no endpoint');
  const ids = foreign.map(({ tenantId }) => tenantId);
  const rows = (
    await sql<{
      id: string;
      attempts: number;
    }>`select id, attempts from webhook_queue where tenant_id = any (${ids})`.execute(admin)
  ).rows;
  expect(rows.length).toBeGreaterThan(3);
  const before = await stateOf(ids);
  const named = new Set([own.tenantId]);
  // Ids of others, in every argument.
  const step = stepFor(named, endpoints, rows);
  const output = await runStep(db, { ...step, health: [] });
  expect([...output.settings.keys()]).toEqual([own.webhookId]);
  expect(new Set(output.claimed.map(({ webhookId }) => webhookId))).toEqual(new Set([own.webhookId]));
  expect([...output.dueAt.keys()].filter((id) => id !== own.webhookId)).toEqual([]);
  expect((await runStep(db, step)).written).toEqual(new Set([own.webhookId]));
  const foreignEvents = await admin.selectFrom('events').select('id').where('tenantId', 'in', ids).limit(3).execute();
  expect(
    await readBodies(
      db,
      named,
      foreignEvents.map(({ id }) => id),
    ),
  ).toEqual([]);
  expect(await stateOf(ids)).toEqual(before);
});

test('rejects what is not granted: rows of other tenants, other tables, secrets, URLs and the reserved columns', async () => {
  const [own, other] = endpoints;
  if (!own || !other) throw new Error('no endpoint');
  const inOwn = (statement: string) => forTenants(db, [own.tenantId], (tx) => sql.raw(statement).execute(tx));
  const insert = `insert into webhook_health (tenant_id, webhook_id) values ('${other.tenantId}', '${other.webhookId}')`;
  await expect(inOwn(insert)).rejects.toThrow('row-level security');
  await expect(inOwn(`update webhook_queue set tenant_id = '${other.tenantId}'`)).rejects.toThrow('permission denied');
  for (const table of others) await expect(inOwn(`select * from ${table}`), table).rejects.toThrow('permission denied');
  for (const column of ['url', 'headers', 'inbound_secret'])
    await expect(inOwn(`select ${column} from webhooks`), column).rejects.toThrow('permission denied');
  await expect(inOwn('update webhooks set status = $$active$$')).rejects.toThrow('permission denied');
  await expect(inOwn('delete from events')).rejects.toThrow('permission denied');
  await expect(inOwn('select * from directory.webhook_lanes')).rejects.toThrow('permission denied');
  await expect(
    services.db.connection().execute((connection) => sql`select count(*) from webhooks`.execute(connection)),
  ).resolves.toMatchObject({ rows: [{ count: '0' }] });
});

test('a step with results, releases, health, claims and reads of several tenants takes one round trip', async () => {
  const proxy = await countFlights(urlAs('parley_app'));
  const throughProxy = connect(proxy.url, { max: 1 });
  try {
    const all = new Set(endpoints.map(({ tenantId }) => tenantId));
    const counts: number[] = [];
    for (let n = 0; n < 3; n++) {
      const { rows } = await sql<{
        id: string;
        attempts: number;
      }>`select id, attempts from webhook_queue limit 5`.execute(admin);
      expect(rows.length).toBeGreaterThan(2);
      const { flights } = await proxy.during(() => runStep(throughProxy, stepFor(all, endpoints, rows)));
      counts.push(flights);
    }
    expect(Math.min(...counts)).toBe(1); // a new connection asks whether it is direct
  } finally {
    await throughProxy.destroy();
    proxy.close();
  }
});
