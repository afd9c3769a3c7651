import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';

import { countOf, isFull } from '../../../../tools/testing/size.ts';
import { connect } from '../../src/platform/db.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { prepared } from '../../src/platform/prepared.ts';
import { startRelay } from '../../src/platform/relay.ts';
import { admin, aKey, aTenant, as, services, openApi, urlAs, ownDir } from '../harness.ts';
import { startPgBouncer } from '../pgbouncer.ts';
import { interleave } from './interleave.ts';
import { randomFrom, rounds, seed } from './random.ts';

const dir = ownDir('faults-pgbouncer');
// 30 client connections share two server connections: every transaction may get another backend.
const bouncer = await startPgBouncer(dir, inject('postgresUrl'), { poolSize: 2 });
const url = bouncer.through(urlAs('parley_app'));
const api = await openApi({ DATABASE_URL: url, DATABASE_POOL_SIZE: '20' });
const db = connect(url, { max: 10 });
const random = randomFrom(seed);

afterAll(async () => {
  await api.close();
  await db.destroy();
  await bouncer.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('ten connections share two backends, so the tests below cover connections that are reassigned', async () => {
  const queries = Array.from({ length: 100 }, () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db));
  const pids = (await Promise.all(queries)).map(({ rows }) => rows[0]?.pid);
  expect(new Set(pids).size).toBeLessThanOrEqual(2);
});

test('prepares marked statements on a direct connection, and never through PgBouncer', async () => {
  const direct = connect(urlAs('parley_app'), { max: 1 });
  const pooled = connect(url, { max: 1 });
  const preparedCount = async (connection: typeof direct) => {
    for (let n = 0; n < 12; n++) {
      await sql`select ${n}::int as n`.execute(prepared(connection));
      await sql`select ${n}::int as n, 'unmarked'`.execute(connection);
    }
    const { rows } =
      await sql`select name from pg_prepared_statements where statement like '%select $1::int as n%'`.execute(
        connection,
      );
    return rows.length;
  };
  expect([await preparedCount(direct), await preparedCount(pooled)]).toEqual([1, 0]);
  await Promise.all([direct.destroy(), pooled.destroy()]);
});

test('a statement whose result type a migration changed works again, planned again', async () => {
  const owner = connect(urlAs('parley_owner'), { max: 1 });
  const direct = connect(urlAs('parley_owner'), { max: 1 });
  await sql`create table changing (a int)`.execute(owner);
  const query = () => sql`select * from changing where ${1}::int = 1`.execute(prepared(direct));
  for (let n = 0; n < 12; n++) await query();
  await sql`alter table changing add column b int`.execute(owner);
  await expect(query()).rejects.toMatchObject({ code: '0A000' });
  await expect(query()).resolves.toMatchObject({ rows: [] });
  await sql`drop table changing`.execute(owner);
  await Promise.all([owner.destroy(), direct.destroy()]);
});

/** A tenant whose workspaces all have its id in their names, with a key for the API behind PgBouncer. */
async function aNamedTenant() {
  const { tenantId, workspaceId, ...tenant } = await aTenant();
  await admin.updateTable('workspaces').set({ name: tenantId }).where('id', '=', workspaceId).execute();
  const key = await aKey({ tenantId, workspaceId, ...tenant }, { permissions: ['tenant.view', 'tenant.manage'] });
  return { tenantId, workspaceId, ...as(key.headers, api.app), created: 1 };
}
type NamedTenant = Awaited<ReturnType<typeof aNamedTenant>>;
interface Workspaces {
  data: { name: string }[];
}

/** Requests of clients. Each returns what was wrong, or false. */
const requests: Record<string, (tenant: NamedTenant, other: NamedTenant, n: number) => Promise<string | false>> = {
  'list workspaces': async ({ tenantId, get, created }) => {
    const response = await get('/workspaces?limit=100');
    const names = response.json<Workspaces>().data.map(({ name }) => name);
    return (names.length < created || names.some((name) => !name.startsWith(tenantId))) && response.body;
  },
  'read the tenant': async ({ tenantId, get }) => {
    const response = await get('/tenant');
    return response.json<{ tenant: { id: string } }>().tenant.id !== tenantId && response.body;
  },
  "read another's workspace": async ({ tenantId, get }, other) => {
    const response = await get(`/workspaces/${other.workspaceId}`);
    return response.statusCode !== (other.tenantId === tenantId ? 200 : 404) && response.body;
  },
  'create a workspace, three times concurrently': async (tenant, _other, n) => {
    const body = { name: `${tenant.tenantId} ${n}` };
    const post = () => tenant.post('/workspaces', body, { 'idempotency-key': `k${n}` });
    const responses = await Promise.all([post(), post(), post()]);
    tenant.created++;
    return (
      (new Set(responses.map((response) => response.body)).size !== 1 ||
        responses.some((response) => response.statusCode !== 201)) &&
      responses.map((response) => response.body).join()
    );
  },
};

const count = countOf('REQUESTS', { sample: 120, full: 500 });
const tenantCount = isFull ? 20 : 8;

test(`${count} interleaved requests of ${tenantCount} tenants through two connections show no foreign row`, async () => {
  console.log(`pgbouncer: FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`);
  const tenants = await Promise.all(Array.from({ length: tenantCount }, aNamedTenant));
  const totals: Record<string, number> = {};
  const problems: string[] = [];
  let next = 0;
  const caller = async () => {
    for (let n = next++; n < count; n = next++) {
      const [kind, request] = random.pick(Object.entries(requests));
      const wrong = await request(random.pick(tenants), random.pick(tenants), n);
      if (wrong) problems.push(`${kind}: ${wrong}`);
      totals[kind] = (totals[kind] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 24 }, caller));
  console.log('pgbouncer:', JSON.stringify(totals));
  expect(problems).toEqual([]);
  for (const { tenantId, created } of tenants) {
    const rows = await admin.selectFrom('workspaces').select('id').where('tenantId', '=', tenantId).execute();
    expect(rows, 'each was created once').toHaveLength(created);
  }
});

test(
  'transactions that abort, time out or lose their backend show no foreign row through PgBouncer either',
  { timeout: 30_000 + rounds * 1_000 },
  async () => {
    const homes = await Promise.all(Array.from({ length: tenantCount }, () => aTenant()));
    const { totals, problems } = await interleave({
      services: { ...services, db, wakeRelay: () => {} },
      admin,
      homes,
      times: rounds * 20,
      concurrency: 10,
      random,
    });
    console.log('pgbouncer:', JSON.stringify(totals));
    expect(problems).toEqual([]);
  },
);

test('the relay delivers every event in order through PgBouncer', async () => {
  const delivered = new Map<string, number[]>();
  const record = async (tenantId: Id<'tenant'>, events: readonly { position: number }[]) =>
    void delivered.set(tenantId, [...(delivered.get(tenantId) ?? []), ...events.map(({ position }) => position)]);
  const options = { services: { ...services, db }, log: api.platform.log, sweepMs: 50, subscribers: [record] };
  const relays = [startRelay(options), startRelay(options)];
  const waiting = sql`select from directory.event_streams where delivered_position < last_position`;
  for (let n = 0; n < 200 && (await waiting.execute(admin)).rows.length > 0; n++) await sleep(50);
  await Promise.all(relays.map((relay) => relay.stop()));

  const streams = sql<{ tenantId: string; lastPosition: string }>`select * from directory.event_streams`;
  const { rows } = await streams.execute(admin);
  expect(rows.length).toBeGreaterThan(tenantCount);
  for (const { tenantId, lastPosition } of rows)
    expect(delivered.get(tenantId)).toEqual(Array.from({ length: Number(lastPosition) }, (_, n) => n + 1));
});
