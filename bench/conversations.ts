import { sql } from 'kysely';
import { list } from '../apps/server/src/features/conversations/agent/list.store.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { withDatabase, type Database } from './database.ts';
import { result, type Result } from './figures/result.ts';
import { median, msOf, percentile } from './figures/stats.ts';

const conversations = Number(process.env['BENCH_CONVERSATIONS'] ?? 1_000_000);
const rounds = 100;
const tenantId = 'ten_bench';

/** What a message writes to its conversation's row and indexes, and how long lists take, in a large tenant. */
export const largeTenant = (): Promise<Result[]> =>
  withDatabase(async (database) => {
    await fill(database);
    return [await writes(database), ...(await lists(database))];
  });

const among = `in a tenant with ${conversations.toLocaleString('en')} conversations`;

async function writes({ admin }: Database): Promise<Result> {
  const { rows: start } = await admin.query<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn');
  let buffers = 0;
  for (let n = 1; n <= rounds; n++) {
    const { rows } = await admin.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers, timing off, costs off, summary off)
      update conversations set last_seq = last_seq + 1, message_count = message_count + 1, preview = 'What does delivery cost?',
        last_message_at = clock_timestamp(), expires_at = clock_timestamp() + interval '90 days'
      where tenant_id = $1 and id = $2`,
      [tenantId, idOf((n * 7_919) % conversations)],
    );
    const text = rows.map((row) => row['QUERY PLAN']).join('\n');
    const [, hit = 0, read = 0] = /shared hit=(\d+)(?: read=(\d+))?/.exec(text) ?? [];
    buffers += Number(hit) + Number(read);
  }
  const { rows } = await admin.query<{ bytes: string }>(
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1) as bytes',
    [start[0]?.lsn],
  );
  return result({
    name: `a message ${among}: the update of its row and indexes`,
    value: Number(rows[0]?.bytes) / rounds,
    unit: 'bytes of WAL',
    rounds,
    note: `${(buffers / rounds).toFixed(1)} buffers`,
  });
}

const filters = {
  all: {},
  waiting: { state: 'waiting_human' },
  'of a bot': { botId: 'bot_3' },
  'of an environment': { environmentId: 'env_1' },
  'waiting, of a bot': { botId: 'bot_0', state: 'waiting_human' },
  'of an assignee': { assigneeId: 'usr_1' },
  rated: { rating: 1 },
} as const;

async function lists({ appUrl }: Database): Promise<Result[]> {
  const db = connect(appUrl, { max: 1 });
  const figures: Result[] = [];
  await db.transaction().execute(async (tx) => {
    await sql`select set_config('app.tenant_id', ${tenantId}, true)`.execute(tx);
    for (const [name, filter] of Object.entries(filters)) {
      const page = () => list(tx, filter as never, undefined, 50);
      for (let n = 0; n < 10; n++) await page(); // warm
      const times: number[] = [];
      for (let n = 0; n < rounds; n++) times.push(await msOf(page));
      figures.push(
        result({
          name: `a page of 50 ${among}, ${name} (p50)`,
          value: median(times),
          unit: 'ms',
          rounds,
          note: `p95 ${percentile(times, 0.95).toFixed(1)} ms`,
        }),
      );
    }
  });
  await db.destroy();
  return figures;
}

const idOf = (n: number) => `conv_01k${n.toString(16).padStart(23, '0')}`;

/** Bulk inserted without indexes, which are created again at the end. */
async function fill({ admin }: Database) {
  const { rows: indexes } = await admin.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = 'conversations'::regclass and not indisunique`,
  );
  for (const { name } of indexes) await admin.query(`drop index ${name}`);
  const at = `now() - n * interval '20 days' / ${conversations}`;
  const statements = [
    `set session_replication_role = replica`,
    `insert into tenants (tenant_id, name, plan, api_version) values ('${tenantId}', 'Bench', 'team', 'bench')`,
    `insert into bots (tenant_id, id, workspace_id, name) select '${tenantId}', 'bot_' || n, 'wsp', 'Bot' from generate_series(0, 4) as n`,
    `insert into environments (tenant_id, id, workspace_id, name) select '${tenantId}', 'env_' || n, 'wsp', 'env' || n from generate_series(0, 2) as n`,
    `insert into conversations (tenant_id, id, environment_id, bot_id, version_id, visitor_id, state, assignee_id, rating, last_seq,
        message_count, preview, last_message_at, expires_at, created_at)
      select '${tenantId}', 'conv_01k' || lpad(to_hex(n), 23, '0'), 'env_' || n % 3, 'bot_' || n % 5, 'ver', 'vis_01k' || lpad(n::text, 23, '0'),
        case when n % 1000 = 0 then 'waiting_human' when n % 500 = 1 then 'human' when n % 20 = 0 then 'bot' else 'closed' end,
        case when n % 50 = 1 then 'usr_' || n % 20 end, case when n % 10 = 0 then 1 + n % 5 end, 10, 10,
        repeat('What does delivery cost? ', 5), ${at}, ${at} + interval '90 days', ${at}
      from generate_series(1, ${conversations}) as n`,
    ...indexes.map(({ definition }) => definition),
    `vacuum analyze conversations`,
  ];
  for (const statement of statements) await admin.query(statement);
}
