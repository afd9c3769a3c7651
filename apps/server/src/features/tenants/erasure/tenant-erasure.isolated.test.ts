import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { countOf } from '../../../../../../tools/testing/size.ts';
import { age, aDeletedTenant, erase, reason, remove, restore } from '../../../../test/deleted-tenant.ts';
import { admin, anOperator, api, aTenant, aUser, services, inside } from '../../../../test/harness.ts';
import type { Id } from '../../../platform/ids.contract.ts';
import { newId } from '../../../platform/ids.ts';
import { startSweeper } from '../../../platform/sweeper.ts';
import { timerHandlers } from '../../durable.ts';
import { eraseRows, idsOfTenant } from './tenant-erasure.store.ts';

type TenantId = Id<'tenant'>;
const tooEarly = 'has not been deleted for thirty days';

/** All rows of a tenant by table. Partitions count as part of their table. */
async function rowsOf(tenantId: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name
    from information_schema.tables join information_schema.columns using (table_schema, table_name)
    where table_schema in ('public', 'directory') and table_type = 'BASE TABLE' and column_name = 'tenant_id'
      and table_name !~ '_p[0-9]{8}$' order by 1`.execute(admin);
  const found = tables.map(async ({ name }) => {
    const line = sql`select t::text as line from ${sql.raw(name)} as t where tenant_id = ${tenantId} order by 1`;
    return [name, (await line.execute(admin)).rows.map((row) => (row as { line: string }).line)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** All tables that contain the tenant's id in any column. */
async function mentionsOf(tenantId: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname in ('public', 'directory')`.execute(admin);
  const found = tables.map(async ({ name }) => {
    const { rows } = await sql`select from ${sql.raw(name)} t where t::text like ${`%${tenantId}%`}`.execute(admin);
    return rows.length > 0 ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}

/** A tenant with at least one row in every table. */
async function createFullTenant() {
  const operator = await anOperator();
  const idempotencyKey = () => ({ 'idempotency-key': newId('request') });
  const created = await operator.post('/admin/tenants', { name: 'Test', plan: 'enterprise' }, idempotencyKey());
  const { tenant, workspace } = created.json<{ tenant: { id: TenantId }; workspace: { id: string } }>();
  const [tenantId, botId] = [tenant.id, newId('bot')];
  await operator.patch(`/admin/tenants/${tenantId}/entitlements`, { overrides: { 'bots.max': 77 } });
  await admin.insertInto('bots').values({ tenantId, id: botId, workspaceId: workspace.id, name: 'Bot' }).execute();
  const owner = await aUser([{ tenantId, roles: ['owner'] }]);
  const expiresAt = new Date(Date.now() + 86_400_000 * 90).toISOString();
  const widget = { name: 'Site', keyType: 'public_widget', boundBotId: botId, workspaceId: workspace.id, expiresAt };
  const key = await owner.post('/api-keys', widget);
  const invitation = await owner.post(
    '/invitations',
    { email: `${botId}@example.com`, roles: ['viewer'] },
    idempotencyKey(),
  );
  expect([created, key, invitation].map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
  const session = newId('session');
  await sql`insert into customer_pool.sessions (id, grant_hash, user_id, tenant_id, client_id, methods, authenticated_at,
    ip, user_agent, expires_at) values (${session}, sha256(${session}), ${owner.userId}, ${tenantId}, 'portal', '{pwd}',
    now(), '192.0.2.1', 'test', now() + interval '90 days')`.execute(admin);
  const supportRequest = await operator.post(`/admin/tenants/${tenantId}/support-requests`, { reason: 'For the test' });
  expect(supportRequest.statusCode, supportRequest.body).toBe(201);
  await insertBotData(tenantId, botId);
  for (const [table, name] of Object.entries(await rowsOf(tenantId)))
    expect(name.length, `${table} has no row for the tenant of this test: insert one above`).toBeGreaterThan(0);
  return { ...owner, tenantId, session };
}
/** One row in each table of bots and conversations. */
async function insertBotData(tenantId: TenantId, botId: string) {
  const [version, source, document, conv, run] = ['v', 's', 'd', newId('conversation'), newId('actionRun')];
  const [visitor, contact, webhook] = [newId('visitor'), newId('contact'), newId('webhook')];
  const environment = sql`(select min(id) from environments where tenant_id = ${tenantId})`;
  const workspace = sql`(select min(id) from workspaces where tenant_id = ${tenantId})`;
  for (const statement of [
    sql`bot_versions (tenant_id, id, bot_id, number, content_hash, content, created_by) values (${tenantId}, ${version}, ${botId}, 1, 'x', '{}', 'x')`,
    sql`bot_deployments (tenant_id, bot_id, environment_id, version_id, deployed_by) values (${tenantId}, ${botId}, ${environment}, ${version}, 'x')`,
    sql`models (tenant_id, id, name, provider, model, input_price, output_price, created_by) values (${tenantId}, 'm', 'm', 'openai', 'm', 1, 1, 'x')`,
    sql`knowledge_sources (tenant_id, id, bot_id, kind, name, config, created_by) values (${tenantId}, ${source}, ${botId}, 'file', 's', '{}', 'x')`,
    sql`knowledge_files (tenant_id, source_id, name, media_type, content) values (${tenantId}, ${source}, 'f', 'text/plain', 'x')`,
    sql`knowledge_documents (tenant_id, id, source_id, location, sync_id) values (${tenantId}, ${document}, ${source}, 'l', 'x')`,
    sql`knowledge_chunks (tenant_id, document_id, place, source_id, bot_id, heading, body, config, tokens) values (${tenantId}, ${document}, 0, ${source}, ${botId}, '', 'x', 'english', '')`,
    sql`knowledge_embeddings (tenant_id, document_id, place, source_id, model, embedding) values (${tenantId}, ${document}, 0, ${source}, 'x', 'x')`,
    sql`knowledge_tokens (tenant_id, source_id, token, lexeme, chunks) values (${tenantId}, ${source}, 'w', 'w', 1)`,
    sql`saved_replies (tenant_id, id, name, text, created_by) values (${tenantId}, 'srep', 'x', 'x', 'x')`,
    sql`inbox_views (tenant_id, id, name, filters, created_by) values (${tenantId}, 'view', 'x', '{}', 'x')`,
    sql`business_hours (tenant_id, workspace_id, time_zone) values (${tenantId}, ${workspace}, 'UTC')`,
    sql`teams (tenant_id, id, name) values (${tenantId}, 'team', 'Team')`,
    sql`team_members (tenant_id, team_id, user_id) select tenant_id, 'team', user_id from memberships where tenant_id = ${tenantId}`,
    sql`agents (tenant_id, user_id) select tenant_id, user_id from memberships where tenant_id = ${tenantId}`,
    sql`assignment_settings (tenant_id, workspace_id, mode, max_open, team_id) values (${tenantId}, ${workspace}, 'manual', 5, 'team')`,
    sql`digests (tenant_id, workspace_id, due_at) values (${tenantId}, ${workspace}, now() + interval '1 year')`,
    sql`idempotency_keys (tenant_id, key, request_hash) values (${tenantId}, 'x', '')`,
    sql`idempotency_references (tenant_id, subject_id, key) values (${tenantId}, ${conv}, 'x')`,
    sql`visitors (tenant_id, id, bot_id, environment_id, label) values (${tenantId}, ${visitor}, ${botId}, ${environment}, 'x')`,
    sql`contacts (tenant_id, id, environment_id, external_user_id, email) values (${tenantId}, ${contact}, ${environment}, 'x', 'x')`,
    sql`contact_terms (tenant_id, term, contact_id) values (${tenantId}, 'x', ${contact})`,
    sql`conversations (tenant_id, id, environment_id, bot_id, version_id, expires_at) values (${tenantId}, ${conv}, ${environment}, ${botId}, ${version}, now())`,
    sql`conversation_events (tenant_id, conversation_id, seq, type, payload) values (${tenantId}, ${conv}, 1, 'x', '{}')`,
    sql`turns (tenant_id, conversation_id, id, seq, message_id, reply_id) values (${tenantId}, ${conv}, 't', 1, 'm', 'r')`,
    sql`turn_steps (tenant_id, conversation_id, turn_id, name, result) values (${tenantId}, ${conv}, 't', 'x', '{}')`,
    sql`webhooks (tenant_id, id, url, event_types, rate_limit, ordering, created_by) values (${tenantId}, ${webhook}, 'x', '{*}', 1, 'none', 'x')`,
    sql`webhook_secrets (tenant_id, webhook_id, version, encrypted, hint) values (${tenantId}, ${webhook}, 1, 'x', 'x')`,
    sql`webhook_health (tenant_id, webhook_id) values (${tenantId}, ${webhook})`,
    sql`webhook_listen_calls (tenant_id, id, webhook_id, request, expires_at) values (${tenantId}, 'lis', ${webhook}, '{}', now())`,
    sql`webhook_queue (tenant_id, id, webhook_id, event_id, event_type, position, next_attempt_at, created_at) values (${tenantId}, 'dlv', ${webhook}, 'evt', 'x', 1, now(), now())`,
    sql`webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, position, is_replay, status, attempts, log, created_at) values (${tenantId}, ${newId('delivery')}, ${webhook}, 'evt', 'x', 1, false, 'expired', 1, '[]', now())`,
    sql`webhook_replays (tenant_id, id, webhook_id, since, until, statuses, created_by) values (${tenantId}, 'rpl', ${webhook}, now(), now(), '{}', 'x')`,
    sql`widget_installs (tenant_id, bot_id, origin, first_seen_at, last_seen_at) values (${tenantId}, ${botId}, 'https://shop.example', now(), now())`,
    sql`request_errors (tenant_id, hour, operation, status, reason, count, last_at, last_request_id, last_actor_type) values (${tenantId}, now(), 'x', 400, 'x', 1, now(), 'x', 'user')`,
    sql`actions (tenant_id, id, bot_id, name, spec, created_by) values (${tenantId}, 'act', ${botId}, 'a', '{}', 'x')`,
    sql`action_runs (tenant_id, id, dedupe_key, environment_id, bot_id, action_id, spec, state, args, args_hash) values (${tenantId}, ${run}, 'x', 'e', ${botId}, 'act', '{}', 'unknown', '{}', 'x')`,
    sql`directory.unknown_runs (tenant_id, run_id) values (${tenantId}, ${run})`,
    sql`usage_days (tenant_id, day, bot_id) values (${tenantId}, now(), ${botId})`,
    sql`outcome_days (tenant_id, day, bot_id, channel, language) values (${tenantId}, now(), ${botId}, 'website', 'en')`,
    sql`source_days (tenant_id, day, bot_id, source_id) values (${tenantId}, now(), ${botId}, ${source})`,
    sql`unanswered_questions (tenant_id, day, bot_id, question_key, example, conversation_id, asked_at) values (${tenantId}, now(), ${botId}, 'k', 'x', ${conv}, now())`,
    sql`conversation_tokens (tenant_id, token, conversation_id) values (${tenantId}, 'w', ${conv})`,
    sql`audit_heads (tenant_id, sequence, jws) values (${tenantId}, 1, 'x')`,
    sql`budgets (tenant_id, name, period) values (${tenantId}, 'x', now())`,
    sql`reservations (tenant_id, id, period, names, micros) values (${tenantId}, 'x', now(), '{}', 1)`,
  ])
    await sql`insert into ${statement}`.execute(admin);
}

const isSessionActive = async (session: string) =>
  (await sql`select from customer_pool.sessions where id = ${session} and ended_at is null`.execute(admin)).rows
    .length === 1;
const sweep = () => {
  // This test runs without Restate. test/tenants/erasure-everywhere.int.test.ts covers purging its invocations.
  const externalStores = {
    ...api.platform.externalStores,
    purgeInvocations: async () => ({ invocations: 0, states: 0, isDone: true }),
  };
  const handlers = timerHandlers(services, api.platform.restate, externalStores);
  const sweeper = startSweeper({ services, handlers, log: api.platform.log, everyMs: 50, graceSeconds: 0 });
  onTestFinished(() => sweeper.stop());
};

test('erases all rows of the tenant after 30 days and ends its sessions, without affecting other tenants', async () => {
  const [tenant, other] = [await createFullTenant(), await createFullTenant()];
  for (const who of [tenant, other]) expect((await remove(who)).statusCode).toBe(200);
  expect((await restore(other.tenantId)).statusCode).toBe(200);
  const [rowsBefore, otherRowsBefore] = [await rowsOf(tenant.tenantId), await rowsOf(other.tenantId)];
  sweep();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await rowsOf(tenant.tenantId)).toEqual(rowsBefore);

  await age(tenant.tenantId, '721 hours');
  await expect.poll(() => mentionsOf(tenant.tenantId), { timeout: 5_000 }).toEqual([]);
  expect(Object.values(await rowsOf(tenant.tenantId)).flat()).toEqual([]);
  expect(await rowsOf(other.tenantId)).toEqual(otherRowsBefore);
  expect([await isSessionActive(tenant.session), await isSessionActive(other.session)]).toEqual([false, true]);
  expect((await (await anOperator()).get(`/admin/tenants/${tenant.tenantId}`)).statusCode).toBe(404);
  await expect.poll(async () => (await tenant.get('/me')).statusCode, { timeout: 5_000 }).toBe(401);
  expect((await other.get('/me')).statusCode).toBe(200);
});

test('idsOfTenant finds every kind of id used in Valkey keys, but none of another tenant', async () => {
  const [tenant, other] = [await createFullTenant(), await createFullTenant()];
  const idsIn = async (tenantId: string) => {
    const queries = ['bots', 'conversations', 'visitors', 'contacts', 'api_keys', 'webhooks'].map((table) =>
      sql<{ id: string }>`select id from ${sql.table(table)} where tenant_id = ${tenantId}`.execute(admin),
    );
    return (await Promise.all(queries)).map(({ rows }) => rows.map(({ id }) => id));
  };
  const [ownIds, otherIds] = [await idsIn(tenant.tenantId), await idsIn(other.tenantId)];
  expect(ownIds.every((ids) => ids.length > 0)).toBe(true);
  const found = await inside(tenant.tenantId, ({ tx }) => idsOfTenant(tx, [...ownIds, ...otherIds].flat()));
  expect(found.toSorted()).toEqual(ownIds.flat().toSorted());
});

test('refuses to erase an active tenant, a suspended one and one deleted 29 days ago', async () => {
  const [active, suspended] = [await aTenant(), await aTenant()];
  const recentlyDeleted = [await aDeletedTenant('29 days'), await aDeletedTenant('719 hours 59 minutes')];
  await (await anOperator()).post(`/admin/tenants/${suspended.tenantId}/suspend`, { reason });
  for (const { tenantId } of [active, suspended, ...recentlyDeleted]) {
    const before = await rowsOf(tenantId);
    await expect(erase(tenantId)).rejects.toThrow(tooEarly);
    expect(await rowsOf(tenantId)).toEqual(before);
  }
  const { rows } = await sql`select directory.erase_rows('ers_x') as gone`.execute(services.db);
  expect(rows).toEqual([{ gone: true }]); // without a tenant there is nothing to do
});

test('the app role cannot backdate a deletion', async () => {
  const [active, deleted] = [await aTenant(), await aDeletedTenant('1 hour')];
  for (const { tenantId } of [active, deleted]) {
    const attempt = inside(tenantId, async ({ tx }) => {
      await sql`update tenants set status = 'deleted', deleted_at = '2020-01-01'`.execute(tx);
      return eraseRows(tx, newId('erasure'));
    });
    await expect(attempt).rejects.toThrow(tooEarly);
  }
  const newTenantId = newId('tenant');
  const insertDeleted = inside(newTenantId, async ({ tx }) => {
    await sql`insert into tenants (tenant_id, name, plan, api_version, status, deleted_at)
      values (${newTenantId}, 'x', 'free', 'x', 'deleted', '2020-01-01')`.execute(tx);
    return eraseRows(tx, newId('erasure'));
  });
  await expect(insertDeleted).rejects.toThrow(tooEarly);
});

test('erasing is idempotent, also concurrently', async () => {
  const { tenantId } = await aDeletedTenant();
  expect(await Promise.all([erase(tenantId), erase(tenantId)])).toEqual([true, true]);
  expect(await erase(tenantId)).toBe(true);
  expect(await mentionsOf(tenantId)).toEqual([]);
});

test('erases a large tenant in several calls, and keeps its timer and tenant row until the last one', async () => {
  const { tenantId } = await aDeletedTenant();
  await sql`with days as materialized (
      select day, directory.first_id('evt', now() + day * interval '1 day') as first from generate_series(0, 2) as day)
    insert into events (tenant_id, id, position, type, is_public, subject_id, body, created_at)
    select ${tenantId}, first || lpad(n::text, 16, '0'), 3 * n + day, 'x', false, 'x', '{}', now()
    from days, generate_series(1, 20000) as n`.execute(admin);
  expect(await erase(tenantId)).toBe(false);
  const remaining = await rowsOf(tenantId);
  expect([remaining['public.tenants'], remaining['directory.timers']].map((rows) => rows?.length)).toEqual([1, 1]);
  expect((await restore(tenantId)).json().error.reason).toBe('restore_window_expired');
  sweep();
  await expect.poll(() => mentionsOf(tenantId), { timeout: 10_000 }).toEqual([]);
});

/** Simulates a table from a later migration. */
async function addTable(columns: string) {
  onTestFinished(async () => void (await sql`drop table later_things cascade`.execute(admin)));
  const text = `create table later_things (tenant_id text not null, id int, primary key (tenant_id, id), ${columns});
    alter table later_things owner to parley_owner; select protect_by_tenant('later_things')`;
  await sql.raw(text).execute(admin);
}

/** A call erases 50,000 rows. */
const laterThings = countOf('LATER_THINGS', { sample: 100, full: 50_001 });
test('erases tables that are added later, with foreign keys between tables and within the table', async () => {
  await addTable(`parent int, unique (tenant_id, parent),
    foreign key (tenant_id, parent) references later_things deferrable initially deferred`);
  await sql`alter table bots add thing int, add foreign key (tenant_id, thing) references later_things`.execute(admin);
  onTestFinished(async () => void (await sql`alter table bots drop thing`.execute(admin)));
  const [tenant, other] = [await aDeletedTenant(), await aTenant()];
  for (const [{ tenantId }, count] of [[tenant, laterThings] as const, [other, 7] as const]) {
    await sql`insert into later_things select ${tenantId}, n, case when n = ${count}::int then 1 end
      from generate_series(1, ${count}::int) as n`.execute(admin);
    await sql`update bots set thing = 1 where tenant_id = ${tenantId}`.execute(admin);
  }
  if (laterThings > 50_000) expect(await erase(tenant.tenantId)).toBe(false);
  expect(await erase(tenant.tenantId)).toBe(true);
  expect(await mentionsOf(tenant.tenantId)).toEqual([]);
  expect((await rowsOf(other.tenantId))['public.later_things']).toHaveLength(7);
});

test('erases partitioned tables, without confusing rows at the same position of different partitions', async () => {
  const text = `create table directory.parts (tenant_id text, id int) partition by range (id);
    create table directory.low_parts partition of directory.parts for values from (0) to (10);
    create table directory.high_parts partition of directory.parts for values from (10) to (20);
    alter table directory.parts owner to parley_owner`;
  await sql.raw(text).execute(admin);
  onTestFinished(async () => void (await sql`drop table directory.parts`.execute(admin)));
  const [{ tenantId }, other] = [await aDeletedTenant(), await aTenant()];
  await sql`insert into directory.parts values (${tenantId}, 1), (${other.tenantId}, 11)`.execute(admin);
  expect(await erase(tenantId)).toBe(true);
  const { rows } = await sql`select * from directory.parts`.execute(admin);
  expect(rows).toEqual([{ tenantId: other.tenantId, id: 11 }]);
});

test('rolls back and names the table if a row cannot be erased', async () => {
  await addTable('x int');
  await sql
    .raw(`create function keep_it() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep before delete on later_things for each row execute function keep_it()`)
    .execute(admin);
  const { tenantId } = await aDeletedTenant();
  await sql`insert into later_things values (${tenantId}, 1, 1)`.execute(admin);
  const before = await rowsOf(tenantId);
  await expect(erase(tenantId)).rejects.toThrow(`rows of tenant ${tenantId} remain in later_things`);
  expect(await rowsOf(tenantId)).toEqual(before);
});

test('returns 409 restore_window_expired after 30 days', async () => {
  const { tenantId } = await aDeletedTenant('720 hours');
  const res = await restore(tenantId);
  expect([res.statusCode, res.json().error.reason]).toEqual([409, 'restore_window_expired']);
  expect((await restore((await aDeletedTenant('719 hours 59 minutes')).tenantId)).statusCode).toBe(200);
});
