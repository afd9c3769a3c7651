import { sql, type Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { admin, services, urlAs } from '../harness.ts';
import type { DB } from '../../src/platform/db-types.ts';
import { connect } from '../../src/platform/db.ts';
import { maintainPartitions } from '../../src/platform/partitions.ts';

/** What workers deliver webhooks with, for the tenants that a transaction names. */
const dispatched = ['events', 'tenants', 'webhook_deliveries', 'webhook_health', 'webhook_queue', 'webhooks'];
const namedTenants =
  "(tenant_id IN ( SELECT unnest(string_to_array(current_setting('app.tenant_ids'::text, true), ','::text)) AS unnest))";

/** Problems of the tables of `public`, one line each. */
async function findings(db: Kysely<DB> = admin): Promise<string[]> {
  const { rows } = await sql<{ finding: string }>`
    with tables as (
      select c.oid, c.relname, c.relowner, c.relrowsecurity, c.relforcerowsecurity, c.relispartition, a.attnum as tenant
      from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace)
    select relname || ': ' || wrong as finding from tables t cross join lateral (values
      ('has no tenant_id', tenant is null),
      ('does not enable and force row-level security', not (relrowsecurity and relforcerowsecurity)),
      ('is owned by the role the server signs in as', pg_has_role('parley_app', relowner, 'member')),
      ('has no primary key', not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary)),
      ('has a unique index without tenant_id',
        exists (select from pg_index i where i.indrelid = t.oid and i.indisunique and not tenant = any (i.indkey))),
      ('has a reference that does not start with tenant_id',
        exists (select from pg_constraint f where f.conrelid = t.oid and f.contype = 'f' and f.conkey[1] <> tenant)),
      ('has not exactly one policy, for everybody, with USING and WITH CHECK on the tenant',
        (select count(*) filter (where p.polcmd = '*' and p.polroles = '{0}' and p.polpermissive
            and pg_get_expr(p.polqual, t.oid) like '%tenant_id = %current_tenant%'
            and pg_get_expr(p.polwithcheck, t.oid) = pg_get_expr(p.polqual, t.oid)) <> 1
          or count(*) filter (where (p.polcmd <> 'r' or p.polroles <> array['parley_operator'::regrole::oid])
            -- The role of one function: see token-search.int.test.ts.
            and (p.polcmd <> 'r' or relname <> 'knowledge_chunks' or p.polroles <> array['parley_search'::regrole::oid])
            -- The tenants that a transaction names, in the tables that the next test lists.
            and (p.polroles <> array['parley_dispatcher'::regrole::oid] or not p.polpermissive or p.polcmd <> '*'
              or relname <> all (${dispatched}) or pg_get_expr(p.polqual, t.oid) <> ${namedTenants}
              or pg_get_expr(p.polwithcheck, t.oid) <> ${namedTenants})
            and (p.polpermissive or p.polroles <> array['parley_bound'::regrole::oid])) <> 1
          from pg_policy p where p.polrelid = t.oid)),
      ('belongs to a part of a tenant, and does not hide itself from keys that are bound to another',
        not relispartition and relname not in ('api_keys', 'request_errors')
        and exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = any (array['workspace_id', 'bot_id',
          'environment_id', 'conversation_id', 'source_id', 'webhook_id', 'contact_id', 'visitor_id', 'action_id']))
        and not exists (select from pg_policy p where p.polrelid = t.oid and not p.polpermissive
          and p.polroles = array['parley_bound'::regrole::oid])),
      ('is a partition that can be reached past its parent',
        relispartition and has_table_privilege('parley_app', t.oid, 'select, insert, update, delete, truncate'))
    ) as checks (wrong, is_wrong) where is_wrong order by 1`.execute(db);
  return rows.map(({ finding }) => finding);
}

test('every tenant table forces row-level security, has the tenant in every key and a single policy for reads and writes', async () => {
  expect(await findings()).toEqual([]);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from pg_tables where schemaname = 'public'`.execute(admin);
  expect(rows[0]?.n).toBeGreaterThan(30); // partitions too
});

test('parley_bound has exactly the privileges of parley_app', async () => {
  const { rows } = await sql<{ role: string; what: string }>`
    select acl.grantee::regrole::text as role, 'schema ' || n.nspname || ' ' || acl.privilege_type as what
      from pg_namespace n, aclexplode(n.nspacl) as acl
    union all select acl.grantee::regrole::text, c.oid::regclass || ' ' || acl.privilege_type
      from pg_class c, aclexplode(c.relacl) as acl
    union all select acl.grantee::regrole::text, a.attrelid::regclass || '.' || a.attname || ' ' || acl.privilege_type
      from pg_attribute a, aclexplode(a.attacl) as acl
    union all select acl.grantee::regrole::text, p.oid::regprocedure || ' ' || acl.privilege_type
      from pg_proc p, aclexplode(p.proacl) as acl`.execute(admin);
  const privilegesOf = (role: string) =>
    rows
      .filter((row) => row.role === role)
      .map(({ what }) => what)
      .toSorted();
  const hint = "call grant_to_bound_keys() at the end of the migration that granted something to 'parley_app'";
  expect(privilegesOf('parley_bound'), hint).toEqual(privilegesOf('parley_app'));
  expect(privilegesOf('parley_app').length).toBeGreaterThan(100);
});

test('workers that deliver see and change only these columns of the tenants they name: no secret and no URL', async () => {
  const { rows } = await sql<{ granted: string }>`
    select format('%s: %s (%s)', attrelid::regclass, what, string_agg(attname, ', ' order by attnum)) as granted
    from unnest(array['select', 'insert', 'update']) with ordinality as w (what, n), pg_attribute join pg_class c on c.oid = attrelid
    where relnamespace in (select oid from pg_namespace where nspname !~ '^pg_|information_schema') and attnum > 0
      and not attisdropped and relkind in ('r', 'p', 'v', 'm') and has_column_privilege('parley_dispatcher', attrelid, attnum, what)
    group by attrelid, what, n order by attrelid::regclass::text, n`.execute(admin);
  const queue =
    'tenant_id, id, webhook_id, event_id, event_type, conversation_id, "position", is_replay, retry_count, attempts, next_attempt_at, leased_until, log, created_at, claimed_by';
  expect(rows.map(({ granted }) => granted.replaceAll(', position', ', "position"'))).toEqual([
    'deployment.restores: select (epoch, restored_at, restored_to, system_identifier, timeline)',
    'events: select (tenant_id, id, environment_id, traceparent, body)',
    'tenants: select (tenant_id, status)',
    'webhook_deliveries: insert (tenant_id, id, webhook_id, event_id, event_type, conversation_id, "position", is_replay, status, attempts, log, created_at)',
    'webhook_health: select (tenant_id, webhook_id, health, revision, last_success_at, last_failure_at, last_failure_status)',
    'webhook_health: insert (tenant_id, webhook_id, health, revision, last_success_at, last_failure_at, last_failure_status)',
    'webhook_health: update (health, revision, last_success_at, last_failure_at, last_failure_status)',
    `webhook_queue: select (${queue})`,
    'webhook_queue: update (retry_count, attempts, next_attempt_at, leased_until, log, claimed_by)',
    'webhooks: select (tenant_id, id, rate_limit, ordering, auto_recover, status, disabled_reason, revision)',
  ]);
  const { rows: deleted } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class where relkind in ('r', 'p')
      and has_table_privilege('parley_dispatcher', oid, 'delete, truncate')`.execute(admin);
  expect(deleted).toEqual([{ name: 'webhook_queue' }]);
  const { rows: functions } = await sql<{ name: string }>`
    select p.proname as name from pg_proc p where has_function_privilege('parley_dispatcher', p.oid, 'execute') and p.prosecdef
      and p.pronamespace in ('public'::regnamespace, 'directory'::regnamespace) order by 1`.execute(admin);
  expect(functions.map(({ name }) => name)).toEqual(['hold_webhook_lanes', 'webhook_worker_is_live']);
});

test.each([
  [
    "create table careless (tenant_id text primary key); select protect_by_tenant('careless'); select open_to_dispatcher('careless')",
    'has not exactly one policy',
  ],
  ['create table careless (tenant_id text primary key)', 'does not enable and force row-level security'],
  ['create table careless (id text primary key)', 'has no tenant_id'],
  [
    "create table careless (tenant_id text, id text primary key); select protect_by_tenant('careless')",
    'has a unique index without tenant_id',
  ],
  ["create table careless (tenant_id text); select protect_by_tenant('careless')", 'has no primary key'],
  [
    'create table careless (tenant_id text primary key); alter table careless enable row level security',
    'does not enable and force row-level security',
  ],
  [
    "create table careless (tenant_id text primary key); select protect_by_tenant('careless'); drop policy tenant on careless; create policy tenant on careless using (true)",
    'has not exactly one policy',
  ],
  [
    "create table careless (tenant_id text primary key); select protect_by_tenant('careless'); create policy more on careless to parley_app using (true)",
    'has not exactly one policy',
  ],
  [
    "create table careless (tenant_id text, id text, primary key (tenant_id, id), bot_id text, unique (tenant_id, bot_id), foreign key (bot_id) references careless_parent); select protect_by_tenant('careless')",
    'has a reference that does not start with tenant_id',
  ],
  [
    "create table careless (tenant_id text, id text, bot_id text, primary key (tenant_id, id)); select protect_by_tenant('careless')",
    'belongs to a part of a tenant',
  ],
  [
    'grant select on events_p' + new Date().toISOString().slice(0, 10).replaceAll('-', '') + ' to parley_app',
    'is a partition that can be reached past its parent',
  ],
])('detects: %s', async (statement, finding) => {
  await admin
    .transaction()
    .execute(async (tx) => {
      await sql
        .raw(
          'create schema scratch; create table scratch.careless_parent (id text primary key); set local search_path = public, scratch',
        )
        .execute(tx);
      await sql.raw(statement).execute(tx);
      const names = await findings(tx);
      expect(
        names.some((line) => line.includes(finding)),
        names.join('\n'),
      ).toBe(true);
      throw new Error('intended rollback');
    })
    .catch((error: Error) => {
      if (error.message !== 'intended rollback') throw error;
    });
});

/** Ids, keys and columns of a primary or foreign key that are not compared as bytes. */
async function otherCollations(db: Kysely<DB> = admin): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attrelid::regclass || '.' || attname as name
    from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
    where nspname in ('public', 'directory', 'deployment', 'customer_pool', 'admin_pool') and relkind in ('r', 'p')
      and attnum > 0 and atttypid = 'text'::regtype and attcollation <> '"C"'::regcollation
      and (attname ~ '(^|_)(id|kid|key)$'
        or exists (select from pg_constraint k where k.conrelid = attrelid and k.contype in ('p', 'f') and attnum = any (k.conkey)))
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

test('ids and keys have the collation "C", so that every comparison of two of them can use an index', async () => {
  expect(await otherCollations()).toEqual([]);
  await admin.transaction().execute(async (tx) => {
    await sql`create table careless (tenant_id text, kind text, primary key (kind))`.execute(tx);
    expect(await otherCollations(tx)).toEqual(['careless.kind', 'careless.tenant_id']);
    await sql`drop table careless`.execute(tx);
  });
});

test('the server role has no special attributes, and only these functions bypass row-level security', async () => {
  const { rows: roles } =
    await sql`select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = 'parley_app'`.execute(
      admin,
    );
  expect(roles).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }]);
  const { rows } = await sql<{ name: string; isFixed: boolean }>`
    select p.proname as name, p.proconfig::text like '%search_path=%' as is_fixed from pg_proc p
    where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'directory'::regnamespace)
      and has_function_privilege('parley_app', p.oid, 'execute') order by 1`.execute(admin);
  expect(rows.filter(({ isFixed }) => !isFixed)).toEqual([]);
  // Adding one needs a decision: each can read or write without a tenant set.
  expect(rows.map(({ name }) => name)).toEqual([
    'ack_event_stream',
    'add_api_key_secret',
    'add_assertion_key',
    'add_audit_key',
    'add_identity',
    'add_tenant',
    'add_webhook_worker',
    'audit_chain',
    'audit_heads_due',
    'chores_overdue_seconds',
    'claim_audit_head',
    'clear_timer',
    'defer_event_stream',
    'delete_unknown_run',
    'drop_assertion_keys',
    'drop_expired_partition',
    'email_failed',
    'email_queue',
    'email_sent',
    'emails_waiting',
    'ensure_partitions',
    'erase_rows',
    'event_stream_lag',
    'failed_emails',
    'find_api_key_secret',
    'find_invitation',
    'find_own_user',
    'find_user',
    'finish_chore',
    'finish_erasure',
    'hold_webhook_lanes',
    'invitations_for',
    'join_by_identity',
    'join_tenant',
    'keep_audit_head',
    'keep_email',
    'lease_chores',
    'lease_emails',
    'lease_event_streams',
    'lease_overdue_timers',
    'leave_tenant',
    'list_unknown_runs',
    'match_chunks',
    'next_event_positions',
    'note_erased',
    'note_sweep',
    'note_unknown_run',
    'overdue_timers',
    'partition_days_ahead',
    'partitioned_table_names',
    'people_of_tenant',
    'purge_erasures',
    'purge_expired_sign_ins',
    'purge_failed_emails',
    'purge_sign_up_emails',
    'queue_delayed_email',
    'queue_email',
    'read_assertion_keys',
    'read_audit_keys',
    'release_timers',
    'remove_api_key_secret',
    'remove_invitation',
    'renew_chore',
    'renew_webhook_worker',
    'reserve_tenant_id',
    'retry_email',
    'search_people',
    'set_invitation',
    'set_timer',
    'tenants_after',
    'timers_of_tenant',
    'webhook_worker_is_live',
  ]);
  const { rows: reachable } = await sql`select relname from pg_class where relnamespace = 'directory'::regnamespace
    and relkind in ('r', 'p', 'v', 'm') and has_table_privilege('parley_app', oid, 'select, insert, update, delete')`.execute(
    admin,
  );
  expect(reachable).toEqual([]);
});

test('operators read only these columns across tenants: no secret, no message, and nothing writable', async () => {
  const { rows } = await sql<{ opened: string }>`
    select format('%s (%s)', attrelid::regclass, string_agg(attname, ', ' order by attnum)) as opened
    from pg_attribute join pg_class c on c.oid = attrelid
    where relnamespace in ('public'::regnamespace, 'directory'::regnamespace) and attnum > 0 and not attisdropped
      and relkind in ('r', 'p', 'v', 'm') and has_column_privilege('parley_operator', attrelid, attnum, 'select')
    group by attrelid order by 1`.execute(admin);
  expect(rows.map(({ opened }) => opened)).toEqual([
    'action_runs (tenant_id, conversation_id, created_at)',
    'api_key_secrets (tenant_id, key_id, hint)',
    'audit_entries (tenant_id, id, event_id, action, subject_id, actor_type, actor_id, request_id, created_at)',
    'bots (tenant_id, id, name, created_at, status, allowed_origins)',
    'budgets (tenant_id, name, period, used, reserved, reached)',
    'conversations (tenant_id, expires_at)',
    'data_keys (tenant_id, version, master_key_id, created_at)',
    'digests (tenant_id, due_at)',
    'directory.chores (name, due_at, leased_by, leased_until, finished_at, failures)',
    'directory.erasures (id, tenant_hash, requested_by, deleted_at, started_at, erased_at, rows, people, invocations, states, keys)',
    'directory.sweeps (kind, hour, found, last_at)',
    'directory.tenant_name_tokens (tenant_id, place, tokens, status, plan)',
    'directory.timers (kind, tenant_id, subject_id, due_at)',
    'directory.user_tenants (user_id, tenant_id)',
    'directory.users (user_id, pool, email)',
    'directory.waiting_streams (leased_until, failures, oldest_at)',
    'directory.webhook_lanes (lane_count, lane, owner)',
    'directory.webhook_workers (id, live_until, is_leaving)',
    'entitlement_overrides (tenant_id, name, value)',
    'knowledge_sources (tenant_id, id, bot_id, kind, name, state, done, total, error, last_synced_at, created_at)',
    'request_errors (tenant_id, hour)',
    'tenants (tenant_id, name, plan, status, api_version, created_at, deleted_at)',
    'unanswered_questions (tenant_id, day)',
    'webhook_deliveries (tenant_id, id, webhook_id, status)',
    'webhook_queue (tenant_id, id, webhook_id, next_attempt_at)',
    'webhook_replays (tenant_id, id, webhook_id, state, queued, created_at)',
    'webhooks (tenant_id, id, status)',
  ]);
  const { rows: changes } = await sql`
    select relname from pg_class where relnamespace in (select oid from pg_namespace where nspname !~ '^pg_|information_schema')
      and relkind in ('r', 'p') and has_any_column_privilege('parley_operator', oid, 'insert, update, references')`.execute(
    admin,
  );
  expect(changes).toEqual([]);
});

test('without a tenant set the server sees and writes no row', async () => {
  const { rows: tables } = await sql<{
    name: string;
  }>`select tablename as name from pg_tables where schemaname = 'public' and tablename !~ '_p2'`.execute(admin);
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(services.db);
    expect(rows, name).toEqual([]);
  }
  const insert =
    sql`insert into tenants (tenant_id, name, plan, api_version) values ('ten_x', 'x', 'free', 'x')`.execute(
      services.db,
    );
  await expect(insert).rejects.toThrow('row-level security');
});

test('creates partitions two weeks ahead, drops expired ones and keeps the rest', async () => {
  const app = connect(urlAs('parley_app'), { max: 1 });
  await sql`create table events_p20200101 partition of events for values from ('evt_00000') to ('evt_00001')`.execute(
    admin,
  );
  await sql`alter table events_p20200101 owner to parley_owner`.execute(admin);
  const before = await partitions();
  await maintainPartitions(app);
  expect(await partitions()).toEqual(before.filter((name) => name !== 'events_p20200101'));
  expect(before.filter((name) => name.startsWith('events_')).length).toBeGreaterThanOrEqual(17);

  const youngest = before.filter((name) => name.startsWith('events_')).at(-1) ?? '';
  await sql`drop table ${sql.id(youngest)}`.execute(admin);
  await maintainPartitions(app);
  expect(await partitions()).toContain(youngest);
  await app.destroy();
});

const partitions = async () =>
  (
    await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
    where inhparent in ('events'::regclass, 'audit_entries'::regclass) order by 1`.execute(admin)
  ).rows.map(({ name }) => name);
