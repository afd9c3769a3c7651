-- The schema of Parley. Nothing was deployed before it; later changes are separate migrations.
--
--   1. Tenancy and row-level security      5. Chat
--   2. Events, timers and the audit log    6. Knowledge
--   3. Identity: pools, members, keys      7. Webhooks
--   4. Usage and budgets                   8. Actions
--                                          9. Operations
--
-- Schemas:
--   public        rows that belong to a tenant; every table is protected by row-level security
--   directory     what must be found before the tenant is known; reached only through functions granted by name
--   customer_pool, admin_pool  the sign-in data of each pool, reached only by the pool's own role
--   deployment    settings and state of the deployment itself: no tenant data, no secrets
--
-- Ids and keys are `text collate "C"`: compared as bytes, whatever the database's locale, so their indexes are faster, their
-- order is the same on every machine, and an upgrade of the operating system's locales cannot corrupt them. Two columns of
-- different collations can be compared, but not through an index, so a test checks all of them.


-- ===== 1. Tenancy and row-level security =====

do $$ begin
  if to_regrole('parley_operator') is null or to_regrole('parley_search') is null then
    raise exception 'A role is missing: run apps/server/db/roles.sql as a superuser, then migrate again.';
  end if;
end $$;

revoke all on schema public from public;
grant usage on schema public to parley_app, parley_operator;
create schema directory;
grant usage on schema directory to parley_app, parley_operator;
create schema deployment;
grant usage on schema deployment to parley_app;
-- PostgreSQL lets everyone execute a new function. Each function that the server may call is granted by name instead.
alter default privileges revoke execute on functions from public;

-- Null if no tenant is set, or an empty one (as on a pooled connection after its transaction). Null matches no row.
create function current_tenant() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '') $$;
grant execute on function current_tenant to parley_app, parley_operator;

-- Called once for every tenant table, in the migration that creates it.
-- Append-only tables pass 'select, insert'. Partitions pass '': they are only reached through their parent.
create function protect_by_tenant(name regclass, privileges text default 'select, insert, update, delete')
returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format($p$create policy tenant on %s
    using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()))$p$, name);
  if privileges <> '' then execute format('grant %s on %s to parley_app', privileges, name); end if;
end $$;

-- Cross-tenant queries of platform admins run as `parley_operator`, which can read only the columns opened here by name:
-- no secrets and no message content.
create function open_to_operators(name regclass, columns text) returns void language plpgsql as $$
begin
  execute format('create policy operators on %s for select to parley_operator using (true)', name);
  execute format('grant select (%s) on %s to parley_operator', columns, name);
end $$;

-- A server key can be bound to a workspace, a bot or an environment. Its requests run as `parley_bound`, which has the
-- privileges of `parley_app` without the rows outside its bindings. All other requests run as `parley_app`, so these
-- policies cost nothing for them.
create function bound_workspace() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.bound_workspace_id', true), '') $$;
create function bound_bot() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.bound_bot_id', true), '') $$;
create function bound_environment() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.bound_environment_id', true), '') $$;
grant execute on function bound_workspace, bound_bot, bound_environment to parley_app;

-- A bound key can neither read nor write the rows for which `within` is false.
create function protect_by_binding(name regclass, within text, commands text default 'all')
returns void language plpgsql as $$
begin
  execute format('create policy binding on %s as restrictive for %s to parley_bound using (%s)', name, commands, within);
end $$;

-- Gives `parley_bound` what `parley_app` has. Call it at the end of every migration that grants something to `parley_app`.
create function grant_to_bound_keys() returns void language plpgsql as $$
declare command text;
begin
  for command in
    select format('grant usage on schema %I to parley_bound', n.nspname)
      from pg_namespace n, aclexplode(n.nspacl) as acl
      where acl.grantee = 'parley_app'::regrole and acl.privilege_type = 'USAGE'
    union all
    select format('grant %s on %s %s to parley_bound', acl.privilege_type,
        case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass)
      from pg_class c, aclexplode(c.relacl) as acl where acl.grantee = 'parley_app'::regrole
    union all
    select format('grant %s (%I) on %s to parley_bound', acl.privilege_type, a.attname, a.attrelid::regclass)
      from pg_attribute a, aclexplode(a.attacl) as acl where acl.grantee = 'parley_app'::regrole
    union all
    select format('grant execute on function %s to parley_bound', p.oid::regprocedure)
      from pg_proc p, aclexplode(p.proacl) as acl where acl.grantee = 'parley_app'::regrole
        and not has_function_privilege('parley_bound', p.oid, 'execute')  -- only its owner could grant it again
  loop
    execute command;
  end loop;
end $$;

-- Time-partitioned tables are partitioned by id. A TypeID starts with its time, so the primary key stays (tenant_id, id),
-- a lookup by id reads one partition, and retention drops whole partitions.
create table directory.partitioned_tables (
  name      text collate "C" primary key,
  id_prefix text not null,
  every     interval not null check (every in ('1 day', '1 month')),
  keep      interval not null
);

-- The smallest TypeID of a point in time: ten characters of base32 hold the 48 bits of milliseconds.
create function directory.first_id(prefix text, moment timestamptz) returns text language sql immutable as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (45 - 5 * place)) & 31)::int + 1, 1), '' order by place)
  from (select floor(extract(epoch from moment) * 1000)::bigint as ms) as time, generate_series(0, 9) as place
$$;
grant execute on function directory.first_id to parley_app, parley_operator;

create function directory.add_partition(parent directory.partitioned_tables, period timestamptz)
returns boolean language plpgsql set search_path = public, pg_temp as $$
declare
  child text := format('%s_p%s', parent.name, to_char(period at time zone 'UTC', 'YYYYMMDD'));
begin
  if to_regclass(child) is not null then return false; end if;
  -- Created first and attached afterwards: attaching does not block reads and writes of the parent.
  execute format('create table %I (like %I including defaults including constraints)', child, parent.name);
  perform protect_by_tenant(child::regclass, '');
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent.name, child,
    directory.first_id(parent.id_prefix, period), directory.first_id(parent.id_prefix, period + parent.every));
  return true;
end $$;

-- Creates the missing partitions of one table, or of all. Safe to run at any time and concurrently.
create function directory.ensure_partitions(only_table text default null) returns int
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '500ms' as $$
declare
  parent directory.partitioned_tables;
  unit text;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('directory.partitions'));
  for parent in select * from directory.partitioned_tables where only_table is null or name = only_table loop
    unit := case when parent.every = '1 day' then 'day' else 'month' end;
    for step in -1 .. (case unit when 'day' then 14 else 3 end) loop
      if directory.add_partition(parent, date_trunc(unit, now()) + step * parent.every) then made := made + 1; end if;
    end loop;
  end loop;
  return made;
end $$;
grant execute on function directory.ensure_partitions to parley_app;

create function directory.partitioned_table_names() returns setof text
language sql stable security definer set search_path = directory, pg_temp as $$
  select name from partitioned_tables order by name
$$;
grant execute on function directory.partitioned_table_names to parley_app;

-- Drops the oldest partition of a table that is past its retention, if there is one. One per call, so that the table
-- is locked only for that. The retention is in the table and not an argument, so the server cannot drop more than that.
create function directory.drop_expired_partition(of_table text) returns boolean
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '500ms' as $$
declare
  old record;
begin
  select child.oid::regclass as child, parent.name as parent into old
  from directory.partitioned_tables parent
  join pg_inherits on inhparent = parent.name::regclass
  join pg_class child on child.oid = inhrelid
  where parent.name = of_table and to_date(right(child.relname, 8), 'YYYYMMDD') + parent.every < now() - parent.keep
  order by child.relname limit 1;
  if old.child is null then return false; end if;
  execute format('alter table %I detach partition %s', old.parent, old.child);
  execute format('drop table %s', old.child);
  return true;
end $$;
grant execute on function directory.drop_expired_partition to parley_app;

-- Days of partitions that exist ahead of now, for the table with the fewest. Alerts long before inserts would fail.
create function directory.partition_days_ahead() returns int
language sql stable security definer set search_path = public, pg_temp as $$
  select min(ahead)::int from (
    select max(to_date(right(child.relname, 8), 'YYYYMMDD')) - current_date as ahead
    from directory.partitioned_tables parent
    join pg_inherits on inhparent = parent.name::regclass
    join pg_class child on child.oid = inhrelid
    group by parent.name) as tables
$$;
grant execute on function directory.partition_days_ahead to parley_app;

-- A deleted tenant stops working immediately and is erased after thirty days. Until then it can be restored.
create table tenants (
  tenant_id             text collate "C" primary key,
  name                  text not null check (length(name) between 1 and 120),
  plan                  text not null,
  status                text not null default 'active' check (status in ('active', 'suspended', 'deleted')),
  api_version           text not null,  -- the current version when the tenant was created; a header can request another
  created_at            timestamptz not null default now(),
  deleted_at            timestamptz,
  -- May platform admins impersonate a member: never, after an owner approved it, or at any time?
  support_access        text not null default 'ask' check (support_access in ('never', 'ask', 'allowed')),
  -- What the owners require of members and server keys. Empty or null: nothing.
  require_two_factor    boolean not null default false,
  allowed_email_domains text[] not null default '{}',
  max_session_hours     integer check (max_session_hours between 1 and 2160),
  member_ip_ranges      text[] not null default '{}',
  server_key_ip_ranges  text[] not null default '{}'
);
select protect_by_tenant('tenants');
select open_to_operators('tenants', 'tenant_id, name, plan, status, api_version, created_at, deleted_at');
create index tenants_by_name on tenants using gin (to_tsvector('simple', name));
-- Lists of tenants by status and plan, newest first. Both have few values, so one index serves either filter and both: the
-- query asks for each pair in turn. Its own collation, with the same order as "C", keeps the planner from scanning the
-- primary key for a rare pair.
create index tenants_by_state on tenants (status, plan, (tenant_id collate "POSIX"));

-- Set by the database and not by the server, which therefore cannot backdate a deletion and erase early.
create function set_tenant_deleted_at() returns trigger language plpgsql as $$
begin
  new.deleted_at := case when new.status <> 'deleted' then null when old.status = 'deleted' then old.deleted_at else now() end;
  return new;
end $$;
create trigger set_deleted_at before insert or update on tenants
  for each row execute function set_tenant_deleted_at();

-- In hours, which do not depend on daylight saving time.
create function directory.erased_after(deleted_at timestamptz) returns timestamptz language sql stable
  as $$ select deleted_at + interval '720 hours' $$;
grant execute on function directory.erased_after to parley_app;

-- Lowercase, with one space between tokens. Used for names and for search terms.
create function name_tokens(name text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(lower(name), '[^[:alnum:]]+', ' ', 'g'))
$$;
grant execute on function name_tokens to parley_app, parley_operator;

-- Finds a name by the prefix of any of its tokens and what follows: `Blue Hill Books` is stored as `blue hill books`,
-- `hill books` and `books`. A scan in index order stops at its limit, so a token that a million names contain costs no more
-- than a rare one, which a GIN index cannot promise. The GIN index finds tokens that are not adjacent.
create table directory.tenant_name_tokens (
  tenant_id text collate "C" not null,
  place     smallint not null,
  tokens    text collate "C" not null,
  status    text not null,
  plan      text not null,
  primary key (tenant_id, place)
);
create index tenant_name_tokens_in_order on directory.tenant_name_tokens (status, plan, tokens, tenant_id desc);
grant select on directory.tenant_name_tokens to parley_operator;

create function directory.name_tokens_of(name text) returns table (place smallint, tokens text)
language sql immutable parallel safe as $$
  select n::smallint, left(array_to_string(parts[n:], ' '), 60)
  from string_to_array(public.name_tokens(name), ' ') as parts, generate_series(1, least(cardinality(parts), 20)) as n
$$;

create function directory.keep_tenant_name_tokens() returns trigger
language plpgsql security definer set search_path = directory, public, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.name = old.name then
    update tenant_name_tokens set status = new.status, plan = new.plan where tenant_id = new.tenant_id;
    return null;
  end if;
  delete from tenant_name_tokens where tenant_id = new.tenant_id;
  insert into tenant_name_tokens select new.tenant_id, place, tokens, new.status, new.plan from name_tokens_of(new.name);
  return null;
end $$;
create trigger keep_name_tokens after insert or update of name, status, plan on tenants
  for each row execute function directory.keep_tenant_name_tokens();

-- Background work for all tenants reads this list a page at a time. No request does.
create table directory.tenants (
  tenant_id text collate "C" primary key,
  is_active boolean not null default true  -- copied from the tenant's status, for queries over all tenants
);
create function directory.add_tenant() returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into directory.tenants values (current_tenant())
$$;
create function directory.tenants_after(last_seen text, page_size int) returns setof text
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select tenant_id from directory.tenants where tenant_id > last_seen order by tenant_id limit least(page_size, 1000)
$$;
create function directory.note_tenant_status() returns trigger
language plpgsql security definer set search_path = directory, public, pg_temp as $$
begin
  update directory.tenants set is_active = (new.status = 'active') where tenant_id = new.tenant_id;
  return null;
end $$;
revoke execute on function directory.note_tenant_status from public;
create trigger note_status after update on tenants
  for each row when (old.status is distinct from new.status) execute function directory.note_tenant_status();

-- When a platform admin repeats a request to create a tenant: the id of the first one, for a day.
create table directory.tenant_requests (
  operator_id text collate "C" not null,
  key         text collate "C" not null,
  tenant_id   text collate "C" not null,
  created_at  timestamptz not null default now(),
  primary key (operator_id, key)
);
create function directory.reserve_tenant_id(operator text, request_key text, proposed text) returns text
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from tenant_requests where operator_id = operator and created_at < now() - interval '24 hours';
  insert into tenant_requests as r values (operator, request_key, proposed)
  on conflict (operator_id, key) do update set tenant_id = r.tenant_id returning tenant_id
$$;
grant execute on function directory.add_tenant, directory.tenants_after, directory.reserve_tenant_id to parley_app;

create table workspaces (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  name       text not null check (length(name) between 1 and 80),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint workspace_name_taken unique (tenant_id, name)
);
select protect_by_tenant('workspaces');
select protect_by_binding('workspaces', '(select bound_workspace()) is null or id = (select bound_workspace())');

-- Row-level security does not apply to foreign keys, so every foreign key includes the tenant.
-- The server maps constraint names to errors: `workspace_exists` becomes 404 `workspace_not_found`.
create table environments (
  tenant_id    text collate "C" not null default current_tenant() references tenants,
  id           text collate "C" not null,
  workspace_id text collate "C" not null,
  name         text not null check (length(name) between 1 and 80),
  created_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint environment_name_taken unique (tenant_id, workspace_id, name),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces
);
select protect_by_tenant('environments');
select protect_by_binding('environments', $$((select bound_workspace()) is null or workspace_id = (select bound_workspace()))
  and ((select bound_environment()) is null or id = (select bound_environment()))$$);

-- A bot is edited as one draft; `revision` detects concurrent edits. Visitors get replies from a published version.
create table bots (
  tenant_id       text collate "C" not null default current_tenant() references tenants,
  id              text collate "C" not null,
  workspace_id    text collate "C" not null,
  name            text not null check (length(name) between 1 and 80),
  created_at      timestamptz not null default now(),
  status          text not null default 'active' check (status in ('active', 'paused', 'archived')),
  allowed_origins text[] not null default '{}',
  draft           jsonb not null default '{}',
  revision        int not null default 1,
  retention_days  int not null default 90 check (retention_days between 1 and 730),
  limits          jsonb not null default '{}',
  created_by      text not null default 'system',
  primary key (tenant_id, id),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces
);
select protect_by_tenant('bots');
select protect_by_binding('bots', $$((select bound_workspace()) is null or workspace_id = (select bound_workspace()))
  and ((select bound_bot()) is null or id = (select bound_bot()))$$);
select open_to_operators('bots', 'tenant_id, id, name, status, allowed_origins, created_at');

-- The hosts of pages and their parent domains: `https://www.shop.example` is found by `shop.example`.
create function domains_of(origins text[]) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct array_to_string(labels[n:], '.')), '{}')
  from unnest(origins) as origin,
    lateral (select string_to_array(lower(substring(origin from '^[a-z]+://(?:\*\.)?([^/:]+)')), '.') as labels) as host,
    generate_series(1, greatest(cardinality(labels) - 1, 1)) as n
$$;
grant execute on function domains_of to parley_app, parley_operator;
create index bots_by_domain on bots using gin (domains_of(allowed_origins));

-- Limits and features that a platform admin changed for one tenant. The plans' own values are in the code.
create table entitlement_overrides (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  name       text collate "C" not null,
  value      bigint not null check (value >= 0),  -- a feature: 0 is off and 1 is on; a limit: how many
  changed_by text,
  changed_at timestamptz,
  primary key (tenant_id, name)
);
select protect_by_tenant('entitlement_overrides');
select open_to_operators('entitlement_overrides', 'tenant_id, name, value');

-- The first response to a request with an Idempotency-Key, written in the transaction of the request's changes.
create table idempotency_keys (
  -- Deferred: the request that creates a tenant stores its key first.
  tenant_id    text collate "C" not null default current_tenant() references tenants deferrable initially deferred,
  key          text collate "C" not null,
  request_hash bytea not null,
  status       int,
  body         text,   -- null while the request runs, and for a response that contained a secret
  created_at   timestamptz not null default now(),
  primary key (tenant_id, key)
);
create index on idempotency_keys (tenant_id, created_at);
select protect_by_tenant('idempotency_keys');

-- The conversations and messages that a stored response mentions, so that erasing them finds it without reading all.
create table idempotency_references (
  tenant_id  text collate "C" not null default current_tenant(),
  subject_id text collate "C" not null,
  key        text collate "C" not null,
  primary key (tenant_id, subject_id, key),
  constraint idempotency_key_exists foreign key (tenant_id, key) references idempotency_keys on delete cascade
);
create index on idempotency_references (tenant_id, key);
select protect_by_tenant('idempotency_references', 'select, insert, delete');

-- A tenant's data keys encrypt its secrets at rest. Each is encrypted by a master key that is not in the database.
create table data_keys (
  tenant_id     text collate "C" not null default current_tenant() references tenants,
  version       int not null,
  master_key_id text collate "C" not null,
  wrapped       bytea not null,
  created_at    timestamptz not null default now(),
  primary key (tenant_id, version)
);
select protect_by_tenant('data_keys');
select open_to_operators('data_keys', 'tenant_id, version, master_key_id, created_at');
create index data_keys_by_master_key on data_keys (master_key_id);


-- ===== 2. Events, timers and the audit log =====

-- `body` is the exact text that was signed for webhooks.
create table events (
  tenant_id       text collate "C" not null default current_tenant(),
  id              text collate "C" not null,
  position        bigint not null,  -- without gaps per tenant, in commit order
  type            text not null,
  is_public       boolean not null, -- false: only for our own workflows and the audit log
  environment_id  text collate "C",
  bot_id          text collate "C",
  conversation_id text collate "C",
  subject_id      text collate "C" not null,
  traceparent     text,
  body            text not null,
  created_at      timestamptz not null,
  primary key (tenant_id, id)
) partition by range (id);
create index on events (tenant_id, position);
create index on events (tenant_id, conversation_id) where conversation_id is not null;
-- Erasing a visitor finds the events of their conversations by the index above, and those about the contact by this one.
create index on events (tenant_id, subject_id) where conversation_id is null;
select protect_by_tenant('events', 'select, insert');
grant update (body) on events to parley_app;  -- to erase a visitor's data

-- Who did what: written with its event, kept longer, never changed. A trigger fills the chain columns, so their defaults
-- are never stored. docs/adr/0037-audit-chain.md
create table audit_entries (
  tenant_id     text collate "C" not null default current_tenant(),
  id            text collate "C" not null,
  event_id      text collate "C" not null,
  action        text not null,
  subject_id    text collate "C" not null,
  actor_type    text not null,
  actor_id      text collate "C" not null,
  request_id    text collate "C",
  data          jsonb not null,
  created_at    timestamptz not null,
  sequence      bigint not null default 0, -- without gaps per tenant, in commit order
  previous_id   text collate "C",          -- shows whether retention dropped the entry before this one
  previous_hash bytea not null default '',
  hash          bytea not null default '',
  primary key (tenant_id, id)
) partition by range (id);
create index on audit_entries (tenant_id, subject_id, id);
create index audit_entries_by_time on audit_entries (id);
create index audit_entries_by_sequence on audit_entries (tenant_id, sequence);
select protect_by_tenant('audit_entries', 'select, insert');
select protect_by_binding('audit_entries', 'false', 'select');
select open_to_operators('audit_entries', 'tenant_id, id, event_id, action, subject_id, actor_type, actor_id, request_id, created_at');

insert into directory.partitioned_tables values
  ('events', 'evt', '1 day', '30 days'), ('audit_entries', 'aud', '1 month', '400 days');
select directory.ensure_partitions();

-- One row per tenant: the last event and the last one that was delivered to our workflows.
-- Taking the next position locks the row until the commit, so positions are in commit order: a reader that has seen
-- position n never misses a smaller one that commits later. Every event updates this row, so no index but the key: an
-- index on a column that changes would write to all indexes with each event. docs/adr/0048-event-streams.md
create table directory.event_streams (
  tenant_id          text collate "C" primary key,
  last_position      bigint not null,
  delivered_position bigint not null default 0,
  -- The undelivered events have ids from this range, so that the relay reads only the partitions that contain them.
  -- From the ids themselves and not from a clock. Null: all are delivered.
  lowest_id          text collate "C",
  highest_id         text collate "C"
) with (fillfactor = 70);

-- A row while a stream has undelivered events: who delivers them.
create table directory.waiting_streams (
  tenant_id    text collate "C" primary key,
  leased_by    text,
  leased_until timestamptz not null default '-infinity',
  failures     int not null default 0,
  oldest_at    timestamptz not null default now()  -- when the oldest undelivered event was written, or later
);
create index waiting_streams_by_lease on directory.waiting_streams (leased_until);
grant select (leased_until, failures, oldest_at) on directory.waiting_streams to parley_operator;

-- Takes positions for `events` new events, whose ids are in this range. Returns the last of them.
create function directory.next_event_positions(events int, lowest text, highest text) returns bigint
language sql security definer set search_path = directory, public, pg_temp as $$
  with taken as (
    insert into event_streams as stream (tenant_id, last_position, lowest_id, highest_id)
    values (current_tenant(), events, lowest, highest)
    on conflict (tenant_id) do update set last_position = stream.last_position + events,
      lowest_id = least(stream.lowest_id, excluded.lowest_id), highest_id = greatest(stream.highest_id, excluded.highest_id)
    returning last_position),
  -- Reads from `taken`, so that it runs after it: the lock of the stream keeps `ack_event_stream` from deleting the row.
  waiting as (insert into waiting_streams (tenant_id) select current_tenant() from taken on conflict do nothing)
  select last_position from taken
$$;

-- A lease and not a lock: delivering calls the network, and a lock would block the tenant's writers.
create function directory.lease_event_streams(relay text, seconds int, max_rows int)
returns table (tenant_id text, delivered_position bigint, failures int, last_position bigint, lowest_id text, highest_id text)
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  leased text[];
begin
  with updated as (
    update waiting_streams w set leased_by = relay, leased_until = clock_timestamp() + make_interval(secs => seconds)
    where w.tenant_id in (
      select d.tenant_id from waiting_streams d where d.leased_until < clock_timestamp()
      order by d.leased_until limit least(max_rows, 500) for update skip locked)
    returning w.tenant_id)
  select array_agg(u.tenant_id) into leased from updated u;
  -- A separate statement: the first one may have waited for a relay that recorded a position after it started.
  return query select s.tenant_id, s.delivered_position, w.failures, s.last_position, s.lowest_id, s.highest_id
    from event_streams s join waiting_streams w using (tenant_id) where s.tenant_id = any (leased);
end $$;

-- Records what was delivered. No row if the lease passed to another relay, which continues from the position recorded
-- last. Otherwise what is left, up to `last_position`.
create function directory.ack_event_stream(tenant text, relay text, new_position bigint, seconds int)
returns table (last_position bigint, lowest_id text, highest_id text)
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  stream     event_streams;
  is_further boolean;
begin
  -- Before the other table, as writers do. Waits for them, so that `last_position` is final.
  select s.* into stream from event_streams s where s.tenant_id = tenant for update;
  if not found or stream.delivered_position > new_position then return; end if;
  is_further := stream.delivered_position < new_position;
  if new_position = stream.last_position then
    delete from waiting_streams w where w.tenant_id = tenant and w.leased_by = relay and w.leased_until >= clock_timestamp();
    stream.lowest_id := null;
    stream.highest_id := null;
  else
    update waiting_streams w set
      failures = case when is_further then 0 else w.failures end,
      oldest_at = case when is_further then now() else w.oldest_at end,
      leased_until = case when seconds = 0 then '-infinity' else clock_timestamp() + make_interval(secs => seconds) end
    where w.tenant_id = tenant and w.leased_by = relay and w.leased_until >= clock_timestamp();
  end if;
  if not found then return; end if;
  if is_further then
    update event_streams s set delivered_position = new_position, lowest_id = stream.lowest_id, highest_id = stream.highest_id
    where s.tenant_id = tenant;
  end if;
  return query select stream.last_position, stream.lowest_id, stream.highest_id;
end $$;

create function directory.defer_event_stream(tenant text, relay text, seconds double precision) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update waiting_streams set failures = failures + 1, leased_until = clock_timestamp() + make_interval(secs => seconds)
  where tenant_id = tenant and leased_by = relay
$$;

create function directory.event_stream_lag() returns table (waiting bigint, oldest_seconds double precision)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select count(*), coalesce(extract(epoch from clock_timestamp() - min(oldest_at)), 0)::double precision from waiting_streams
$$;
grant execute on function directory.next_event_positions, directory.lease_event_streams, directory.ack_event_stream,
  directory.defer_event_stream, directory.event_stream_lag to parley_app;

-- Work that must happen at a time even if Restate loses its call. The row is written in the transaction that needs the
-- work and deleted when it is done. The sweeper calls again for overdue rows.
create table directory.timers (
  kind       text collate "C" not null,
  tenant_id  text collate "C" not null,
  subject_id text collate "C" not null,
  due_at     timestamptz not null,
  -- A sweeper is calling again for this row; the others leave it alone until then. In no index, and with room in each page,
  -- so that taking a lease does not write to the indexes.
  leased_until timestamptz not null default '-infinity',
  primary key (kind, tenant_id, subject_id)
) with (fillfactor = 80);
create index on directory.timers (due_at);
grant select (kind, tenant_id, subject_id, due_at) on directory.timers to parley_operator;

create function directory.set_timer(timer_kind text, subject text, due timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into timers values (timer_kind, current_tenant(), subject, due)
  on conflict (kind, tenant_id, subject_id) do update set due_at = excluded.due_at, leased_until = '-infinity'
$$;
-- True if it was still set: of two concurrent callers, only one gets true.
create function directory.clear_timer(timer_kind text, subject text) returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with cleared as (
    delete from timers where kind = timer_kind and tenant_id = current_tenant() and subject_id = subject returning 1)
  select exists (select from cleared)
$$;
-- Skips tenants that are suspended or deleted, except for their erasure.
create function directory.overdue_timers(seconds int, max_rows int)
returns table (kind text, tenant_id text, subject_id text, due_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select t.kind, t.tenant_id, t.subject_id, t.due_at from timers t
  where t.due_at < clock_timestamp() - make_interval(secs => seconds)
    and (t.kind = 'tenant-erasure'
      or not exists (select from directory.tenants d where d.tenant_id = t.tenant_id and not d.is_active))
  order by t.due_at limit least(max_rows, 1000)
$$;
-- Takes a lease on the next overdue rows after a position, in the order of their time. Each row goes to one sweeper, once per
-- lease. The position keeps a sweep from reading the rows again that it has leased before.
create function directory.lease_overdue_timers(seconds int, lease_seconds int, after_due timestamptz, after_kind text,
  after_tenant text, after_subject text, max_rows int)
returns table (kind text, tenant_id text, subject_id text, due_at timestamptz)
language sql security definer set search_path = directory, public, pg_temp as $$
  with overdue as (
    select t.ctid from timers t
    where t.due_at < clock_timestamp() - make_interval(secs => seconds) and t.due_at >= after_due
      and (t.due_at, t.kind, t.tenant_id, t.subject_id) > (after_due, after_kind, after_tenant, after_subject)
      and t.leased_until < clock_timestamp()
      and (t.kind = 'tenant-erasure'
        or not exists (select from directory.tenants d where d.tenant_id = t.tenant_id and not d.is_active))
    order by t.due_at, t.kind, t.tenant_id, t.subject_id limit least(max_rows, 1000) for update skip locked
  ), leased as (
    update timers t set leased_until = clock_timestamp() + make_interval(secs => lease_seconds)
    from overdue where t.ctid = overdue.ctid returning t.kind, t.tenant_id, t.subject_id, t.due_at
  )
  select * from leased order by due_at, kind, tenant_id, subject_id
$$;
-- Lets the sweeper run the current tenant's overdue timers again immediately.
create function directory.release_timers() returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update timers set leased_until = '-infinity' where tenant_id = current_tenant() and leased_until > clock_timestamp()
$$;
-- Timers of the current tenant that are due now or within minutes, a page at a time. Used when a tenant is resumed.
create function directory.timers_of_tenant(kinds text[], last_kind text, last_subject text, max_rows int)
returns table (kind text, tenant_id text, subject_id text, due_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select t.kind, t.tenant_id, t.subject_id, t.due_at from timers t
  where t.kind = any (kinds) and t.tenant_id = current_tenant() and (t.kind, t.subject_id) > (last_kind, last_subject)
    and t.due_at < clock_timestamp() + interval '6 minutes'
  order by t.kind, t.subject_id limit least(max_rows, 1000)
$$;
grant execute on function directory.set_timer, directory.clear_timer, directory.overdue_timers,
  directory.lease_overdue_timers, directory.release_timers, directory.timers_of_tenant to parley_app;

-- Regular maintenance. Each chore runs in one worker of the cell at a time: the one that holds its lease.
create table directory.chores (
  name         text collate "C" primary key,
  due_at       timestamptz not null default now(),
  leased_by    text,
  leased_until timestamptz not null default '-infinity',
  finished_at  timestamptz,
  failures     int not null default 0
);
grant select on directory.chores to parley_operator;
create function directory.lease_chores(worker text, names text[], seconds int, max_rows int) returns setof text
language sql security definer set search_path = directory, pg_temp as $$
  insert into chores (name) select * from unnest(names) as new where not exists (select from chores where name = new)
  on conflict do nothing;
  update chores c set leased_by = worker, leased_until = clock_timestamp() + make_interval(secs => seconds)
  where c.name in (
    select name from chores where name = any (names) and due_at <= clock_timestamp() and leased_until < clock_timestamp()
    order by due_at limit max_rows for update skip locked)
  returning c.name
$$;
create function directory.renew_chore(worker text, chore text, seconds int) returns boolean
language sql security definer set search_path = directory, pg_temp as $$
  update chores set leased_until = clock_timestamp() + make_interval(secs => seconds)
  where name = chore and leased_by = worker returning true
$$;
create function directory.finish_chore(worker text, chore text, next_seconds int, is_failed boolean) returns void
language sql security definer set search_path = directory, pg_temp as $$
  update chores set due_at = clock_timestamp() + make_interval(secs => next_seconds), leased_until = '-infinity',
    finished_at = case when is_failed then finished_at else clock_timestamp() end,
    failures = case when is_failed then failures + 1 else 0 end
  where name = chore and leased_by = worker
$$;
-- How late the chore is that should have run first.
create function directory.chores_overdue_seconds() returns float8
language sql stable security definer set search_path = directory, pg_temp as $$
  select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(due_at))), 0)::float8 from chores
$$;
grant execute on function directory.lease_chores, directory.renew_chore, directory.finish_chore,
  directory.chores_overdue_seconds to parley_app;

-- The audit log is tamper-evident: each entry has the hash of the one before it, and the worker signs the newest hash once
-- a day. This is the end of each tenant's chain. Writers lock the tenant's row of directory.event_streams first, so locks
-- here are short and always in the same order.
create table directory.audit_chains (
  tenant_id     text collate "C" primary key,
  last_sequence bigint not null,
  last_id       text collate "C",
  last_hash     bytea not null,
  -- Changed only by the first entry after a head, so that all other updates touch no index.
  has_unsigned  boolean not null default true,
  head_due_at   timestamptz not null default now()
) with (fillfactor = 70);
create index audit_chains_due on directory.audit_chains (head_due_at) where has_unsigned;

-- A netstring, so that two different lists of fields never have the same text. `-` stands for null.
create function directory.audit_field(value text) returns text language sql immutable as $$
  select coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-') || ','
$$;
-- The same as `hashOf` in features/audit/chain.ts.
create function directory.audit_entry_hash(e audit_entries) returns bytea
language sql stable set search_path = directory, public, pg_temp as $$
  select sha256(convert_to(string_agg(audit_field(value), '' order by place), 'UTF8'))
  from unnest(array['parley-audit-1', e.tenant_id, e.sequence::text, e.id, e.event_id, e.action, e.subject_id,
    e.actor_type, e.actor_id, e.request_id, e.data::text, (extract(epoch from e.created_at) * 1000000)::bigint::text,
    e.previous_id, encode(e.previous_hash, 'hex')]) with ordinality as fields (value, place)
$$;

create function directory.chain_audit_entry() returns trigger
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  link audit_chains;
begin
  select * into link from audit_chains c where c.tenant_id = new.tenant_id for update;
  if not found then
    insert into audit_chains (tenant_id, last_sequence, last_hash) values (new.tenant_id, 0, '') on conflict do nothing;
    select * into link from audit_chains c where c.tenant_id = new.tenant_id for update;
  end if;
  new.sequence := link.last_sequence + 1;
  new.previous_id := link.last_id;
  new.previous_hash := link.last_hash;
  new.hash := audit_entry_hash(new);
  update audit_chains c set last_sequence = new.sequence, last_id = new.id, last_hash = new.hash, has_unsigned = true
    where c.tenant_id = new.tenant_id;
  return new;
end $$;
revoke execute on function directory.audit_field, directory.audit_entry_hash, directory.chain_audit_entry from public;
create trigger chain before insert on audit_entries for each row execute function directory.chain_audit_entry();

-- What the worker signed: a JWS over the sequence, id and hash of the newest entry at that time.
create table audit_heads (
  tenant_id text collate "C" not null default current_tenant(),
  sequence  bigint not null,
  signed_at timestamptz not null default now(),
  jws       text not null,
  primary key (tenant_id, sequence)
);
select protect_by_tenant('audit_heads', 'select');
select protect_by_binding('audit_heads', 'false');

create function directory.audit_chain() returns table (last_sequence bigint, last_id text, last_hash bytea)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select c.last_sequence, c.last_id, c.last_hash from audit_chains c where c.tenant_id = current_tenant()
$$;
-- Tenants with new entries whose last head is a day old. The index contains no idle tenants.
create function directory.audit_heads_due(max_rows int) returns setof text
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select c.tenant_id from audit_chains c where c.has_unsigned and c.head_due_at <= clock_timestamp()
  order by c.head_due_at limit least(max_rows, 1000)
$$;
-- One of several workers gets the claim. If it crashes, another one does after ten minutes. Deleted tenants are skipped,
-- so that nothing is written during an erasure.
create function directory.claim_audit_head() returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with claimed as (
    update audit_chains c set head_due_at = clock_timestamp() + interval '10 minutes'
    where c.tenant_id = current_tenant() and c.has_unsigned and c.head_due_at <= clock_timestamp() returning 1)
  select exists (select from claimed)
    and exists (select from public.tenants t where t.tenant_id = current_tenant() and t.status <> 'deleted')
$$;
-- Heads are kept longer than entries, to tell what retention dropped from what someone deleted.
create function directory.keep_audit_head(new_sequence bigint, new_jws text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into public.audit_heads (sequence, jws) values (new_sequence, new_jws) on conflict do nothing;
  delete from public.audit_heads h where h.tenant_id = current_tenant() and h.signed_at < now() - interval '500 days';
  update audit_chains c set has_unsigned = c.last_sequence > new_sequence, head_due_at = now() + interval '1 day'
    where c.tenant_id = current_tenant();
$$;

-- The keys that sign heads, encrypted by the master key. Kept for as long as heads can be verified.
create table directory.audit_keys (
  kid        text collate "C" primary key,
  encrypted  bytea not null,
  signs_from timestamptz not null
);
create function directory.read_audit_keys() returns setof directory.audit_keys
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select * from audit_keys order by signs_from desc
$$;
create function directory.add_audit_key(new_kid text, new_encrypted bytea, new_signs_from timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into audit_keys values (new_kid, new_encrypted, new_signs_from)
  on conflict (kid) do update set encrypted = excluded.encrypted
$$;
grant execute on function directory.audit_chain, directory.audit_heads_due, directory.claim_audit_head,
  directory.keep_audit_head, directory.read_audit_keys, directory.add_audit_key to parley_app;


-- ===== 3. Identity: pools, members, keys =====

-- People sign in before their tenant is known and can belong to several, so they are in the directory.
create table directory.users (
  user_id            text collate "C" primary key,
  pool               text not null check (pool in ('customer', 'admin')),
  email              text not null,
  name               text not null,
  platform_roles     text[] not null default '{}',  -- admin pool only
  disabled_at        timestamptz,
  tokens_valid_after timestamptz not null default '-infinity',
  created_at         timestamptz not null default now(),
  locale             text not null default 'en',
  check (pool = 'admin' or platform_roles = '{}')
);
-- The server maps this name to 409 `email_taken`.
create unique index email_taken on directory.users (pool, lower(email));
create index users_by_email on directory.users (lower(email) text_pattern_ops);
grant select (user_id, pool, email) on directory.users to parley_operator;

create table directory.identities (
  issuer  text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null references directory.users,
  primary key (issuer, subject)
);

create table directory.user_tenants (
  user_id   text collate "C" not null references directory.users,
  tenant_id text collate "C" not null references directory.tenants,
  primary key (user_id, tenant_id)
);
create index on directory.user_tenants (tenant_id, user_id);
grant select (user_id, tenant_id) on directory.user_tenants to parley_operator;

create function directory.find_user(wanted_issuer text, wanted_subject text)
returns table (user_id text, pool text, email text, name text, platform_roles text[], disabled boolean,
  tokens_valid_after timestamptz, tenant_ids text[])
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.user_id, u.pool, u.email, u.name, u.platform_roles, u.disabled_at is not null,
    greatest(u.tokens_valid_after, 'epoch'),  -- JavaScript has no date for -infinity
    array(select t.tenant_id from user_tenants t where t.user_id = u.user_id order by t.tenant_id limit 100)
  from identities i join users u using (user_id)
  where i.issuer = wanted_issuer and i.subject = wanted_subject
$$;
-- Users of the built-in pools are found by their id, which is the subject of their tokens.
create function directory.find_own_user(wanted_pool text, wanted_user text)
returns table (user_id text, pool text, email text, name text, platform_roles text[], disabled boolean,
  tokens_valid_after timestamptz, tenant_ids text[])
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.user_id, u.pool, u.email, u.name, u.platform_roles, u.disabled_at is not null,
    greatest(u.tokens_valid_after, 'epoch'),
    array(select t.tenant_id from user_tenants t where t.user_id = u.user_id order by t.tenant_id limit 100)
  from users u where u.pool = wanted_pool and u.user_id = wanted_user
$$;
grant execute on function directory.find_user to parley_app;
grant execute on function directory.find_own_user to parley_app, parley_customer_pool, parley_admin_pool;
grant usage on schema directory to parley_customer_pool, parley_admin_pool;

-- Each pool has its own schema, reached only by its own role. One function creates both, so that they are the same.
create function directory.create_pool(pool text) returns void language plpgsql as $make$
declare
  own  text := pool || '_pool';
  role text := 'parley_' || pool || '_pool';
begin
  execute format('create schema %I', own);
  perform set_config('search_path', own || ', pg_temp', true);

  -- Only this pool's people can be read or created through this view.
  execute format('create view people as select user_id, pool, email, name, locale, platform_roles, disabled_at,
    tokens_valid_after, created_at from directory.users where pool = %L with check option', pool);
  execute format('alter view people alter column pool set default %L', pool);

  create table accounts (
    user_id           text collate "C" primary key references directory.users,
    password_hash     text,           -- null: signs in with a passkey, or has not chosen a password yet
    email_verified_at timestamptz,
    last_tenant_id    text collate "C",  -- the tenant of their next sign-in
    warned_at         timestamptz,    -- of failed sign-ins: at most once a day
    created_at        timestamptz not null default now()
  );
  -- Accounts that a platform admin created and no one has used yet.
  create index accounts_unverified on accounts (created_at) where email_verified_at is null;

  -- One row per person and device: shown in their list of sessions, and checked for every token.
  create table sessions (
    id               text collate "C" primary key,
    grant_hash       bytea not null unique,
    user_id          text collate "C" not null references directory.users,
    tenant_id        text collate "C",
    client_id        text collate "C" not null,
    methods          text[] not null,  -- how they authenticated: pwd, otp, recovery, passkey
    authenticated_at timestamptz not null,
    ip               text not null,
    user_agent       text not null,
    operator_id      text collate "C",  -- set while a platform admin impersonates this person
    reason           text,
    created_at       timestamptz not null default now(),
    last_seen_at     timestamptz not null default now(),
    expires_at       timestamptz not null,
    ended_at         timestamptz,
    operator_name    text              -- shown to the person, who has no access to the admin pool
  );
  create index on sessions (user_id, id);
  create index on sessions (expires_at);
  create index on sessions (operator_id) where operator_id is not null;

  -- Storage of the OIDC library. `id` is a hash: only the client has the value.
  create table oidc_items (
    kind        text collate "C" not null,
    id          bytea not null,
    payload     jsonb not null,
    user_id     text collate "C",
    grant_hash  bytea,
    uid_hash    bytea,
    consumed_at timestamptz,
    expires_at  timestamptz not null,
    created_at  timestamptz not null default now(),
    primary key (kind, id)
  );
  create index on oidc_items (grant_hash) where grant_hash is not null;
  create index on oidc_items (user_id) where user_id is not null;
  create index on oidc_items (uid_hash) where uid_hash is not null;
  create index on oidc_items (expires_at);

  create table signing_keys (
    kid        text collate "C" primary key,
    encrypted  bytea not null,        -- the private key, encrypted by a master key
    signs_from timestamptz not null,  -- published a day earlier
    created_at timestamptz not null default now()
  );

  -- Email links, tokens between two steps of a sign-in, challenges. Stored as a hash, valid once, for minutes or days.
  create table one_time_tokens (
    hash       bytea primary key,
    purpose    text not null,
    user_id    text collate "C" references directory.users,
    data       jsonb not null default '{}',
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
  );
  create index on one_time_tokens (user_id);
  create index on one_time_tokens (expires_at);

  -- Sign-ups whose email is not confirmed yet. Nothing else is created for them until then.
  create table signups (
    id           text collate "C" primary key,
    email        text not null,
    name         text not null,
    organisation text not null,
    locale       text not null,
    expires_at   timestamptz not null
  );
  create index on signups (expires_at);

  create table totp (
    user_id      text collate "C" primary key references accounts on delete cascade,
    encrypted    bytea not null,
    confirmed_at timestamptz,
    last_step    bigint not null default 0,  -- a code is valid once
    created_at   timestamptz not null default now()
  );
  -- Secrets that a master key still encrypts: its name precedes the ciphertext.
  create index totp_by_encrypter on totp (substring(encrypted from 2 for get_byte(encrypted, 0)));
  create table recovery_codes (
    user_id text collate "C" not null references accounts on delete cascade,
    hash    bytea not null,
    primary key (user_id, hash)
  );
  create table passkeys (
    id            text collate "C" primary key,
    user_id       text collate "C" not null references accounts on delete cascade,
    credential_id text collate "C" not null unique,
    public_key    bytea not null,
    counter       bigint not null,
    transports    text[] not null,
    name          text not null,
    created_at    timestamptz not null default now(),
    last_used_at  timestamptz
  );
  create index on passkeys (user_id);

  -- IP addresses from which a person signed in before: failed attempts from other networks do not lock these out.
  create table known_ips (
    user_id text collate "C" not null references accounts on delete cascade,
    ip      bytea not null,
    seen_at timestamptz not null default now(),
    primary key (user_id, ip)
  );
  create index on known_ips (seen_at);

  -- Sign-in attempts, counted before they are checked. Unknown accounts are counted in the same way.
  create table login_attempts (
    key           bytea primary key,
    account       bytea not null,
    failures      real not null default 0,  -- decays over time, so not an integer
    last_at       timestamptz not null default now(),
    blocked_until timestamptz
  );
  create index on login_attempts (account);
  create index on login_attempts (last_at);

  -- Returns the seconds to wait. If 0, the attempt was counted against every key; also returns when, and which keys it
  -- locked. Counted before the password is checked, so that concurrent attempts cannot exceed the limits. A refused
  -- attempt is not counted. `accounts` has the account of each key, to reset them together.
  create function take_login_attempt(accounts bytea[], of_keys bytea[], free int[], first_wait int[],
    out wait int, out moment timestamptz, out locked bytea[])
  language plpgsql set search_path from current as $take$
  declare
    until timestamptz;
  begin
    insert into login_attempts (key, account)
      select k, a from unnest(of_keys, accounts) as given (k, a) order by k on conflict do nothing;
    perform 1 from login_attempts where key = any (of_keys) order by key for update;
    moment := date_trunc('milliseconds', clock_timestamp());  -- the precision of a JavaScript date
    select max(blocked_until) into until from login_attempts where key = any (of_keys);
    wait := greatest(0, ceil(extract(epoch from until - moment)));
    if wait > 0 then return; end if;
    wait := 0;
    with counted as (
      update login_attempts g set failures = n, last_at = moment,
        blocked_until = case when n > k.free - 0.5 then moment + make_interval(secs => least(900, k.first_wait * 2.0 ^ least(round(n - k.free), 10))) end
      from unnest(of_keys, free, first_wait) as k (key, free, first_wait),
        -- The free attempts decay within a day: a few typing errors a day never add up to an attack.
        lateral (select greatest(0, g0.failures - k.free * extract(epoch from moment - g0.last_at) / 86400) + 1 as n
          from login_attempts g0 where g0.key = k.key) as counting
      where g.key = k.key
      returning g.key, n > k.free - 0.5 and n <= k.free + 0.5 as is_locked)
    select array_agg(key) filter (where is_locked) into locked from counted;
  end $take$;

  -- Undoes an attempt that succeeded or was not checked: each key gets its attempt back, and a block that this attempt
  -- caused is lifted. `fresh` is reset.
  create function forgive_login_attempt(fresh bytea, of_keys bytea[], free int[], at timestamptz) returns void
  language sql set search_path from current as $forgive$
    select 1 from login_attempts where key = any (of_keys) order by key for update;  -- the same lock order as above
    update login_attempts g set failures = greatest(0, g.failures - 1),
      blocked_until = case when g.failures - 1 > k.free - 0.5 and g.last_at <> at then g.blocked_until end
    from unnest(of_keys, free) as k (key, free) where g.key = k.key;
    delete from login_attempts where key = fresh;
  $forgive$;

  create table audit_entries (
    id         text collate "C" primary key,
    action     text not null,
    user_id    text collate "C",  -- whom it is about
    actor_type text not null,
    actor_id   text collate "C" not null,
    ip         text,
    request_id text collate "C",
    data       jsonb not null default '{}',
    created_at timestamptz not null default now()
  );
  create index on audit_entries (user_id, id);
  create index on audit_entries (created_at);

  execute format('grant usage on schema %I to %I', own, role);
  execute format('grant select, insert, update, delete on all tables in schema %I to %I', own, role);
  execute format('revoke update, delete on audit_entries from %I', role);
  execute format('grant execute on all functions in schema %I to %I', own, role);
end $make$;
select directory.create_pool('customer');
select directory.create_pool('admin');
drop function directory.create_pool;
reset search_path;
-- Impersonations of a tenant's members that are active now.
create index sessions_lent on customer_pool.sessions (tenant_id) where operator_id is not null and ended_at is null;

-- Run each hour, in batches.
create function directory.purge_expired_sign_ins(max_rows int) returns int
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  pool     text;
  expired  record;
  affected int;
  purged   int := 0;
begin
  foreach pool in array array['customer_pool', 'admin_pool'] loop
    for expired in select * from (values
      ('oidc_items', 'expires_at', interval '0'), ('one_time_tokens', 'expires_at', interval '0'),
      ('login_attempts', 'last_at', interval '1 day'), ('known_ips', 'seen_at', interval '90 days'),
      ('sessions', 'expires_at', interval '30 days'), ('audit_entries', 'created_at', interval '400 days')
    ) as tables (name, since, keep) loop
      execute format('delete from %1$I.%2$I where ctid = any (array(
          select ctid from %1$I.%2$I where %3$I < now() - $1 order by %3$I limit $2 for update skip locked))',
        pool, expired.name, expired.since) using expired.keep, max_rows;
      get diagnostics affected = row_count;
      purged := purged + affected;
    end loop;
  end loop;
  return purged;
end $$;
grant execute on function directory.purge_expired_sign_ins to parley_app;

create table memberships (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  user_id    text collate "C" not null,
  roles      text[] not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, user_id)
);
select protect_by_tenant('memberships');

create table invitations (
  tenant_id   text collate "C" not null default current_tenant() references tenants,
  id          text collate "C" not null,
  email       text not null check (email = lower(email)),
  roles       text[] not null,
  invited_by  text not null,
  locale      text not null default 'en',
  expires_at  timestamptz not null,
  accepted_at timestamptz,
  revoked_at  timestamptz,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index invitation_taken on invitations (tenant_id, email) where accepted_at is null and revoked_at is null;
select protect_by_tenant('invitations');

-- For people who open an invitation link, or sign in with an email that an issuer verified: they have no tenant yet.
create table directory.invitations (
  tenant_id     text collate "C" not null references directory.tenants,
  invitation_id text collate "C" not null,
  email         text not null,
  token_hash    bytea unique,  -- of the email sent last
  expires_at    timestamptz not null,
  primary key (tenant_id, invitation_id)
);
create index on directory.invitations (email);

-- Only for the current tenant's invitations: the tenant comes from the transaction, never from an argument.
create function directory.set_invitation(id text, email_address text, hash bytea, until timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into invitations as i (tenant_id, invitation_id, email, token_hash, expires_at)
  values (current_tenant(), id, lower(email_address), hash, until)
  on conflict (tenant_id, invitation_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
$$;
create function directory.remove_invitation(id text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from invitations where tenant_id = current_tenant() and invitation_id = id
$$;
create function directory.find_invitation(hash bytea) returns table (tenant_id text, invitation_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select i.tenant_id, i.invitation_id from invitations i where i.token_hash = hash and i.expires_at > now()
$$;
create function directory.invitations_for(email_address text) returns table (tenant_id text, invitation_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select i.tenant_id, i.invitation_id from invitations i
  where i.email = lower(email_address) and i.expires_at > now() order by i.invitation_id limit 20
$$;

-- The person's view of memberships. The membership itself is a row of the tenant.
create function directory.join_tenant(who text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into user_tenants values (who, current_tenant()) on conflict do nothing
$$;
create function directory.leave_tenant(who text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from user_tenants where user_id = who and tenant_id = current_tenant()
$$;
-- Names and emails of people in the current tenant.
create function directory.people_of_tenant(ids text[])
returns table (user_id text, email text, name text, disabled boolean)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.user_id, u.email, u.name, u.disabled_at is not null from users u join user_tenants t using (user_id)
  where t.tenant_id = current_tenant() and u.user_id = any (ids)
$$;
-- Members by the prefix of their name or email. Only the matches leave the directory.
create function directory.search_people(start text) returns table (user_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  -- `offset 0` forces one lookup per member of the tenant. Another plan would read the names of the whole directory.
  select t.user_id from user_tenants t
  cross join lateral (select u.name, u.email from users u where u.user_id = t.user_id offset 0) as person
  where t.tenant_id = current_tenant()
    and (starts_with(lower(person.name), lower(start)) or starts_with(lower(person.email), lower(start)))
$$;
grant execute on function directory.set_invitation, directory.remove_invitation, directory.find_invitation,
  directory.invitations_for, directory.join_tenant, directory.leave_tenant, directory.people_of_tenant,
  directory.search_people to parley_app;

-- An email that an external issuer verified can create a new person. It never gives access to an existing account: the
-- account's owner adds the identity while signed in (`add_identity`).
create function directory.join_by_identity(of_pool text, from_issuer text, from_subject text, new_id text, email_address text, called text)
returns table (user_id text, has_account boolean)
language plpgsql security definer set search_path = directory, public, pg_temp as $$
#variable_conflict use_column
begin
  if not exists (select from identities i where i.issuer = from_issuer and i.subject = from_subject) then
    -- Concurrent calls with the same identity wait here for the first, then find what it created.
    insert into users (user_id, pool, email, name) values (new_id, of_pool, lower(email_address), called) on conflict do nothing;
    if found then
      insert into identities (issuer, subject, user_id) values (from_issuer, from_subject, new_id);
    end if;
  end if;
  return query select i.user_id, false from identities i join users u using (user_id)
    where i.issuer = from_issuer and i.subject = from_subject and u.disabled_at is null;
  if not found then
    return query select null::text, exists (select from users u
      where u.pool = of_pool and u.email = lower(email_address) and u.disabled_at is null);
  end if;
end $$;

-- Returns the identity's owner, and whether this call added it.
create function directory.add_identity(from_issuer text, from_subject text, whose text)
returns table (user_id text, is_new boolean)
language plpgsql security definer set search_path = directory, public, pg_temp as $$
#variable_conflict use_column
begin
  insert into identities (issuer, subject, user_id) values (from_issuer, from_subject, whose) on conflict do nothing;
  return query select i.user_id, found from identities i where i.issuer = from_issuer and i.subject = from_subject;
end $$;
grant execute on function directory.join_by_identity, directory.add_identity to parley_app;

-- Emails to send. They contain no secret: a link is created when the email is written.
create table directory.emails (
  id         text collate "C" primary key,
  kind       text not null,
  recipient  text not null,
  data       jsonb not null,
  attempts   int not null default 0,
  due_at     timestamptz not null default now(),
  created_at timestamptz not null default now(),
  failed_at  timestamptz,
  error      text
);
create index on directory.emails (due_at) where failed_at is null;
create index emails_failed on directory.emails (id) where failed_at is not null;
create index emails_sign_up on directory.emails (created_at) where kind = 'signup';

create function directory.queue_email(new_id text, of_kind text, to_email text, content jsonb) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into emails (id, kind, recipient, data) values (new_id, of_kind, to_email, content)
$$;
-- Leased by moving `due_at`: if a mailer crashes, its emails become due again.
create function directory.lease_emails(max_rows int, lease interval)
returns table (id text, kind text, recipient text, data jsonb, attempts int)
language sql security definer set search_path = directory, public, pg_temp as $$
  update emails l set attempts = l.attempts + 1, due_at = now() + lease
  where l.id in (select due.id from emails due where due.failed_at is null and due.due_at <= now()
    order by due.due_at limit least(max_rows, 100) for update skip locked)
  returning l.id, l.kind, l.recipient, l.data, l.attempts
$$;
create function directory.email_sent(done text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from emails where id = done
$$;
-- Retries after `again`, or never if that is null.
create function directory.email_failed(which text, why text, again interval) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update emails set error = left(why, 500), due_at = coalesce(now() + again, due_at),
    failed_at = case when again is null then now() end where id = which
$$;
-- Extends the lease while the email is being sent.
create function directory.keep_email(which text, lease interval) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update emails set due_at = now() + lease where id = which and failed_at is null
$$;
-- Failed emails are kept for platform admins for a while. They contain email addresses, so not longer.
create function directory.purge_failed_emails() returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from emails where failed_at < now() - interval '30 days'
$$;
create function directory.emails_waiting() returns table (oldest_seconds float8, failed int)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select coalesce(extract(epoch from now() - min(created_at) filter (where failed_at is null)), 0)::float8,
    (count(*) filter (where failed_at is not null))::int from emails
$$;
grant execute on function directory.queue_email to parley_app, parley_customer_pool, parley_admin_pool;
grant execute on function directory.lease_emails, directory.email_sent, directory.email_failed,
  directory.keep_email, directory.purge_failed_emails, directory.emails_waiting to parley_app;

-- Failed emails for platform admins. Recipients are shortened, also inside errors, where mail servers repeat them. The
-- email's content is not included.
create function directory.redact_emails(message text) returns text language sql immutable as $$
  select regexp_replace(message, '([[:alnum:]])[^[:space:]@<>()"'']*@([^[:space:]@<>()"'',;]+)', '\1…@\2', 'g')
$$;
create function directory.failed_emails(before text, max_rows int)
returns table (id text, kind text, recipient text, tenant_id text, attempts int, error text, failed_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select l.id, l.kind, redact_emails(l.recipient), l.data ->> 'tenantId', l.attempts, redact_emails(l.error), l.failed_at
  from emails l where l.failed_at is not null and (before is null or l.id < before) order by l.id desc limit least(max_rows, 101)
$$;
-- Starts again with all attempts of a new email.
create function directory.retry_email(which text) returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with again as (
    update emails set failed_at = null, error = null, attempts = 0, due_at = now()
    where id = which and failed_at is not null returning 1)
  select exists (select from again)
$$;
-- Overdue emails, counted up to a limit, and the age of the oldest.
create function directory.email_queue(max_rows int) returns table (waiting int, oldest_seconds float8, failed int)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select (select count(*)::int from (select from emails l where l.failed_at is null and l.due_at < now() limit max_rows) as due),
    coalesce((select extract(epoch from now() - min(w.created_at)) from
      (select l.created_at from emails l where l.failed_at is null order by l.due_at limit max_rows) as w), 0)::float8,
    (select count(*)::int from (select from emails l where l.failed_at is not null limit max_rows) as lost)
$$;
grant execute on function directory.failed_emails, directory.retry_email, directory.email_queue to parley_app;

-- Data about people who never verified their email is deleted after 7 days. It is found by the time at which it is due and
-- deleted in batches, so an hour with nothing due costs nothing.
-- Returns the deleted user ids. Accounts whose link still works, because it was sent again, are kept until it expires.
create function directory.purge_unverified_accounts(of_pool text, as_of timestamptz, max_rows int) returns setof text
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  own  text := case of_pool when 'customer' then 'customer_pool' when 'admin' then 'admin_pool' end;
  gone text[];
begin
  execute format('
    with due as (
      select a.user_id from %1$I.accounts a
      where a.email_verified_at is null and a.created_at < $1 - interval ''7 days''
        and not exists (select from %1$I.one_time_tokens t where t.user_id = a.user_id and t.expires_at > $1)
        and not exists (select from %1$I.sessions s where s.user_id = a.user_id)
      order by a.created_at limit $2 for update skip locked),
    deleted as (delete from %1$I.accounts a using due where a.user_id = due.user_id returning a.user_id)
    select array_agg(user_id) from deleted', own) into gone using as_of, max_rows;
  if gone is null then return; end if;
  execute format('delete from %I.one_time_tokens where user_id = any ($1)', own) using gone;
  delete from emails where kind = 'welcome' and data ->> 'userId' = any (gone);
  -- A person with an external identity is verified by its issuer and stays.
  delete from users u where u.user_id = any (gone) and u.pool = of_pool
    and not exists (select from identities i where i.user_id = u.user_id)
    and not exists (select from user_tenants t where t.user_id = u.user_id);
  return query select unnest(gone);
end $$;
grant execute on function directory.purge_unverified_accounts to parley_customer_pool, parley_admin_pool;

-- Undelivered sign-up emails contain an address that was never verified.
create function directory.purge_sign_up_emails(as_of timestamptz, max_rows int) returns int
language sql security definer set search_path = directory, public, pg_temp as $$
  with due as (
    select id from emails where kind = 'signup' and created_at < as_of - interval '7 days'
    order by created_at limit max_rows for update skip locked),
  deleted as (delete from emails l using due where l.id = due.id returning l.id)
  select count(*)::int from deleted
$$;
grant execute on function directory.purge_sign_up_emails to parley_app;

-- A key keeps its id when its secret is rotated. Its secrets are versions.
create table api_keys (
  tenant_id      text collate "C" not null default current_tenant() references tenants,
  id             text collate "C" not null,
  name           text not null check (length(name) between 1 and 80),
  key_type       text not null check (key_type in ('secret_server', 'public_widget')),
  bound_bot_id   text collate "C",
  workspace_id   text collate "C",
  environment_id text collate "C",
  permissions    text[] not null default '{}',
  created_by     text not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bound_bot_id) references bots,
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments,
  check (key_type <> 'public_widget' or (bound_bot_id is not null and permissions = '{}'))
);
select protect_by_tenant('api_keys');

create table api_key_secrets (
  tenant_id   text collate "C" not null default current_tenant() references tenants,
  key_id      text collate "C" not null,
  version     int not null,
  secret_hash bytea not null check (length(secret_hash) = 32),  -- SHA-256; the secret itself is not stored
  hint        text not null,
  encrypted   bytea,        -- a widget key is public and can be shown again
  not_after   timestamptz,  -- set when a newer version replaces it
  created_at  timestamptz not null default now(),
  primary key (tenant_id, key_id, version),
  constraint api_key_exists foreign key (tenant_id, key_id) references api_keys
);
select protect_by_tenant('api_key_secrets');
select open_to_operators('api_key_secrets', 'tenant_id, key_id, hint');
-- Found by the end of the hint, which is what people read out.
create index api_key_secrets_by_hint on api_key_secrets (right(hint, 4));

-- Finds the tenant of a key, which is not known when a request arrives.
create table directory.api_key_secrets (
  secret_hash bytea primary key,
  tenant_id   text collate "C" not null,
  key_id      text collate "C" not null
);
create function directory.add_api_key_secret(hash bytea, key text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into api_key_secrets values (hash, current_tenant(), key)
$$;
create function directory.find_api_key_secret(hash bytea) returns table (tenant_id text, key_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select s.tenant_id, s.key_id from api_key_secrets s where s.secret_hash = hash
$$;
create function directory.remove_api_key_secret(hash bytea) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from api_key_secrets where secret_hash = hash and tenant_id = current_tenant()
$$;
grant execute on function directory.add_api_key_secret, directory.find_api_key_secret, directory.remove_api_key_secret
  to parley_app;

-- A platform admin's request to impersonate a member, for an owner to approve.
create table support_requests (
  tenant_id     text collate "C" not null default current_tenant() references tenants,
  id            text collate "C" not null,
  operator_id   text collate "C" not null,
  operator_name text not null,
  reason        text not null,
  status        text not null default 'open' check (status in ('open', 'approved', 'declined')),
  decided_by    text,
  decided_at    timestamptz,
  expires_at    timestamptz,  -- of the approval
  created_at    timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index on support_requests (tenant_id, operator_id, expires_at);
select protect_by_tenant('support_requests');


-- ===== 4. Usage and budgets =====

-- One row per bot and day, counted when something happens: charts never read conversations.
create table usage_days (
  tenant_id     text collate "C" not null default current_tenant() references tenants,
  day           date not null,
  bot_id        text collate "C" not null,
  messages      int not null default 0,     -- by visitors
  turns         int not null default 0,
  model_turns   int not null default 0,
  tokens_in     bigint not null default 0,
  tokens_out    bigint not null default 0,
  spend_micros  bigint not null default 0,  -- millionths of a US dollar
  conversations int not null default 0,
  handoffs      int not null default 0,     -- conversations in which an agent was requested or took over, the first time
  unresolved    int not null default 0,     -- conversations that were handed off or had an unanswered question
  closed        int not null default 0,
  answered      int not null default 0,     -- turns
  unanswered    int not null default 0,
  ratings       int not null default 0,     -- conversations
  rating_sum    int not null default 0,
  helpful_up    int not null default 0,     -- replies
  helpful_down  int not null default 0,
  reply_ms      bigint not null default 0,  -- of all turns counted in the buckets
  reply_buckets int[] not null default '{0,0,0,0,0,0,0,0,0,0,0,0}',  -- by duration; the bounds are in the code
  primary key (tenant_id, day, bot_id)
);
select protect_by_tenant('usage_days');

-- How many replies of a day cited a source.
create table source_days (
  tenant_id text collate "C" not null default current_tenant() references tenants,
  day       date not null,
  bot_id    text collate "C" not null,
  source_id text collate "C" not null,
  citations int not null default 0,
  primary key (tenant_id, day, bot_id, source_id)
);
select protect_by_tenant('source_days');

-- What a plan limits, per period. A reservation counts as used until the actual amount is known.
create table budgets (
  tenant_id text collate "C" not null default current_tenant() references tenants,
  name      text collate "C" not null,  -- messages, spend, spend:<bot>, spend:<visitor>
  period    date not null,   -- its first day
  used      bigint not null default 0,
  reserved  bigint not null default 0,
  -- The threshold reached when it was last notified, in percent: finds tenants near their limit without reading all.
  reached   smallint not null default 0,
  primary key (tenant_id, name, period)
);
create index budgets_reached on budgets (period, tenant_id, name) where reached > 0;
select protect_by_tenant('budgets');
select open_to_operators('budgets', 'tenant_id, name, period, used, reserved, reached');

-- Money reserved before a model is called. A reservation that was never settled stays spent, as it may have been.
create table reservations (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,  -- turn and step
  period     date not null,
  names      text[] not null, -- the budgets it was taken from
  micros     bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
select protect_by_tenant('reservations');


-- ===== 5. Chat =====

-- Never changed: a reply can always be compared with the bot as it was at that time.
-- A version without a number is a draft that was saved to test it. It is never deployed.
create table bot_versions (
  tenant_id    text collate "C" not null default current_tenant() references tenants,
  id           text collate "C" not null,
  bot_id       text collate "C" not null,
  number       int,
  content_hash bytea not null,
  content      json not null,  -- json and not jsonb: schemas keep the order of their fields
  notes        text not null default '',
  created_by   text not null,
  created_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint bot_version_number unique (tenant_id, bot_id, number),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
create unique index bot_drafts_tried on bot_versions (tenant_id, bot_id, content_hash) where number is null;
select protect_by_tenant('bot_versions', 'select, insert');

create table bot_deployments (
  tenant_id      text collate "C" not null default current_tenant() references tenants,
  bot_id         text collate "C" not null,
  environment_id text collate "C" not null,
  version_id     text collate "C" not null,
  deployed_by    text not null,
  deployed_at    timestamptz not null default now(),
  primary key (tenant_id, bot_id, environment_id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments,
  constraint bot_version_exists foreign key (tenant_id, version_id) references bot_versions
);
select protect_by_tenant('bot_deployments');

-- A tenant's own model: its URL, prices and encrypted API key.
create table models (
  tenant_id     text collate "C" not null default current_tenant() references tenants,
  id            text collate "C" not null,
  name          text not null check (length(name) between 1 and 80),
  provider      text not null check (provider in ('openai-compatible', 'openai', 'anthropic', 'google')),
  base_url      text,
  model         text not null,
  input_price   numeric not null,   -- US dollars for a million tokens
  output_price  numeric not null,
  encrypted_key bytea,
  created_by    text not null,
  created_at    timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint model_name_taken unique (tenant_id, name)
);
select protect_by_tenant('models');

-- The tenant's sites on which a bot's widget was loaded. Nothing about visitors.
create table widget_installs (
  tenant_id     text collate "C" not null default current_tenant() references tenants,
  bot_id        text collate "C" not null,
  origin        text collate "C" not null check (length(origin) <= 300),
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,   -- accurate to some minutes
  primary key (tenant_id, bot_id, origin),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
select protect_by_tenant('widget_installs', 'select, insert, update');

-- Created with a visitor's first message, never with a page view.
create table visitors (
  tenant_id      text collate "C" not null default current_tenant() references tenants,
  id             text collate "C" not null,
  bot_id         text collate "C" not null,
  environment_id text collate "C" not null,
  label          text not null,    -- what the page calls them; not verified, and never used to find them
  tokens_after   timestamptz not null default '-infinity',  -- visitor tokens issued before this are invalid
  created_at     timestamptz not null default now(),
  last_seen_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments
);
select protect_by_tenant('visitors');

-- A person whom the tenant's own backend has authenticated.
create table contacts (
  tenant_id        text collate "C" not null default current_tenant() references tenants,
  id               text collate "C" not null,
  environment_id   text collate "C" not null,
  external_user_id text collate "C" not null,
  email            text not null,
  name             text,
  attributes       jsonb not null default '{}',
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint contact_taken unique (tenant_id, environment_id, external_user_id),
  constraint environment_exists foreign key (tenant_id, environment_id) references environments
);
select protect_by_tenant('contacts');
select protect_by_binding('contacts',
  'exists (select from environments e where e.tenant_id = contacts.tenant_id and e.id = contacts.environment_id)');

create table conversations (
  tenant_id       text collate "C" not null default current_tenant() references tenants,
  id              text collate "C" not null,
  environment_id  text collate "C" not null,
  bot_id          text collate "C" not null,
  version_id      text collate "C" not null,  -- the version it started with, for all of it
  visitor_id      text collate "C",  -- null once erased
  contact_id      text collate "C",
  is_test         boolean not null default false,
  state           text not null default 'bot' check (state in ('bot', 'waiting_human', 'human', 'closed')),
  assignee_id     text collate "C",
  last_seq        int not null default 0,
  message_count   int not null default 0,
  preview         text not null default '',  -- of the last message, for lists
  rating          smallint check (rating between 1 and 5),
  page_url        text,
  waiting_since   timestamptz,
  last_message_at timestamptz not null default now(),
  closed_at       timestamptz,
  expires_at      timestamptz not null,      -- the bot's retention, from the last message
  created_at      timestamptz not null default now(),
  -- So that a conversation is counted once, and a changed rating is changed on the day it was counted.
  is_handed_off   boolean not null default false,
  is_unresolved   boolean not null default false,
  rated_on        date,
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments,
  constraint bot_version_exists foreign key (tenant_id, version_id) references bot_versions
);
-- Every message moves its conversation in each index with `last_message_at`, and so writes to all indexes of the row. There
-- are few states, bots and environments, so lists ask for each state, or each pair of bot and environment, in turn: these
-- two indexes serve four kinds of lists (list.store.ts).
create index on conversations (tenant_id, state, last_message_at desc, id desc);
create index on conversations (tenant_id, bot_id, environment_id, last_message_at desc, id desc);
create index on conversations (tenant_id, visitor_id, id desc);
create index on conversations (tenant_id, contact_id, id desc) where contact_id is not null;
create index on conversations (tenant_id, expires_at);
create index on conversations (tenant_id, assignee_id, last_message_at desc, id desc) where assignee_id is not null;
create index on conversations (tenant_id, rating, last_message_at desc, id desc) where rating is not null;
select protect_by_tenant('conversations');
-- To find the tenants with something to delete.
create index conversations_by_expiry on conversations (expires_at);
select open_to_operators('conversations', 'tenant_id, expires_at');

-- The log of a conversation: the stream, the history, the export and the inbox are all read from it.
-- `seq` has no gaps: a client that has n and receives n + 2 knows that one is missing.
-- Partitioned by the conversation's time, so that one conversation is in one partition.
create table conversation_events (
  tenant_id         text collate "C" not null default current_tenant(),
  conversation_id   text collate "C" not null,
  seq               int not null,
  type              text not null,
  message_id        text collate "C",
  turn_id           text collate "C",
  client_message_id text collate "C",
  is_internal       boolean not null default false,  -- for staff only
  payload           jsonb not null,
  created_at        timestamptz not null default now(),
  primary key (tenant_id, conversation_id, seq),
  constraint client_message_once unique (tenant_id, conversation_id, client_message_id)
) partition by range (conversation_id);
select protect_by_tenant('conversation_events', 'select, insert, delete');
grant update (payload) on conversation_events to parley_app;  -- to erase a visitor's data

-- The bot's work on one visitor message. A queued or running turn is a promise to reply.
create table turns (
  tenant_id       text collate "C" not null default current_tenant(),
  conversation_id text collate "C" not null,
  id              text collate "C" not null,
  seq             int not null,    -- of the message it replies to
  message_id      text collate "C" not null,
  reply_id        text collate "C" not null,  -- chosen in advance, so that streamed parts already have the reply's id
  status          text not null default 'queued' check (status in ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled')),
  stop_requested  boolean not null default false,
  attempt         text,            -- the current model call; results of earlier ones are discarded
  mode            text,            -- how it was answered: extractive, model, fallback, handoff
  reason          text,            -- why it failed, or fell back
  tokens_in       int not null default 0,
  tokens_out      int not null default 0,
  spend_micros    bigint not null default 0,
  created_at      timestamptz not null default now(),
  finished_at     timestamptz,
  primary key (tenant_id, conversation_id, id)
) partition by range (conversation_id);
create index turns_open on turns (tenant_id, conversation_id, seq) where status in ('queued', 'running');
create index turns_failed on turns (tenant_id, finished_at) where status = 'failed';
select protect_by_tenant('turns');

-- The result of each step of a turn, stored before Restate sees it: Restate's journal contains ids and no content.
create table turn_steps (
  tenant_id       text collate "C" not null default current_tenant(),
  conversation_id text collate "C" not null,
  turn_id         text collate "C" not null,
  name            text collate "C" not null,
  result          jsonb not null,
  created_at      timestamptz not null default now(),
  primary key (tenant_id, conversation_id, turn_id, name)
) partition by range (conversation_id);
select protect_by_tenant('turn_steps');

insert into directory.partitioned_tables values
  ('conversation_events', 'conv', '1 month', '25 months'),
  ('turns', 'conv', '1 month', '25 months'),
  ('turn_steps', 'conv', '1 month', '25 months');
select directory.ensure_partitions();

-- Full-text search in conversations. A list and not a tsvector: with row-level security an index serves only leakproof
-- operators, such as `=`, `>=` and `<` of text. Collation "C" makes a prefix a range.
create table conversation_tokens (
  tenant_id       text collate "C" not null default current_tenant() references tenants,
  token           text collate "C" not null,
  conversation_id text collate "C" not null,
  primary key (tenant_id, token, conversation_id),
  constraint conversation_exists foreign key (tenant_id, conversation_id) references conversations on delete cascade
);
create index on conversation_tokens (tenant_id, conversation_id, token);
select protect_by_tenant('conversation_tokens', 'select, insert, delete');

-- Questions without an answer. The key is the question in lowercase and without punctuation.
-- The example is a visitor's text: it is deleted with its conversation.
create table unanswered_questions (
  tenant_id       text collate "C" not null default current_tenant() references tenants,
  day             date not null,
  bot_id          text collate "C" not null,
  question_key    text collate "C" not null,
  times           int not null default 1,
  example         text not null check (length(example) <= 300),
  conversation_id text collate "C" not null,
  asked_at        timestamptz not null,  -- the last time
  primary key (tenant_id, day, bot_id, question_key),
  constraint conversation_exists foreign key (tenant_id, conversation_id) references conversations on delete cascade
);
create index on unanswered_questions (tenant_id, conversation_id);
create index unanswered_questions_by_age on unanswered_questions (day);
select protect_by_tenant('unanswered_questions');
select open_to_operators('unanswered_questions', 'tenant_id, day');

select protect_by_binding(name, format(
  'exists (select from conversations c where c.tenant_id = %1$I.tenant_id and c.id = %1$I.conversation_id)', name))
from unnest(array['conversation_events', 'conversation_tokens', 'turns', 'turn_steps']) as name;

-- A bound key can write any event, because its changes must be published, but reads only those of its workspace, bot or environment.
select protect_by_binding('events', $$
  ((select bound_bot()) is null or bot_id = (select bound_bot()))
  and ((select bound_environment()) is null or environment_id = (select bound_environment()))
  and ((select bound_workspace()) is null
    or exists (select from bots b where b.tenant_id = events.tenant_id and b.id = events.bot_id)
    or exists (select from environments e where e.tenant_id = events.tenant_id and e.id = events.environment_id))$$,
  'select');


-- ===== 6. Knowledge =====

-- pg_trgm compares misspelt tokens; btree_gin allows the bot in the same index as the tokens.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table knowledge_sources (
  tenant_id      text collate "C" not null default current_tenant() references tenants,
  id             text collate "C" not null,
  bot_id         text collate "C" not null,
  kind           text not null check (kind in ('text', 'url', 'sitemap', 'file', 'qa')),
  name           text not null check (length(name) between 1 and 120),
  config         jsonb not null,
  is_enabled     boolean not null default true,   -- included in the next published version
  schedule       text not null default 'none' check (schedule in ('none', 'daily', 'weekly')),
  language       text,                            -- null: detected for each document
  state          text not null default 'waiting' check (state in ('waiting', 'syncing', 'ready', 'failed')),
  sync_id        text collate "C",                -- the current sync, or the last one
  done           int not null default 0,
  total          int not null default 0,
  error          text,                            -- a code; its message is in the source code
  last_synced_at timestamptz,
  next_sync_at   timestamptz,
  created_by     text not null,
  created_at     timestamptz not null default now(),
  -- Storage used, for the plan's limit: the larger of what was uploaded and what was extracted from it.
  given_bytes    bigint not null default 0,
  text_bytes     bigint not null default 0,
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
create index on knowledge_sources (tenant_id, bot_id, id);
create index knowledge_sources_unhealthy on knowledge_sources (id desc) where state <> 'ready';
select protect_by_tenant('knowledge_sources');
select open_to_operators('knowledge_sources', 'tenant_id, id, bot_id, kind, name, state, done, total, error, last_synced_at, created_at');

create table knowledge_files (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  source_id  text collate "C" not null,
  name       text not null,
  media_type text not null,
  content    bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, source_id),
  constraint knowledge_source_exists foreign key (tenant_id, source_id) references knowledge_sources
);
select protect_by_tenant('knowledge_files');

-- One page, file, text or question. Also the sync's work list: after a crash, the rows show where it stopped.
create table knowledge_documents (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  source_id  text collate "C" not null,
  location   text not null,        -- its URL, or a key that is unique within the source
  title      text not null default '',
  language   text,
  hash       bytea,                -- of the extracted text: unchanged text is not chunked again
  state      text not null default 'waiting' check (state in ('waiting', 'ready', 'failed')),
  error      text,
  sync_id    text collate "C" not null,  -- the last sync that found it; a finished sync deletes documents it did not find
  fetched_at timestamptz,
  bytes      bigint not null default 0,
  primary key (tenant_id, id),
  constraint knowledge_document_place unique (tenant_id, source_id, location),
  constraint knowledge_source_exists foreign key (tenant_id, source_id) references knowledge_sources
);
-- The languages of a source, found by skipping from one to the next.
create index knowledge_documents_language on knowledge_documents (tenant_id, source_id, (coalesce(language, '')));
select protect_by_tenant('knowledge_documents');

create table knowledge_chunks (
  tenant_id   text collate "C" not null default current_tenant() references tenants,
  document_id text collate "C" not null,
  place       int not null,        -- its index in the document, from 0
  source_id   text collate "C" not null,
  bot_id      text collate "C" not null,  -- of its source, for the token index
  heading     text not null,       -- the path of headings above it, joined by ' › '; for a Q&A pair, the question
  body        text not null,       -- Markdown
  config      regconfig not null,  -- the language of its tokens
  tokens      tsvector not null,   -- weight A: title and headings, D: body
  primary key (tenant_id, document_id, place),
  constraint knowledge_document_exists foreign key (tenant_id, document_id) references knowledge_documents
);
-- By bot, not by source: for each of many sources, GIN would intersect all lists again.
create index knowledge_chunks_tokens on knowledge_chunks using gin (bot_id, tokens);
create index on knowledge_chunks (tenant_id, source_id);
select protect_by_tenant('knowledge_chunks');

-- Under row-level security an index serves only leakproof operators, and `@@` is not one. This function runs as a role that
-- sees the tokens of all tenants' chunks, takes the tenant from the session and returns places, not content: the caller reads
-- the chunks themselves under row-level security. docs/adr/0045-token-search.md
-- Returns the matches of each query in turn, with its number, until there are enough.
create function directory.match_chunks(bot_ids text[], source_ids text[], queries tsquery[], enough int)
returns table (document_id text, place int, query int)
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
declare
  missing int := least(enough, 1000000);
  n       int;
begin
  for number in 1 .. cardinality(queries) loop
    return query select m.document_id, m.place, number
      from (
        select c.document_id, c.place from public.knowledge_chunks c
        where c.tenant_id = public.current_tenant() and c.bot_id = any (bot_ids) and c.source_id = any (source_ids)
          and c.tokens @@ queries[number]
        offset 0) as m  -- without it, a scan in the order of the primary key could seem cheaper than the token index
      order by m.document_id, m.place limit missing;
    get diagnostics n = row_count;
    missing := missing - n;
    exit when missing <= 0;
  end loop;
end $$;
create policy search on knowledge_chunks for select to parley_search using (true);
grant select (tenant_id, bot_id, source_id, document_id, place, tokens) on knowledge_chunks to parley_search;
grant usage on schema public to parley_search;
grant execute on function current_tenant to parley_search;
grant execute on function directory.match_chunks to parley_app, parley_bound;
-- A function's owner must be able to create in its schema, at this moment only.
grant create on schema directory to parley_search;
alter function directory.match_chunks owner to parley_search;
revoke create on schema directory from parley_search;

-- The tokens of a source as written, and how many chunks contain each: used to weight rare tokens and to correct spelling.
create table knowledge_tokens (
  tenant_id text collate "C" not null default current_tenant() references tenants,
  source_id text collate "C" not null,
  token     text collate "C" not null,
  lexeme    text collate "C" not null,
  chunks    int not null,
  primary key (tenant_id, source_id, token),
  constraint knowledge_source_exists foreign key (tenant_id, source_id) references knowledge_sources
);
create index knowledge_tokens_lexeme on knowledge_tokens (tenant_id, source_id, lexeme);
select protect_by_tenant('knowledge_tokens');

select protect_by_binding(name, format(
  'exists (select from knowledge_sources s where s.tenant_id = %1$I.tenant_id and s.id = %1$I.source_id)', name))
from unnest(array['knowledge_documents', 'knowledge_chunks', 'knowledge_files', 'knowledge_tokens']) as name;

-- Embeddings of chunks, for semantic search, if the database has the extension `vector`. The owner cannot install it: a
-- database administrator does (`create extension vector schema public`), before this or later, and then
-- `parley-server vectors enable` runs this again. Returns whether vectors can be stored.
create function directory.enable_vectors() returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  perform from pg_extension where extname = 'vector' and extnamespace = 'public'::regnamespace;
  if not found then return false; end if;
  if to_regclass('public.knowledge_vectors') is not null then return true; end if;
  -- No fixed dimension: vectors of two models coexist while one replaces the other.
  create table public.knowledge_vectors (
    tenant_id   text collate "C" not null default current_tenant() references tenants,
    document_id text collate "C" not null,
    place       int not null,
    source_id   text collate "C" not null,
    model       text not null,
    embedding   vector not null,
    primary key (tenant_id, document_id, place),
    constraint knowledge_chunk_exists foreign key (tenant_id, document_id, place) references knowledge_chunks on delete cascade
  );
  -- Stored inline if possible: every question reads all vectors of a bot, and reading them from TOAST takes three times as long.
  alter table public.knowledge_vectors alter column embedding set storage main;
  create index knowledge_vectors_source on public.knowledge_vectors (tenant_id, source_id);
  perform protect_by_tenant('public.knowledge_vectors');
  return true;
end $$;
select directory.enable_vectors();


-- ===== 7. Webhooks =====

-- An endpoint and its health, which the dispatcher updates.
create table webhooks (
  tenant_id            text collate "C" not null default current_tenant() references tenants,
  id                   text collate "C" not null,
  url                  text not null check (length(url) <= 2048),
  description          text not null default '' check (length(description) <= 200),
  event_types          text[] not null check (cardinality(event_types) between 1 and 100),
  environment_id       text collate "C",                    -- null: all environments
  bot_ids              text[] not null default '{}',        -- empty: all bots
  headers              bytea,                               -- encrypted: they may contain credentials
  rate_limit           int not null,
  ordering             text not null check (ordering in ('none', 'conversation')),
  auto_recover         boolean not null default true,
  inbound_secret       bytea,                               -- encrypted; null until it is requested
  status               text not null default 'active' check (status in ('active', 'failing', 'broken', 'disabled', 'paused')),
  disabled_reason      text check (disabled_reason in ('failures', 'gone', 'receiver')),
  health               jsonb not null default '{}',         -- the input of the circuit breaker: see health.ts
  last_success_at      timestamptz,
  last_failure_at      timestamptz,
  last_failure_status  int,                                 -- null: no response
  awake_until          timestamptz not null default '-infinity', -- a dispatcher runs, or was just started
  created_at           timestamptz not null default now(),
  created_by           text not null,
  listener             jsonb,  -- a developer who receives the deliveries on their own machine: who, until when, last polls
  -- An endpoint that a bound key creates inherits the key's bindings and receives no event from outside them.
  bound_workspace_id   text collate "C" default bound_workspace(),
  bound_bot_id         text collate "C" default bound_bot(),
  bound_environment_id text collate "C" default bound_environment(),
  -- What the key that created the endpoint may read. null: created by a person, who could choose any type.
  readable_event_types text[],
  primary key (tenant_id, id),
  constraint environment_exists foreign key (tenant_id, environment_id) references environments
);
create index webhooks_unhealthy on webhooks (id) where status <> 'active';
select protect_by_tenant('webhooks');
select protect_by_binding('webhooks', $$
  ((select bound_workspace()) is null or bound_workspace_id = (select bound_workspace()))
  and ((select bound_bot()) is null or bound_bot_id = (select bound_bot()))
  and ((select bound_environment()) is null or bound_environment_id = (select bound_environment()))$$);
select open_to_operators('webhooks', 'tenant_id, id, status');

-- At most two are valid at any time: the newest, and the one before it until it expires.
create table webhook_secrets (
  tenant_id  text collate "C" not null default current_tenant(),
  webhook_id text collate "C" not null,
  version    int not null,
  encrypted  bytea not null,
  hint       text not null,             -- first eight hex digits of its SHA-256
  not_after  timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, webhook_id, version),
  constraint webhook_exists foreign key (tenant_id, webhook_id) references webhooks on delete cascade
);
select protect_by_tenant('webhook_secrets');

-- Pending deliveries only, so that its size does not grow with the log.
-- Statistics show the queue nearly empty, and the planner would read all rows of a tenant or endpoint to find a few. Keys
-- that start with the searched column leave it no such plan.
create table webhook_queue (
  tenant_id       text collate "C" not null default current_tenant(),
  id              text collate "C" not null,
  webhook_id      text collate "C" not null,
  event_id        text collate "C" not null,
  event_type      text not null,
  conversation_id text collate "C",
  position        bigint not null,       -- of the event in the tenant's stream
  is_replay       boolean not null default false,
  retry_count     smallint not null default 0,  -- failures that count towards the retry schedule
  attempts        smallint not null default 0,  -- all attempts: an attempt with an older number cannot finish the delivery
  next_attempt_at timestamptz not null,
  leased_until    timestamptz,           -- an attempt has started and has no result yet
  log             jsonb not null default '[]',
  created_at      timestamptz not null,
  primary key (id, tenant_id)            -- no foreign key: every row would lock its endpoint
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);
create index webhook_queue_due on webhook_queue (webhook_id, next_attempt_at);
create index webhook_queue_order on webhook_queue (webhook_id, conversation_id, position) where conversation_id is not null;
select protect_by_tenant('webhook_queue');
select open_to_operators('webhook_queue', 'tenant_id, id, webhook_id');

-- Finished deliveries. Read endpoint by endpoint, so the primary key starts with it and saves an index.
create table webhook_deliveries (
  tenant_id       text collate "C" not null default current_tenant(),
  id              text collate "C" not null,
  webhook_id      text collate "C" not null,
  event_id        text collate "C" not null,
  event_type      text not null,
  conversation_id text collate "C",
  position        bigint not null,
  is_replay       boolean not null,
  status          text not null check (status in ('succeeded', 'exhausted', 'aborted', 'expired')),
  attempts        smallint not null,
  log             jsonb not null,
  created_at      timestamptz not null,
  finished_at     timestamptz not null default now(),
  primary key (tenant_id, webhook_id, id)
) partition by range (id);
create index on webhook_deliveries (tenant_id, webhook_id, id) where status <> 'succeeded';
create index webhook_deliveries_exhausted_by_tenant on webhook_deliveries (tenant_id, finished_at) where status = 'exhausted';
create index webhook_deliveries_exhausted on webhook_deliveries (id) where status = 'exhausted';  -- of all tenants
select protect_by_tenant('webhook_deliveries', 'select, insert');
select open_to_operators('webhook_deliveries', 'tenant_id, id, webhook_id, status');

-- A range of the log to deliver again, a page at a time.
create table webhook_replays (
  tenant_id   text collate "C" not null default current_tenant(),
  id          text collate "C" not null,
  webhook_id  text collate "C" not null,
  since       timestamptz not null,
  until       timestamptz not null,
  statuses    text[] not null,
  state       text not null default 'running' check (state in ('running', 'done', 'cancelled')),
  queued      int not null default 0,
  after_id    text collate "C" not null default '',  -- the position in the log
  created_at  timestamptz not null default now(),
  created_by  text not null,
  finished_at timestamptz,
  primary key (tenant_id, id),
  constraint webhook_exists foreign key (tenant_id, webhook_id) references webhooks on delete cascade
);
create index webhook_replays_running on webhook_replays (id desc) where state = 'running';
select protect_by_tenant('webhook_replays');
select open_to_operators('webhook_replays', 'tenant_id, id, webhook_id, state, queued, created_at');

-- Requests that cannot wait in the queue because their caller waits for the response: actions and tests, when a developer
-- listens. They live for seconds.
create table webhook_listen_calls (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  webhook_id text collate "C" not null,
  request    jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  taken_at   timestamptz,             -- given out once: the outcome of one that was taken and got no response is unknown
  answer     jsonb,
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references webhooks on delete cascade
);
create index webhook_listen_calls_open on webhook_listen_calls (tenant_id, webhook_id, created_at) where taken_at is null;
select protect_by_tenant('webhook_listen_calls');

select protect_by_binding(name, format(
  'exists (select from webhooks w where w.tenant_id = %1$I.tenant_id and w.id = %1$I.webhook_id)', name))
from unnest(array['webhook_deliveries', 'webhook_queue', 'webhook_replays', 'webhook_secrets', 'webhook_listen_calls']) as name;

insert into directory.partitioned_tables values ('webhook_deliveries', 'dlv', '1 day', '30 days');
select directory.ensure_partitions();

-- The same event and endpoint always give the same, time-ordered id, so that there is one delivery, whichever process
-- creates it.
create function webhook_delivery_id(event_id text, salt text) returns text language sql immutable as $$
  select 'dlv_' || substr(event_id, 5, 10) || 'e' || substr(hash, 1, 2) || '8' || substr(hash, 3, 12)
  from md5(event_id || salt) as hash
$$;
grant execute on function webhook_delivery_id to parley_app;

-- Queues the deliveries in the event's own transaction: a committed change is always delivered.
-- Runs as its owner, without bindings: an event of a bound key goes to every endpoint of the tenant that subscribes to it.
create function fan_out_event() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, next_attempt_at, created_at)
  select new.tenant_id, webhook_delivery_id(new.id, w.id), w.id, new.id, new.type, new.conversation_id, new.position, now(), now()
  from webhooks w
  where w.tenant_id = new.tenant_id
    and exists (select from unnest(w.event_types) as pattern where pattern in ('*', new.type)
      or (right(pattern, 2) = '.*' and starts_with(new.type, left(pattern, -1))))
    and (w.environment_id is null or new.environment_id is null or w.environment_id = new.environment_id)
    and (w.bot_ids = '{}' or new.bot_id is null or new.bot_id = any (w.bot_ids))
    and (w.readable_event_types is null or new.type = any (w.readable_event_types))
    and (w.bound_environment_id is null or new.environment_id = w.bound_environment_id)
    and (w.bound_bot_id is null or new.bot_id = w.bound_bot_id)
    and (w.bound_workspace_id is null
      or exists (select from bots b where b.tenant_id = new.tenant_id and b.id = new.bot_id and b.workspace_id = w.bound_workspace_id)
      or exists (select from environments e where e.tenant_id = new.tenant_id and e.id = new.environment_id and e.workspace_id = w.bound_workspace_id))
    -- An endpoint does not receive events about its own failures. The tenant's other endpoints do.
    and not (new.subject_id = w.id and starts_with(new.type, 'webhook.'))
  on conflict do nothing;
  return null;
end $$;
create trigger fan_out after insert on events for each row when (new.is_public) execute function fan_out_event();


-- ===== 8. Actions =====

-- An action as it is in the draft. A bot version contains a copy of all actions.
create table actions (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  id         text collate "C" not null,
  bot_id     text collate "C" not null,
  name       text not null,       -- the tool name that a model sees
  spec       json not null,       -- see actions.contract.ts; json and not jsonb, which would reorder the fields of a schema
  created_at timestamptz not null default now(),
  created_by text not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint action_name_taken unique (tenant_id, bot_id, name),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
select protect_by_tenant('actions');

-- One row for each thing that must happen once, written before anything is sent.
create table action_runs (
  tenant_id       text collate "C" not null default current_tenant() references tenants,
  id              text collate "C" not null,  -- also the Idempotency-Key of every attempt
  dedupe_key      text collate "C" not null,
  environment_id  text collate "C" not null,
  bot_id          text collate "C" not null,
  conversation_id text collate "C",           -- null: a developer's test run
  turn_id         text collate "C",
  version_id      text collate "C",
  action_id       text collate "C" not null,
  spec            json not null,              -- the action as it was when the run was created
  parent_id       text collate "C",           -- the workflow it is a step of
  step            text,
  is_compensation boolean not null default false,
  is_test         boolean not null default false,
  state           text not null check (state in ('collecting', 'awaiting_confirmation', 'proposed', 'dispatched', 'accepted',
                    'succeeded', 'failed', 'unknown', 'reconciled', 'declined', 'expired', 'cancelled')),
  outcome         text check (outcome in ('succeeded', 'failed', 'unknown')),
  reason          text,                       -- why it failed, or why the outcome is unknown
  args            jsonb not null,
  args_hash       text collate "C" not null,
  slot            text,                       -- the input the visitor was asked for last
  misses          smallint not null default 0,
  end_user        text,                       -- the person whom the tenant's backend authenticated
  language        text not null default 'en',
  confirm_by      timestamptz,
  confirmed_at    timestamptz,
  attempts        jsonb not null default '[]',
  deadline        timestamptz,                -- the tenant's system must not start after this
  complete_by     timestamptz,                -- accepted, and to be completed later
  output          jsonb,
  display         text,
  error           jsonb,
  is_awaited      boolean not null default false,  -- a turn waits for it and reports its result
  resolved_by     text,
  note            text,
  created_at      timestamptz not null default now(),
  finished_at     timestamptz,
  primary key (tenant_id, id),
  constraint run_once unique (tenant_id, dedupe_key)
);
create index on action_runs (tenant_id, conversation_id, id) where conversation_id is not null;
create index on action_runs (tenant_id, parent_id, id) where parent_id is not null;
create index on action_runs (tenant_id, action_id, id);
create index on action_runs (tenant_id, id) where state = 'unknown';
create index action_runs_tests on action_runs (created_at) where conversation_id is null;
create index action_runs_failed on action_runs (tenant_id, coalesce(finished_at, created_at)) where state in ('failed', 'unknown');
select protect_by_tenant('action_runs');
select open_to_operators('action_runs', 'tenant_id, created_at, conversation_id');

-- Runs of all tenants whose outcome a person must find out, without any of their content.
create table directory.unknown_runs (
  tenant_id text collate "C" not null,
  run_id    text collate "C" not null,
  since     timestamptz not null default now(),
  primary key (tenant_id, run_id)
);
create index on directory.unknown_runs (run_id);
create function directory.note_unknown_run(run text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into unknown_runs values (current_tenant(), run) on conflict do nothing
$$;
create function directory.delete_unknown_run(run text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from unknown_runs where tenant_id = current_tenant() and run_id = run
$$;
-- Oldest first: ids sort by age.
create function directory.list_unknown_runs(after_run text, max_rows int)
returns table (tenant_id text, run_id text, since timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.tenant_id, u.run_id, u.since from unknown_runs u where u.run_id > after_run order by u.run_id limit least(max_rows, 101)
$$;
grant execute on function directory.note_unknown_run, directory.delete_unknown_run, directory.list_unknown_runs to parley_app;

-- The keys that sign assertions about a signed-in person for their organisation's systems. Encrypted by the master key.
create table directory.assertion_keys (
  kid        text collate "C" primary key,
  encrypted  bytea not null,
  signs_from timestamptz not null
);
create function directory.read_assertion_keys() returns setof directory.assertion_keys
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select * from assertion_keys order by signs_from desc
$$;
create function directory.add_assertion_key(new_kid text, new_encrypted bytea, new_signs_from timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into assertion_keys values (new_kid, new_encrypted, new_signs_from)
  on conflict (kid) do update set encrypted = excluded.encrypted
$$;
create function directory.drop_assertion_keys(older_than timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from assertion_keys where signs_from < older_than
$$;
grant execute on function directory.read_assertion_keys, directory.add_assertion_key, directory.drop_assertion_keys to parley_app;

-- Rows of a bot, or of a bot in an environment, are visible to the bound keys that can see those.
select protect_by_binding(name, format(
  'exists (select from bots b where b.tenant_id = %1$I.tenant_id and b.id = %1$I.bot_id)', name))
from unnest(array['actions', 'bot_versions', 'knowledge_sources', 'source_days', 'unanswered_questions', 'usage_days',
  'widget_installs']) as name;
select protect_by_binding(name, format(
  'exists (select from bots b where b.tenant_id = %1$I.tenant_id and b.id = %1$I.bot_id)
   and exists (select from environments e where e.tenant_id = %1$I.tenant_id and e.id = %1$I.environment_id)', name))
from unnest(array['action_runs', 'bot_deployments', 'conversations', 'visitors']) as name;


-- ===== 9. Operations =====

-- A tenant's requests that were refused or failed, grouped by hour: enough to find them in a trace or a log, without their
-- content. Kept for a week.
create table request_errors (
  tenant_id       text collate "C" not null default current_tenant() references tenants,
  hour            timestamptz not null,
  operation       text collate "C" not null check (length(operation) <= 100),  -- the route's name, never its URL
  status          smallint not null check (status between 400 and 599),
  reason          text collate "C" not null check (length(reason) <= 100),
  count           integer not null check (count > 0),
  last_at         timestamptz not null,
  last_request_id text collate "C" not null,
  last_trace_id   text collate "C",
  last_actor_type text not null,
  last_actor_id   text collate "C",                                -- of a key, member or platform admin; never of a visitor
  primary key (tenant_id, hour, operation, status, reason)
);
create index request_errors_latest on request_errors (tenant_id, last_at);
create index request_errors_by_age on request_errors (hour);
select protect_by_tenant('request_errors');
select open_to_operators('request_errors', 'tenant_id, hour');

-- Overdue timers that the sweeper found, by kind and hour: a few rows a day, kept for eight. The kind '' counts its runs.
create table directory.sweeps (
  kind    text collate "C" not null,
  hour    timestamptz not null,
  found   bigint not null,
  last_at timestamptz not null,
  primary key (kind, hour)
);
grant select on directory.sweeps to parley_operator;
create function directory.note_sweep(kinds text[], counts int[]) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from sweeps where hour < now() - interval '8 days';
  insert into sweeps as s (kind, hour, found, last_at)
  select kind, date_trunc('hour', now()), n, now() from unnest(kinds, counts) as finds (kind, n)
  on conflict (kind, hour) do update set found = s.found + excluded.found, last_at = now()
$$;
grant execute on function directory.note_sweep to parley_app;

-- One row per rotation of the encryption keys. It records the progress, so that a worker continues from here after a crash
-- or if Restate lost its state.
create table deployment.key_rotations (
  id             text collate "C" primary key,
  status         text not null check (status in ('counting', 'encrypting', 'waiting', 'removing', 'finished', 'cancelled')),
  master_key_id  text collate "C" not null,   -- the key that encrypts everything in the end
  reason         text not null,
  started_by     text not null,
  started_at     timestamptz not null default now(),
  cursor         text collate "C" not null default '', -- the last tenant that this phase finished
  tenants_total  int not null default 0,
  tenants_done   int not null default 0,
  secrets_total  int not null default 0,
  secrets_done   int not null default 0,
  failures       int not null default 0,      -- secrets that could not be decrypted and were left unchanged
  problem        text,                        -- why it is blocked
  encrypted_at   timestamptz,                 -- processes started after this read nothing encrypted by the old key
  touched_at     timestamptz not null default now(),
  finished_at    timestamptz
);
create unique index key_rotation_runs on deployment.key_rotations ((true)) where finished_at is null;
grant select, insert, update on deployment.key_rotations to parley_app;

-- For each master key in a key management service: the key that encrypts the deployment's own secrets, wrapped by that
-- service. Never changed: another key has another id in MASTER_KEYS.
create table deployment.platform_keys (
  master_key_id text collate "C" primary key,
  wrapped       bytea not null,
  created_at    timestamptz not null default now()
);
grant select, insert on deployment.platform_keys to parley_app;

-- Announcements of platform admins to all tenants.
create table deployment.announcements (
  id         text collate "C" primary key,
  title      text not null,
  text       text not null,
  kind       text not null check (kind in ('info', 'warning', 'incident', 'maintenance')),
  plan       text,                            -- null: all plans
  starts_at  timestamptz not null,
  ends_at    timestamptz check (ends_at >= starts_at),
  created_by text not null,
  created_at timestamptz not null default now()
);
grant select, insert, update, delete on deployment.announcements to parley_app;

-- The receipt of a tenant's erasure. It can only be found by someone who knows the tenant's id.
create table directory.erasures (
  id           text collate "C" primary key,
  tenant_hash  bytea not null unique,  -- SHA-256 of the id
  requested_by text not null check (requested_by in ('owner', 'operator', 'unknown')),
  deleted_at   timestamptz not null,
  started_at   timestamptz not null default now(),
  erased_at    timestamptz,            -- null: in progress
  rows         jsonb not null default '{}',  -- how many, by table
  people       int not null default 0,       -- accounts that belonged to no other tenant
  invocations  int not null default 0,
  states       int not null default 0,
  keys         int not null default 0
);
grant select (id, tenant_hash, requested_by, deleted_at, started_at, erased_at, rows, people, invocations, states, keys)
  on directory.erasures to parley_operator;

-- Locks the tenant before reading it, because a restore holds the same lock. False if the tenant is already gone.
create function directory.lock_for_erasure() returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant constant text := current_tenant();
begin
  perform from public.tenants where tenant_id = tenant for update;
  if not found then return false; end if;
  perform from public.tenants
    where tenant_id = tenant and status = 'deleted' and directory.erased_after(deleted_at) <= now();
  if not found then raise exception 'tenant % has not been deleted for thirty days', tenant; end if;
  return true;
end $$;
revoke execute on function directory.lock_for_erasure from public;

-- Read from the catalog, so that tables added later are included.
create function directory.tables_of_tenants() returns regclass[] language sql stable as $$
  select array(
    select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'tenant_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('public'::regnamespace, 'directory'::regnamespace) order by c.oid desc)
$$;
revoke execute on function directory.tables_of_tenants from public;

-- Erases people who belong to no other tenant. For all others, removes every reference to this tenant.
create function directory.erase_people_of_tenant(tenant text) returns int
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  gone constant text[] := array(
    select u.user_id from users u join user_tenants t using (user_id)
    where t.tenant_id = tenant and u.pool = 'customer'
      and not exists (select from user_tenants o where o.user_id = u.user_id and o.tenant_id <> tenant));
  own  text;
begin
  delete from emails where data ->> 'tenantId' = tenant or data ->> 'userId' = any (gone);
  delete from user_tenants where tenant_id = tenant;
  foreach own in array array['customer_pool', 'admin_pool'] loop
    execute format('update %I.sessions set tenant_id = null, ended_at = coalesce(ended_at, now()) where tenant_id = $1', own)
      using tenant;
    execute format('update %I.accounts set last_tenant_id = null where last_tenant_id = $1', own) using tenant;
    execute format('delete from %I.oidc_items where user_id = any ($2) or payload::text like ''%%'' || $1 || ''%%''', own)
      using tenant, gone;
    execute format('delete from %I.one_time_tokens where user_id = any ($2) or data::text like ''%%'' || $1 || ''%%''', own)
      using tenant, gone;
    -- Pool audit entries keep the action until retention, without the tenant.
    execute format('update %I.audit_entries set data = replace(data::text, $1, ''erased'')::jsonb
      where data::text like ''%%'' || $1 || ''%%''', own) using tenant;
  end loop;
  update customer_pool.audit_entries set ip = null, data = '{}' where user_id = any (gone);
  delete from customer_pool.sessions where user_id = any (gone);
  delete from customer_pool.accounts where user_id = any (gone);
  delete from identities where user_id = any (gone);
  delete from users where user_id = any (gone);
  return cardinality(gone);
end $$;
revoke execute on function directory.erase_people_of_tenant from public;

-- Erases the current tenant's rows, if thirty days have passed, except the tenant's own row and its erasure timer, which
-- stay until nothing is left outside the database. A large tenant takes several calls, because each one is bounded.
-- Returns whether all other rows are gone.
create function directory.erase_rows(new_id text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant  constant text := current_tenant();
  hash    constant bytea := sha256(convert_to(tenant, 'UTF8'));
  tables  constant regclass[] := directory.tables_of_tenants();
  -- Last, because people are found through them.
  people  constant regclass[] := '{directory.user_tenants,directory.tenants}';
  kept    constant regclass[] := '{public.tenants,directory.timers}';
  waiting regclass[] := array(select t from unnest(tables) with ordinality as u (t, n) where t <> all (people || kept) order by n);
  blocked regclass[];
  name    regclass;
  counts  jsonb;
  batch   int := 10000;
  room    int := 50000;
  n       int;
begin
  if not directory.lock_for_erasure() then return true; end if;
  insert into directory.erasures (id, tenant_hash, requested_by, deleted_at)
    select new_id, hash, case by.actor_type when 'user' then 'owner' when 'operator' then 'operator' else 'unknown' end, deleted_at
    from public.tenants left join lateral (
      select a.actor_type from audit_entries a
      where a.tenant_id = tenant and a.subject_id = tenant and a.action = 'tenant.deleted' order by a.id desc limit 1) as by on true
    where tenant_id = tenant
    on conflict do nothing;
  select e.rows into counts from directory.erasures e where tenant_hash = hash;

  delete from directory.timers where tenant_id = tenant and kind <> 'tenant-erasure';
  set constraints all immediate;
  -- A referenced table waits for the tables that reference it. Each round empties at least one.
  <<rounds>>
  while waiting <> '{}' loop
    blocked := '{}';
    foreach name in array waiting loop
      loop
        begin
          -- A ctid is unique only within a partition, so this may match more rows, but only of this tenant.
          execute format('delete from %1$s where tenant_id = $1
            and ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', name) using tenant, batch;
          get diagnostics n = row_count;
        exception when foreign_key_violation or restrict_violation then
          blocked := blocked || name;
          exit;
        end;
        exit when n = 0;
        counts := jsonb_set(counts, array[name::text], to_jsonb(coalesce((counts ->> name::text)::int, 0) + n));
        room := room - n;
        exit rounds when room <= 0;
      end loop;
    end loop;
    if blocked = waiting then
      if batch is null then raise exception 'rows of tenant % remain in %', tenant, blocked; end if;
      batch := null;  -- rows that reference their own table must be deleted together
    end if;
    waiting := blocked;
  end loop;
  update directory.erasures e set rows = counts where tenant_hash = hash;
  if room <= 0 then return false; end if;

  n := directory.erase_people_of_tenant(tenant);
  update directory.erasures e set people = e.people + n where tenant_hash = hash;
  delete from directory.tenants where tenant_id = tenant;
  foreach name in array tables loop
    continue when name = any (kept);
    execute format('select 1 from %s where tenant_id = $1 limit 1', name) using tenant;
    get diagnostics n = row_count;
    if n > 0 then raise exception 'rows of tenant % remain in %', tenant, name; end if;
  end loop;
  return true;
end $$;

-- Adds what was deleted outside the database to the receipt.
create function directory.note_erased(more_invocations int, more_states int, more_keys int) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update erasures e set invocations = e.invocations + more_invocations, states = e.states + more_states, keys = e.keys + more_keys
  where tenant_hash = sha256(convert_to(current_tenant(), 'UTF8')) and erased_at is null
$$;

-- Deletes the tenant's own row and the timer, and completes the receipt. Null if that was done before.
create function directory.finish_erasure() returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant  constant text := current_tenant();
  name    regclass;
  n       int;
  receipt text;
begin
  if not directory.lock_for_erasure() then
    delete from directory.timers where tenant_id = tenant;
    return null;
  end if;
  foreach name in array directory.tables_of_tenants() loop
    continue when name in ('public.tenants'::regclass, 'directory.timers'::regclass);
    execute format('select 1 from %s where tenant_id = $1 limit 1', name) using tenant;
    get diagnostics n = row_count;
    if n > 0 then raise exception 'rows of tenant % remain in %', tenant, name; end if;
  end loop;
  delete from directory.timers where tenant_id = tenant;
  delete from public.tenants where tenant_id = tenant;
  update directory.erasures set erased_at = clock_timestamp()
    where tenant_hash = sha256(convert_to(tenant, 'UTF8')) returning id into receipt;
  return receipt;
end $$;
create function directory.purge_erasures() returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from erasures where erased_at < now() - interval '10 years'
$$;
grant execute on function directory.erase_rows, directory.note_erased, directory.finish_erasure, directory.purge_erasures
  to parley_app;

select grant_to_bound_keys();
