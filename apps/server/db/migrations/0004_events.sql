-- What happened, in the words that are sent to whoever asked to be told: `body` is kept as it was signed.
create table events (
  tenant_id       text not null default current_tenant(),
  id              text collate "C" not null,
  position        bigint not null,  -- dense per tenant, in the order of the commits
  type            text not null,
  is_public       boolean not null, -- false: for our own workflows and the audit log only
  environment_id  text,
  bot_id          text,
  conversation_id text,
  subject_id      text not null,
  traceparent     text,
  body            text not null,
  created_at      timestamptz not null,
  primary key (tenant_id, id)
) partition by range (id);
create index on events (tenant_id, position);
select protect_by_tenant('events', 'select, insert');

-- Who did what. Written with the event it comes from, kept longer, never changed.
create table audit_entries (
  tenant_id  text not null default current_tenant(),
  id         text collate "C" not null,
  event_id   text not null,
  action     text not null,
  subject_id text not null,
  actor_type text not null,
  actor_id   text not null,
  request_id text,
  data       jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
) partition by range (id);
create index on audit_entries (tenant_id, subject_id, id);
select protect_by_tenant('audit_entries', 'select, insert');

insert into directory.partitioned_tables values
  ('events', 'evt', '1 day', '30 days'), ('audit_entries', 'aud', '1 month', '400 days');
select directory.ensure_partitions();

-- One row a tenant: how far its events go and how far they were handed on.
-- Taking the next position locks the row until the commit, so positions and commits have one order, and a reader
-- that has seen position n can never be overtaken by a smaller one that commits later.
create table directory.event_streams (
  tenant_id    text primary key,
  last_position bigint not null,
  delivered_position    bigint not null default 0,
  leased_by    text,
  leased_until timestamptz not null default '-infinity',
  failures     int not null default 0,
  oldest_at    timestamptz not null default now()  -- when the oldest event not yet handed on was written, or later
) with (fillfactor = 70);
create index event_streams_waiting on directory.event_streams (leased_until) where delivered_position < last_position;

create function directory.next_event_position() returns bigint
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into event_streams as stream (tenant_id, last_position) values (current_tenant(), 1)
  on conflict (tenant_id) do update set last_position = stream.last_position + 1,
    oldest_at = case when stream.delivered_position = stream.last_position then now() else stream.oldest_at end
  returning last_position
$$;

-- A lease, not a lock: handing on talks to the network, and a lock would stop the tenant's writers meanwhile.
create function directory.lease_event_streams(relay text, seconds int, max_rows int)
returns table (tenant_id text, delivered_position bigint, failures int)
language sql security definer set search_path = directory, public, pg_temp as $$
  update event_streams s set leased_by = relay, leased_until = clock_timestamp() + make_interval(secs => seconds)
  where s.tenant_id in (
    select w.tenant_id from event_streams w
    where w.delivered_position < w.last_position and w.leased_until < clock_timestamp()
    order by w.leased_until limit least(max_rows, 500) for update skip locked)
  returning s.tenant_id, s.delivered_position, s.failures
$$;

-- False when the lease has passed to another relay, which will hand on from where this one last recorded.
create function directory.ack_event_stream(tenant text, relay text, new_position bigint, seconds int) returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with advanced as (
    update event_streams set delivered_position = new_position,
      failures = case when delivered_position < new_position then 0 else failures end,
      oldest_at = case when delivered_position < new_position then now() else oldest_at end,
      leased_until = case when seconds = 0 then '-infinity' else clock_timestamp() + make_interval(secs => seconds) end
    where tenant_id = tenant and leased_by = relay and leased_until >= clock_timestamp() and delivered_position <= new_position
    returning 1)
  select exists (select from advanced)
$$;

create function directory.defer_event_stream(tenant text, relay text, seconds double precision) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update event_streams set failures = failures + 1, leased_until = clock_timestamp() + make_interval(secs => seconds)
  where tenant_id = tenant and leased_by = relay
$$;

create function directory.event_stream_lag() returns table (waiting bigint, oldest_seconds double precision)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select count(*), coalesce(extract(epoch from clock_timestamp() - min(oldest_at)), 0)::double precision
  from event_streams where delivered_position < last_position
$$;
grant execute on function directory.next_event_position, directory.lease_event_streams, directory.ack_event_stream,
  directory.defer_event_stream, directory.event_stream_lag to parley_app;

-- What must happen at a time, whatever becomes of the engine that was asked to do it. The row is written with the
-- change that wants it, and goes when the work is done; the sweeper calls again for what is overdue.
create table directory.timers (
  kind       text not null,
  tenant_id  text not null,
  subject_id text not null,
  due_at     timestamptz not null,
  primary key (kind, tenant_id, subject_id)
);
create index on directory.timers (due_at);

create function directory.set_timer(timer_kind text, subject text, due timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into timers values (timer_kind, current_tenant(), subject, due)
  on conflict (kind, tenant_id, subject_id) do update set due_at = excluded.due_at
$$;
-- Says whether it was still there: of two that come to do the work, one finds it gone.
create function directory.clear_timer(timer_kind text, subject text) returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with cleared as (
    delete from timers where kind = timer_kind and tenant_id = current_tenant() and subject_id = subject returning 1)
  select exists (select from cleared)
$$;
create function directory.overdue_timers(seconds int, max_rows int)
returns table (kind text, tenant_id text, subject_id text, due_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select t.kind, t.tenant_id, t.subject_id, t.due_at from timers t
  where t.due_at < clock_timestamp() - make_interval(secs => seconds) order by t.due_at limit least(max_rows, 1000)
$$;
grant execute on function directory.set_timer, directory.clear_timer, directory.overdue_timers to parley_app;
grant execute on function directory.first_id to parley_app;
