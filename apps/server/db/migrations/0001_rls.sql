-- The walls everything else stands between.
--   public     a tenant's rows, each table fenced by row-level security
--   directory  what must be found before a tenant is known, reached only through the functions granted below

revoke all on schema public from public;
grant usage on schema public to parley_app;
create schema directory;
grant usage on schema directory to parley_app;
-- A new function is open to everybody unless this is said. Each one that the server may call is granted by name.
alter default privileges revoke execute on functions from public;

-- No tenant set, or set to nothing (what a pooled connection has after its transaction): null, which matches no row.
create function current_tenant() returns text language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '') $$;
grant execute on function current_tenant to parley_app;

-- Every tenant table calls this once, in the migration that creates it.
-- An append-only table passes 'select, insert'. A partition passes '': nobody reaches it past its parent.
create function protect_by_tenant(name regclass, privileges text default 'select, insert, update, delete')
returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format($p$create policy tenant on %s
    using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()))$p$, name);
  if privileges <> '' then execute format('grant %s on %s to parley_app', privileges, name); end if;
end $$;

-- Time-partitioned tables are split by id: a TypeID begins with its time, so the key stays (tenant_id, id),
-- a look-up by id touches one partition, and retention drops whole ones.
create table directory.partitioned_tables (
  name      text primary key,
  id_prefix text not null,
  every     interval not null check (every in ('1 day', '1 month')),
  keep      interval not null
);

-- The smallest TypeID of a moment: ten characters of base32 hold the 48 bits of milliseconds.
create function directory.first_id(prefix text, moment timestamptz) returns text language sql immutable as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (45 - 5 * place)) & 31)::int + 1, 1), '' order by place)
  from (select floor(extract(epoch from moment) * 1000)::bigint as ms) as time, generate_series(0, 9) as place
$$;

create function directory.add_partition(parent directory.partitioned_tables, period timestamptz)
returns boolean language plpgsql set search_path = public, pg_temp as $$
declare
  child text := format('%s_p%s', parent.name, to_char(period at time zone 'UTC', 'YYYYMMDD'));
begin
  if to_regclass(child) is not null then return false; end if;
  -- Made apart and then attached: that lock lets readers and writers of the parent go on.
  execute format('create table %I (like %I including defaults including constraints)', child, parent.name);
  perform protect_by_tenant(child::regclass, '');
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent.name, child,
    directory.first_id(parent.id_prefix, period), directory.first_id(parent.id_prefix, period + parent.every));
  return true;
end $$;

-- Run by every worker each hour, and safe to run at any time by any number of them.
create function directory.ensure_partitions() returns int
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '3s' as $$
declare
  parent directory.partitioned_tables;
  unit text;
  made int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('directory.partitions'));
  for parent in select * from directory.partitioned_tables loop
    unit := case when parent.every = '1 day' then 'day' else 'month' end;
    for step in -1 .. (case unit when 'day' then 14 else 3 end) loop
      if directory.add_partition(parent, date_trunc(unit, now()) + step * parent.every) then made := made + 1; end if;
    end loop;
  end loop;
  return made;
end $$;
grant execute on function directory.ensure_partitions to parley_app;

-- Drops partitions that ended longer ago than their table keeps. What to keep is in the table, not in the call:
-- the server cannot ask for more to be dropped.
create function directory.drop_expired_partitions() returns int
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '3s' as $$
declare
  old record;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('directory.partitions'));
  for old in
    select child.oid::regclass as child, parent.name as parent
    from directory.partitioned_tables parent
    join pg_inherits on inhparent = parent.name::regclass
    join pg_class child on child.oid = inhrelid
    where to_date(right(child.relname, 8), 'YYYYMMDD') + parent.every < now() - parent.keep
  loop
    execute format('alter table %I detach partition %s', old.parent, old.child);
    execute format('drop table %s', old.child);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
grant execute on function directory.drop_expired_partitions to parley_app;

-- How many days of partitions still lie ahead, of the table that has fewest: an alarm long before inserts fail.
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
