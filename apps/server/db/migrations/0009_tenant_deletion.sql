-- A deleted tenant is shut at once and erased thirty days later; until then it can be restored.
alter table tenants add column deleted_at timestamptz;
alter table tenants drop constraint tenants_status_check,
  add constraint tenants_status_check check (status in ('active', 'suspended', 'deleted'));

-- When is said here and not by the server: it cannot put the day of a deletion back and so erase before the time.
create function set_tenant_deleted_at() returns trigger language plpgsql as $$
begin
  new.deleted_at := case when new.status <> 'deleted' then null when old.status = 'deleted' then old.deleted_at else now() end;
  return new;
end $$;
create trigger set_deleted_at before insert or update on tenants
  for each row execute function set_tenant_deleted_at();

-- Hours, which are as long in a week in which the clocks are changed.
create function directory.erased_after(deleted_at timestamptz) returns timestamptz language sql stable
  as $$ select deleted_at + interval '720 hours' $$;

-- Erases the transaction's tenant, if its time has come. What is a tenant's stands in the catalog, so that a table that
-- is added later is covered. A big tenant takes several calls, as none may run for long; it says whether all is gone.
create function directory.erase_tenant() returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant  constant text := current_tenant();
  tables  constant regclass[] := array(
    select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'tenant_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('public'::regnamespace, 'directory'::regnamespace) order by c.oid desc);
  -- Last, with the end of it: the first allows this, the second calls again for it.
  waiting regclass[] := array_remove(array_remove(tables, 'public.tenants'), 'directory.timers');
  blocked regclass[];
  name    regclass;
  batch   int := 10000;
  room    int := 50000;
  n       int;
begin
  -- Locked first and read then: whoever restores it holds this row.
  perform from public.tenants where tenant_id = tenant for update;
  if not found then return true; end if;
  perform from public.tenants
    where tenant_id = tenant and status = 'deleted' and directory.erased_after(deleted_at) <= now();
  if not found then raise exception 'tenant % has not been deleted for thirty days', tenant; end if;

  set constraints all immediate;
  -- A table that others refer to waits for them: each round frees at least one, or it is the last.
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
        room := room - n;
        if room <= 0 then return false; end if;
      end loop;
    end loop;
    if blocked = waiting then
      if batch is null then raise exception 'rows of tenant % remain in %', tenant, blocked; end if;
      batch := null;  -- rows that refer to rows of their own table can only go all at once
    end if;
    waiting := blocked;
  end loop;

  delete from directory.emails where data ->> 'tenantId' = tenant;
  update customer_pool.sessions set ended_at = now() where tenant_id = tenant and ended_at is null;
  delete from directory.timers where tenant_id = tenant;
  delete from public.tenants where tenant_id = tenant;
  foreach name in array tables loop
    execute format('select 1 from %s where tenant_id = $1 limit 1', name) using tenant;
    get diagnostics n = row_count;
    if n > 0 then raise exception 'rows of tenant % remain in %', tenant, name; end if;
  end loop;
  return true;
end $$;
grant execute on function directory.erased_after, directory.erase_tenant to parley_app;
