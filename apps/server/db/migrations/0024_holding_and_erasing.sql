-- A tenant that is suspended or deleted is held: nothing is begun for it. And what is erased leaves a receipt, and no more.

-- For those who look through all tenants at once. The tenant's own row says the same behind its wall.
alter table directory.tenants add column is_active boolean not null default true;
create function directory.note_tenant_status() returns trigger
language plpgsql security definer set search_path = directory, public, pg_temp as $$
begin
  update directory.tenants set is_active = (new.status = 'active') where tenant_id = new.tenant_id;
  return null;
end $$;
revoke execute on function directory.note_tenant_status from public;
create trigger note_status after update on tenants
  for each row when (old.status is distinct from new.status) execute function directory.note_tenant_status();
-- Seen by nobody but the tenant itself, as a rule.
alter table tenants no force row level security;
update directory.tenants d set is_active = false from tenants t where t.tenant_id = d.tenant_id and t.status <> 'active';
alter table tenants force row level security;

-- What waits for a tenant that is held does so until it goes on: only its erasure comes meanwhile.
create or replace function directory.overdue_timers(seconds int, max_rows int)
returns table (kind text, tenant_id text, subject_id text, due_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select t.kind, t.tenant_id, t.subject_id, t.due_at from timers t
  where t.due_at < clock_timestamp() - make_interval(secs => seconds)
    and (t.kind = 'tenant-erasure'
      or not exists (select from directory.tenants d where d.tenant_id = t.tenant_id and not d.is_active))
  order by t.due_at limit least(max_rows, 1000)
$$;

-- What the transaction's tenant has due now or within minutes, a page at a time: called for when the tenant goes on.
create function directory.timers_of_tenant(kinds text[], last_kind text, last_subject text, max_rows int)
returns table (kind text, tenant_id text, subject_id text, due_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select t.kind, t.tenant_id, t.subject_id, t.due_at from timers t
  where t.kind = any (kinds) and t.tenant_id = current_tenant() and (t.kind, t.subject_id) > (last_kind, last_subject)
    and t.due_at < clock_timestamp() + interval '6 minutes'
  order by t.kind, t.subject_id limit least(max_rows, 1000)
$$;
grant execute on function directory.timers_of_tenant to parley_app;

-- That a tenant was erased, for whoever is asked about it in years: found by somebody who knows its id, and by nobody else.
create table directory.erasures (
  id           text collate "C" primary key,
  tenant_hash  bytea not null unique,  -- SHA-256 of the id
  requested_by text not null check (requested_by in ('owner', 'operator', 'unknown')),
  deleted_at   timestamptz not null,
  began_at     timestamptz not null default now(),
  erased_at    timestamptz,            -- none: under way
  rows         jsonb not null default '{}',  -- how many, by table
  people       int not null default 0,       -- accounts that belonged to no other tenant
  invocations  int not null default 0,
  states       int not null default 0,
  keys         int not null default 0
);
grant select (id, tenant_hash, requested_by, deleted_at, began_at, erased_at, rows, people, invocations, states, keys)
  on directory.erasures to parley_operator;

-- Locked first and read then: whoever restores it holds this row. False if it is gone already.
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

-- What is a tenant's stands in the catalog, so that a table that is added later is covered.
create function directory.tables_of_tenants() returns regclass[] language sql stable as $$
  select array(
    select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'tenant_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('public'::regnamespace, 'directory'::regnamespace) order by c.oid desc)
$$;
revoke execute on function directory.tables_of_tenants from public;

-- People who belong to no other tenant go with the last one they had; of others, what names this one.
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
    -- That something was done stays in the log for its time; to which tenant, does not.
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

-- Erases the rows of the transaction's tenant, if its time has come, all but the one that says that it is deleted and the
-- timer that calls again: they stay until nothing is left elsewhere. A big tenant takes several calls, as none may run for
-- long; it says whether all others are gone.
create function directory.erase_rows(new_id text) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant  constant text := current_tenant();
  hash    constant bytea := sha256(convert_to(tenant, 'UTF8'));
  tables  constant regclass[] := directory.tables_of_tenants();
  -- Last: people are found by them.
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
  -- A table that others refer to waits for them: each round frees at least one, or it is the last.
  <<rounds>>
  while waiting <> '{}' loop
    blocked := '{}';
    foreach name in array waiting loop
      loop
        begin
          -- A row's place is its own only within a partition. What is met twice is this tenant's all the same.
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
      batch := null;  -- rows that refer to rows of their own table can only go all at once
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

-- What was found elsewhere, and is gone.
create function directory.note_erased(more_invocations int, more_states int, more_keys int) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update erasures e set invocations = e.invocations + more_invocations, states = e.states + more_states, keys = e.keys + more_keys
  where tenant_hash = sha256(convert_to(current_tenant(), 'UTF8')) and erased_at is null
$$;

-- The end of it: the last row, the timer, and the receipt. Null if it was over before.
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

-- A server that knows nothing of receipts leaves erasing to one that does.
create or replace function directory.erase_tenant() returns boolean language sql security invoker set search_path = public
  as $$ select false $$;
