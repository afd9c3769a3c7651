import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { connect, transact, type Db } from '../apps/server/src/platform/db.ts';
import { newId } from '../apps/server/src/platform/ids.ts';
import type { Database } from './database.ts';

const conversations = 64;
const batch = 500;
const body = JSON.stringify({
  type: 'bench.changed',
  text: 'Where is my order? It was to come on Tuesday. '.repeat(8),
});

/** Other ways to order events, as SQL alone: the same row and indexes, in another table without row-level security. */
export async function createExit({ admin, adminUrl }: Database, app: Db) {
  await admin.query(`create table bench_streams (key text collate "C" primary key, last_position bigint not null)
    with (fillfactor = 70)`);
  await admin.query(`insert into bench_streams select 'conv_' || n, 0 from generate_series(1, ${conversations}) as n`);
  await admin.query(`insert into bench_streams values ('tenant', 0)`);
  await admin.query('create table bench_events (like events including indexes)');
  await admin.query('alter table bench_events alter position drop not null');
  await admin.query('create index bench_events_unordered on bench_events (id) where position is null');
  await admin.query('grant all on bench_streams, bench_events to parley_app');

  const row = () => sql`'ten_bench', ${newId('event')}, 'bench.changed', true, 'bench', ${body}, now()`;
  const columns = sql`tenant_id, id, type, is_public, subject_id, body, created_at`;
  /** Takes the next position from a row that stays locked until the commit. */
  const inOrderOf = (key: () => string) => () =>
    transact(app, 'begin', (tx) =>
      sql`with taken as (update bench_streams set last_position = last_position + 1 where key = ${key()} returning last_position)
        insert into bench_events (${columns}, position) select ${row()}, last_position from taken`.execute(tx),
    );

  const relay = connect(adminUrl, { max: 1 });
  let [relayedCount, relayedMs] = [0, 0];
  const relayOnce = async (): Promise<number> => {
    const { numAffectedRows = 0n } = await sql`
      with taken as (select id, row_number() over (order by id) as n from
          (select id from bench_events where position is null order by id limit ${batch}) as unordered),
        stream as (update bench_streams set last_position = last_position + (select count(*) from taken)
          where key = 'tenant' returning last_position - (select count(*) from taken) as first)
      update bench_events e set position = first + n from taken, stream where e.id = taken.id`.execute(relay);
    return Number(numAffectedRows);
  };
  return {
    tenantRow: inOrderOf(() => 'tenant'),
    conversationRow: inOrderOf(() => `conv_${1 + Math.floor(Math.random() * conversations)}`),
    /** Without a position: `relayed` assigns them meanwhile, in the order in which it sees them. */
    unordered: () =>
      transact(app, 'begin', (tx) => sql`insert into bench_events (${columns}) values (${row()})`.execute(tx)),
    async relayed(measure: () => Promise<number>): Promise<number> {
      let isOver = false;
      const startedAt = performance.now();
      const run = async () => {
        while (!isOver) {
          const count = await relayOnce();
          relayedCount += count;
          if (count < batch) await sleep(5);
        }
      };
      const [rate] = await Promise.all([measure().finally(() => (isOver = true)), run()]);
      relayedMs += performance.now() - startedAt;
      return rate;
    },
    relayedPerSecond: () => (1_000 * relayedCount) / relayedMs,
    stop: () => relay.destroy(),
  };
}
