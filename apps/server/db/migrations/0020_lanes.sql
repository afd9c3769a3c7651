-- Delivery lanes: docs/adr/0071-lanes.md
do $$ begin
  if to_regrole('parley_dispatcher') is null then
    raise exception 'A role is missing: run apps/server/db/roles.sql as a superuser, then migrate again.';
  end if;
end $$;

-- The worker that has started an attempt. If it is gone, the delivery can be claimed before `leased_until`.
alter table webhook_queue add column claimed_by bigint;

-- Increases with each change of an endpoint, so that workers know when to read it again.
alter table webhooks add column revision int not null default 0;
create function note_webhook_change() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
create trigger note_change before update on webhooks for each row execute function note_webhook_change();
create function note_webhook_secret() returns trigger language plpgsql as $$
begin
  update webhooks set revision = revision + 1 where tenant_id = new.tenant_id and id = new.webhook_id;
  return null;
end $$;
create trigger note_change after insert or update of not_after on webhook_secrets
  for each row execute function note_webhook_secret();

-- The input of the circuit breaker (health.ts). It changes with every delivery, so it is narrow, has room for new versions of
-- each row in its page, and no index on a column that changes.
create table webhook_health (
  tenant_id           text collate "C" not null default current_tenant(),
  webhook_id          text collate "C" not null,
  health              jsonb not null default '{}',
  revision            int not null default 0,  -- a change that was computed from an older one is not written
  last_success_at     timestamptz,
  last_failure_at     timestamptz,
  last_failure_status int,                     -- null: no response
  primary key (tenant_id, webhook_id),
  constraint webhook_exists foreign key (tenant_id, webhook_id) references webhooks on delete cascade
) with (fillfactor = 50);
select protect_by_tenant('webhook_health');
select protect_by_binding('webhook_health',
  'exists (select from webhooks w where w.tenant_id = webhook_health.tenant_id and w.id = webhook_health.webhook_id)');

-- Each endpoint has one of 4,096 slots. A lane is a range of slots. The same as `slotOf` in lanes.ts.
create function webhook_slot(webhook_id text) returns int language sql immutable parallel safe
  as $$ select ('x' || left(md5(webhook_id), 3))::bit(12)::int $$;
grant execute on function webhook_slot to parley_app, parley_operator;

-- Workers that deliver. One that has not renewed its row in time loses it, and comes back with another id.
create sequence directory.webhook_worker_ids;
create table directory.webhook_workers (
  id         bigint primary key,
  live_until timestamptz not null,
  is_leaving boolean not null default false  -- takes no more lanes
) with (fillfactor = 50);
create table directory.webhook_lanes (
  lane_count int not null,
  lane       int not null,
  owner      bigint,  -- of directory.webhook_workers; without a row there, the lane is free
  primary key (lane_count, lane)
);

-- Renews the worker, gives lanes back, and takes free ones up to a fair share. Returns its lanes, or no row if it was not
-- renewed in time. A worker that gives back all lanes sets `is_leaving` first. Workers that are gone are deleted, unless a
-- transaction of such a worker is still running (`hold_webhook_lanes`): then at the next time.
create function directory.renew_webhook_worker(worker bigint, count_of_lanes int, lease_seconds real, leaving boolean, given int[])
returns table (lane int, share int)
language plpgsql security definer set search_path = directory, pg_temp as $$
declare
  fair int;
  mine int;
begin
  update webhook_workers w set live_until = clock_timestamp() + make_interval(secs => lease_seconds), is_leaving = leaving
    where w.id = worker and w.live_until > clock_timestamp();
  if not found then return; end if;
  if given <> '{}' then
    update webhook_lanes l set owner = null where l.lane_count = count_of_lanes and l.lane = any (given) and l.owner = worker;
  end if;
  delete from webhook_workers w where w.id = any (array(
    select d.id from webhook_workers d where d.live_until <= clock_timestamp() for update skip locked));
  select ceil(count_of_lanes::numeric / greatest(1, count(*))) into fair
    from webhook_workers w where w.live_until > clock_timestamp() and not w.is_leaving;
  select count(*) into mine from webhook_lanes l where l.lane_count = count_of_lanes and l.owner = worker;
  if mine < fair and not leaving then
    update webhook_lanes l set owner = worker where l.lane_count = count_of_lanes and l.lane = any (array(
      select f.lane from webhook_lanes f where f.lane_count = count_of_lanes
        and not exists (select from webhook_workers w where w.id = f.owner)
      order by random() limit fair - mine for update skip locked));
  end if;
  return query select l.lane, fair from (select) as always
    left join webhook_lanes l on l.lane_count = count_of_lanes and l.owner = worker;
end $$;

create function directory.webhook_worker_is_live(worker bigint) returns boolean
language sql stable security definer set search_path = directory, pg_temp as $$
  select exists (select from webhook_workers where id = worker and live_until > clock_timestamp())
$$;

-- Registers a worker, and returns its id.
create function directory.add_webhook_worker(count_of_lanes int, lease_seconds real) returns bigint
language plpgsql security definer set search_path = directory, pg_temp as $$
declare
  worker bigint := nextval('webhook_worker_ids');
begin
  insert into webhook_lanes (lane_count, lane) select count_of_lanes, n from generate_series(0, count_of_lanes - 1) as n
    on conflict do nothing;
  delete from webhook_lanes where lane_count <> count_of_lanes and not webhook_worker_is_live(owner);
  insert into webhook_workers values (worker, clock_timestamp() + make_interval(secs => lease_seconds));
  return worker;
end $$;

-- Fails unless the worker owns these lanes. No one can take them until the end of the transaction, because that deletes the
-- worker's row first. Renewing does not wait for it.
create function directory.hold_webhook_lanes(worker bigint, count_of_lanes int, held int[]) returns void
language plpgsql security definer set search_path = directory, pg_temp as $$
declare
  n int;
begin
  perform from webhook_workers w where w.id = worker for key share;
  if found then
    select count(*) into n from webhook_lanes l
      where l.lane_count = count_of_lanes and l.lane = any (held) and l.owner = worker;
  end if;
  if n is distinct from cardinality(held) then
    raise exception 'another worker owns the lane' using errcode = 'PL001';
  end if;
end $$;

grant execute on function directory.renew_webhook_worker, directory.add_webhook_worker, directory.webhook_worker_is_live,
  directory.hold_webhook_lanes to parley_app;

-- Workers deliver for many tenants in one transaction, as `parley_dispatcher`. It sees only the tenants that the transaction
-- names, and only the columns granted here: no secret, no URL, no message but the body that is sent.
create function open_to_dispatcher(name regclass) returns void language plpgsql as $$
begin
  execute format($p$create policy dispatcher on %s to parley_dispatcher
    using (tenant_id in (select unnest(string_to_array(current_setting('app.tenant_ids', true), ','))))
    with check (tenant_id in (select unnest(string_to_array(current_setting('app.tenant_ids', true), ','))))$p$, name);
end $$;
select open_to_dispatcher(name::regclass)
from unnest(array['tenants', 'webhooks', 'webhook_health', 'webhook_queue', 'webhook_deliveries', 'events']) as name;
grant usage on schema public, directory, deployment to parley_dispatcher;
grant execute on function current_tenant, directory.webhook_worker_is_live, directory.hold_webhook_lanes to parley_dispatcher;
grant select on deployment.restores to parley_dispatcher;
grant select (tenant_id, status) on tenants to parley_dispatcher;
grant select (tenant_id, id, status, disabled_reason, rate_limit, ordering, auto_recover, revision) on webhooks to parley_dispatcher;
grant select, insert (tenant_id, webhook_id, health, revision, last_success_at, last_failure_at, last_failure_status),
  update (health, revision, last_success_at, last_failure_at, last_failure_status) on webhook_health to parley_dispatcher;
grant select, update (attempts, retry_count, next_attempt_at, leased_until, claimed_by, log), delete on webhook_queue
  to parley_dispatcher;
grant insert (tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, is_replay, status, attempts, log,
  created_at) on webhook_deliveries to parley_dispatcher;
grant select (tenant_id, id, body, environment_id, traceparent) on events to parley_dispatcher;

-- Finds the endpoints of a lane that have something due (lanes.cross-tenant.ts).
grant select (next_attempt_at) on webhook_queue to parley_operator;
-- Shows lanes without a worker.
grant select on directory.webhook_lanes, directory.webhook_workers to parley_operator;

-- The same as before, and it notes which endpoints have something new, so that their workers can be notified after the commit.
create or replace function fan_out_event() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  known text := current_setting('app.woken_webhooks', true);
  woken text;
begin
  with queued as (
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
    on conflict do nothing returning webhook_id
  )
  select string_agg(webhook_id, ',' order by webhook_id) into woken from queued;
  if woken is not null and woken is distinct from known then
    if known <> '' then
      select string_agg(distinct id, ',' order by id) into woken from unnest(string_to_array(known || ',' || woken, ',')) as id;
    end if;
    perform set_config('app.woken_webhooks', woken, true);
  end if;
  return null;
end $$;
select grant_to_bound_keys();
