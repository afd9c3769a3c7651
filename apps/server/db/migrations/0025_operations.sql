-- What an operator looks at when something is late: what waits across tenants, what the sweeper found, who ran out.

-- When work is due, and for whom: no word of what it is about.
grant select (kind, tenant_id, subject_id, due_at) on directory.timers to parley_operator;
grant select (tenant_id, last_position, delivered_position, leased_until, failures, oldest_at) on directory.event_streams to parley_operator;

-- Syncs that run or failed, and replays that run: a few among many, so only these are in the index.
select open_to_operators('knowledge_sources', 'tenant_id, id, bot_id, kind, name, state, done, total, error, last_synced_at, created_at');
create index knowledge_sources_unhealthy on knowledge_sources (id desc) where state <> 'ready';
select open_to_operators('webhook_replays', 'tenant_id, id, webhook_id, state, queued, created_at');
create index webhook_replays_running on webhook_replays (id desc) where state = 'running';

-- How much of a budget was reached when it was last told, in percent: set by whoever crosses the mark, so that those who
-- come near their limit are found without reading everybody's.
alter table budgets add column reached smallint not null default 0;
create index budgets_reached on budgets (period, tenant_id, name) where reached > 0;
select open_to_operators('budgets', 'tenant_id, name, period, used, reserved, reached');
select open_to_operators('entitlement_overrides', 'tenant_id, name, value');

-- What the sweeper had to step in for, by kind and hour: a few rows a day, kept for eight. The kind '' counts its rounds.
create table directory.sweeps (
  kind    text not null,
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

-- Emails that were given up, for an operator: of the address only what tells one from another, also in the reason, where
-- mail servers repeat it. What the email says is not in it.
create index emails_failed on directory.emails (id) where failed_at is not null;
create function directory.redact_emails(message text) returns text language sql immutable as $$
  select regexp_replace(message, '([[:alnum:]])[^[:space:]@<>()"'']*@([^[:space:]@<>()"'',;]+)', '\1…@\2', 'g')
$$;
create function directory.failed_emails(before text, max_rows int)
returns table (id text, kind text, recipient text, tenant_id text, attempts int, error text, failed_at timestamptz)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select l.id, l.kind, redact_emails(l.recipient), l.data ->> 'tenantId', l.attempts, redact_emails(l.error), l.failed_at
  from emails l where l.failed_at is not null and (before is null or l.id < before) order by l.id desc limit least(max_rows, 101)
$$;
-- From the start: as many attempts as a new one has.
create function directory.retry_email(which text) returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with again as (
    update emails set failed_at = null, error = null, attempts = 0, due_at = now()
    where id = which and failed_at is not null returning 1)
  select exists (select from again)
$$;
-- How many emails wait that should have gone, up to so many, and since when.
create function directory.email_queue(max_rows int) returns table (waiting int, oldest_seconds float8, failed int)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select (select count(*)::int from (select from emails l where l.failed_at is null and l.due_at < now() limit max_rows) as due),
    coalesce((select extract(epoch from now() - min(w.created_at)) from
      (select l.created_at from emails l where l.failed_at is null order by l.due_at limit max_rows) as w), 0)::float8,
    (select count(*)::int from (select from emails l where l.failed_at is not null limit max_rows) as lost)
$$;
grant execute on function directory.note_sweep, directory.failed_emails, directory.retry_email, directory.email_queue
  to parley_app;
