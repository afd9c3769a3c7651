import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { implement } from '@restatedev/restate-sdk';
import { Client } from 'pg';
import { overdueTurns } from '../apps/server/src/features/conversations/conversations.reactions.ts';
import { purgeConversations } from '../apps/server/src/features/conversations/index.ts';
import { conversationObject } from '../apps/server/src/features/conversations/turn/conversation.interface.ts';
import { purgeTestRuns } from '../apps/server/src/features/actions/index.ts';
import { purgeRequestErrors } from '../apps/server/src/features/support/request-errors.ts';
import { purgeOldQuestions } from '../apps/server/src/features/usage/index.ts';
import type { Services } from '../apps/server/src/platform/context.ts';
import { connect } from '../apps/server/src/platform/db.ts';
import { connectRestate } from '../apps/server/src/platform/restate-client.ts';
import { openDeployments } from '../apps/server/src/platform/deployments.ts';
import { keepRegistered } from '../apps/server/src/platform/registration.ts';
import { durableDefaults, serveDurable } from '../apps/server/src/platform/restate.ts';
import { startSweeper } from '../apps/server/src/platform/sweeper.ts';
import { createLog } from '../apps/server/src/platform/telemetry.ts';
import { stackDir, startRestate } from '../tools/stack/index.ts';
import { msOf, withDatabase, type Database } from './database.ts';

const tenants = Number(process.env['BENCH_TENANTS'] ?? 1_000_000);
const timers = Number(process.env['BENCH_TIMERS'] ?? 200_000);
const dueTenants = 1_000;
const log = createLog('bench', 'silent');

/** One round of the chores, with many tenants of which few have something due. */
export const chores = () =>
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
    console.log(
      `chores: ${tenants} tenants, ${dueTenants} with something due: ${(ms / 1_000).toFixed(1)} s, ${sent} statements, ${rows[0]?.left} rows left (goal: 30 s, 5,000 statements: ${ms < 30_000 && sent <= 5_000 ? 'met' : 'NOT MET'})`,
    );
    await db.destroy();
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

/**
 * Restate was started without its data: how long until every open timer was called again, each once? The handlers do nothing
 * but clear their timers, as turns do when they are done.
 */
export const sweeper = () =>
  withDatabase(async ({ admin, appUrl }) => {
    const dir = stackDir(`bench-sweeper-${process.pid}`);
    const restate = await startRestate(join(dir, 'restate'), { partitions: 4 });
    const calls = new Map<string, number>();
    let done: string[] = [];
    const stub = implement(conversationObject, {
      options: durableDefaults,
      handlers: {
        run: async (_ctx, { turnId }) => {
          calls.set(turnId, (calls.get(turnId) ?? 0) + 1);
          done.push(turnId);
        },
      },
    });
    const worker = await serveDurable({
      services: [stub],
      log,
      host: '127.0.0.1',
      port: 0,
      identityKeys: [restate.identityKey],
    });
    const workerUrl = `http://127.0.0.1:${worker.port}`;
    const registered = keepRegistered({
      deployments: openDeployments(restate.adminUrl),
      workerUrl,
      services: [stub],
      force: true,
      log,
    });
    await admin.query(
      `insert into directory.timers (kind, tenant_id, subject_id, due_at)
      select 'turn', 'ten_' || n % 1000, 'conv_' || n || '/turn_' || n, now() - interval '5 minutes' - n * interval '1 ms'
      from generate_series(1, $1::int) as n`,
      [timers],
    );
    await admin.query('analyze directory.timers');
    await waitUntil(async () => (await (await fetch(`${restate.adminUrl}/services`)).text()).includes('Conversation'));
    const db = connect(appUrl, { max: 4 });
    const services = { db } as unknown as Services;
    const clearTimers = setInterval(() => {
      const subjects = done.map((turnId) => `${turnId.replace('turn', 'conv')}/${turnId}`);
      done = [];
      void admin.query(`delete from directory.timers where kind = 'turn' and subject_id = any ($1)`, [subjects]);
    }, 1_000);
    let sent = 0;
    const [startedAt, ownCpu, restateCpu] = [performance.now(), process.cpuUsage(), cpuMsOf(restate.pid() ?? 0)];
    const sweepers = [1, 2].map(() =>
      startSweeper({
        services,
        handlers: overdueTurns(connectRestate(restate.ingressUrl)),
        log,
        onRecovered: () => sent++,
      }),
    );
    await waitUntil(async () => sent >= timers);
    const sentMs = performance.now() - startedAt;
    await waitUntil(async () => calls.size >= timers);
    const ms = performance.now() - startedAt;
    const twice = [...calls.values()].filter((count) => count > 1).length;
    const { user, system } = process.cpuUsage(ownCpu);
    console.log(
      `CPU per timer: ${((user + system) / 1e3 / timers).toFixed(2)} ms of the workers (one process), ${((cpuMsOf(restate.pid() ?? 0) - restateCpu) / timers).toFixed(2)} ms of Restate`,
    );
    console.log(
      `sweeper: ${timers} timers with two workers: all sent after ${(sentMs / 1_000).toFixed(0)} s, all handled after ${(ms / 1_000).toFixed(0)} s, ${sent} sent, ${twice} handled twice (goal: 180 s, each once: ${ms < 180_000 && twice === 0 && sent === timers ? 'met' : 'NOT MET'})`,
    );
    clearInterval(clearTimers);
    await Promise.all(sweepers.map(({ stop }) => stop()));
    await registered.stop();
    await worker.stop(1);
    await db.destroy();
    await restate.stop();
    rmSync(dir, { recursive: true, force: true });
  });

/** CPU time of a process and its threads. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10; // in hundredths of a second
}

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 200));
}
