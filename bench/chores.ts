import { Client } from 'pg';
import { purgeConversations } from '../apps/server/src/features/conversations/index.ts';
import { purgeTestRuns } from '../apps/server/src/features/actions/index.ts';
import { purgeRequestErrors } from '../apps/server/src/features/support/request-errors.ts';
import { purgeOldQuestions } from '../apps/server/src/features/usage/index.ts';
import type { Services } from '../apps/server/src/platform/context.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { withDatabase, type Database } from './database.ts';
import { result, type Result } from './figures/result.ts';
import { msOf } from './figures/stats.ts';

const tenants = Number(process.env['BENCH_TENANTS'] ?? 1_000_000);
const dueTenants = 1_000;

/** One round of the chores, with many tenants of which few have something due. */
export const chores = (): Promise<Result[]> =>
  withDatabase(async (database) => {
    await fill(database);
    const db = connect(database.appUrl, { max: 2 });
    const services = { db, wakeRelay: () => {}, notify: () => {} } as unknown as Services;
    const statements = countStatements();
    const ms = await msOf(async () => {
      for (const purge of [purgeConversations, purgeOldQuestions, purgeTestRuns, purgeRequestErrors])
        await purge(services);
    });
    const sent = statements();
    const { rows } = await database.admin.query<{ left: string }>(
      `select (select count(*) from conversations) + (select count(*) from unanswered_questions)
        + (select count(*) from action_runs) + (select count(*) from request_errors) as left`,
    );
    await db.destroy();
    const name = `one round of the four chores that visit tenants, among ${tenants.toLocaleString('en')} of which ${dueTenants.toLocaleString('en')} have something due`;
    return [
      result({
        name,
        value: ms / 1_000,
        unit: 's',
        goal: { atMost: 30 },
        rounds: 1,
        note: `${rows[0]?.left} rows were left`,
      }),
      result({ name: 'the same', value: sent, unit: 'statements', goal: { atMost: 5_000 }, rounds: 1 }),
    ];
  });

/** A quarter of the due tenants for each kind. */
async function fill({ admin }: Database) {
  await admin.query("set session_replication_role = 'replica'"); // no triggers and references: it takes minutes otherwise
  await admin.query(
    `insert into tenants (tenant_id, name, plan, api_version)
    select 'ten_' || lpad(n::text, 8, '0'), 'Tenant ' || n, 'free', '2026-01-01' from generate_series(1, $1::int) as n`,
    [tenants],
  );
  await admin.query('insert into directory.tenants (tenant_id) select tenant_id from tenants');
  const due = (kind: number) =>
    `(select tenant_id from tenants where right(tenant_id, 8)::int % ${Math.floor(tenants / dueTenants)} = 0
      and right(tenant_id, 8)::int / ${Math.floor(tenants / dueTenants)} % 4 = ${kind}) as due`;
  await admin.query(`insert into conversations (tenant_id, id, environment_id, bot_id, version_id, expires_at)
    select tenant_id, 'conv_1', 'env_1', 'bot_1', 'ver_1', now() - interval '1 hour' from ${due(0)}`);
  await admin.query(`insert into unanswered_questions (tenant_id, day, bot_id, question_key, example, conversation_id, asked_at)
    select tenant_id, current_date - 100, 'bot_1', 'q', 'q', 'conv_x', now() from ${due(1)}`);
  await admin.query(`insert into action_runs (tenant_id, id, dedupe_key, environment_id, bot_id, action_id, spec, state, args, args_hash, created_at)
    select tenant_id, 'run_1', 'x', 'env_1', 'bot_1', 'act_1', '{}', 'succeeded', '{}', 'x', now() - interval '31 days' from ${due(2)}`);
  await admin.query(`insert into request_errors (tenant_id, hour, operation, status, reason, count, last_at, last_request_id, last_actor_type)
    select tenant_id, now() - interval '8 days', 'x', 404, 'x', 1, now(), 'x', 'api_key' from ${due(3)}`);
  await admin.query('set session_replication_role = default');
  await admin.query('analyze');
}

/** All messages to PostgreSQL, also the start and the end of a transaction. */
function countStatements(): () => number {
  let count = 0;
  const query = Client.prototype.query as (...args: unknown[]) => unknown;
  Client.prototype.query = function (this: Client, ...args: unknown[]) {
    count++;
    return query.apply(this, args);
  } as typeof Client.prototype.query;
  return () => {
    Client.prototype.query = query as typeof Client.prototype.query;
    return count;
  };
}
