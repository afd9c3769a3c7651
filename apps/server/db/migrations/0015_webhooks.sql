-- Where a tenant wants to be told what happens. How it does is kept beside it, and changed by the one that delivers to it.
create table webhooks (
  tenant_id        text not null default current_tenant() references tenants,
  id               text not null,
  url              text not null check (length(url) <= 2048),
  description      text not null default '' check (length(description) <= 200),
  event_types      text[] not null check (cardinality(event_types) between 1 and 100),
  environment_id   text,                                -- null: of every environment
  bot_ids          text[] not null default '{}',        -- empty: of every bot
  headers          bytea,                               -- encrypted: they may hold keys of the tenant's own
  rate_limit       int not null,
  ordering         text not null check (ordering in ('none', 'conversation')),
  auto_recover     boolean not null default true,
  inbound_secret   bytea,                               -- encrypted; null until it is asked for
  status           text not null default 'active' check (status in ('active', 'failing', 'broken', 'disabled', 'paused')),
  disabled_reason  text check (disabled_reason in ('failures', 'gone', 'receiver')),
  health           jsonb not null default '{}',         -- what the judgement rests on: see health.ts
  last_success_at  timestamptz,
  last_failure_at  timestamptz,
  awake_until      timestamptz not null default '-infinity', -- somebody delivers, or was just asked to
  created_at       timestamptz not null default now(),
  created_by       text not null,
  primary key (tenant_id, id),
  constraint environment_exists foreign key (tenant_id, environment_id) references environments
);
select protect_by_tenant('webhooks');

-- Two at most are good at any moment: the newest, and the one before it until its end.
create table webhook_secrets (
  tenant_id  text not null default current_tenant(),
  webhook_id text not null,
  version    int not null,
  encrypted     bytea not null,
  hint       text not null,             -- first eight hex digits of its SHA-256
  not_after  timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, webhook_id, version),
  constraint webhook_exists foreign key (tenant_id, webhook_id) references webhooks on delete cascade
);
select protect_by_tenant('webhook_secrets');

-- What is still to be delivered, and nothing else: it stays as small as the work, however long the log grows.
create table webhook_queue (
  tenant_id       text not null default current_tenant(),
  id              text collate "C" not null,
  webhook_id      text not null,
  event_id        text not null,
  event_type      text not null,
  conversation_id text,
  position        bigint not null,       -- of the event among the tenant's
  is_replay       boolean not null default false,
  retry_count     smallint not null default 0,  -- that count against the schedule
  attempts        smallint not null default 0,  -- all of them: whoever finishes with an older number finishes nothing
  next_attempt_at timestamptz not null,
  leased_until    timestamptz,           -- an attempt has begun, and nothing was heard of it yet
  log             jsonb not null default '[]',
  created_at      timestamptz not null,
  primary key (tenant_id, id)            -- no reference: each row would lock its endpoint's
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);
create index webhook_queue_due on webhook_queue (tenant_id, webhook_id, next_attempt_at);
create index webhook_queue_order on webhook_queue (tenant_id, webhook_id, conversation_id, position) where conversation_id is not null;
select protect_by_tenant('webhook_queue');

-- What became of it.
create table webhook_deliveries (
  tenant_id       text not null default current_tenant(),
  id              text collate "C" not null,
  webhook_id      text not null,
  event_id        text not null,
  event_type      text not null,
  conversation_id text,
  position        bigint not null,
  is_replay       boolean not null,
  status          text not null check (status in ('succeeded', 'exhausted', 'aborted', 'expired')),
  attempts        smallint not null,
  log             jsonb not null,
  created_at      timestamptz not null,
  finished_at     timestamptz not null default now(),
  primary key (tenant_id, id)
) partition by range (id);
create index on webhook_deliveries (tenant_id, webhook_id, id);
select protect_by_tenant('webhook_deliveries', 'select, insert');

-- A range of the log that is to be delivered once more, a page at a time.
create table webhook_replays (
  tenant_id   text not null default current_tenant(),
  id          text not null,
  webhook_id  text not null,
  since       timestamptz not null,
  until       timestamptz not null,
  statuses    text[] not null,
  state       text not null default 'running' check (state in ('running', 'done', 'cancelled')),
  queued      int not null default 0,
  after_id    text not null default '',  -- how far the log was read
  created_at  timestamptz not null default now(),
  created_by  text not null,
  finished_at timestamptz,
  primary key (tenant_id, id),
  constraint webhook_exists foreign key (tenant_id, webhook_id) references webhooks on delete cascade
);
select protect_by_tenant('webhook_replays');

insert into directory.partitioned_tables values ('webhook_deliveries', 'dlv', '1 day', '30 days');
select directory.ensure_partitions();

-- The same event and endpoint give the same id, and a time-ordered one: so there is one delivery, whoever writes it.
create function webhook_delivery_id(event_id text, salt text) returns text language sql immutable as $$
  select 'dlv_' || substr(event_id, 5, 10) || 'e' || substr(hash, 1, 2) || '8' || substr(hash, 3, 12)
  from md5(event_id || salt) as hash
$$;
grant execute on function webhook_delivery_id to parley_app;

-- With the event, in its transaction, whoever writes it: a change that is committed is a change that will be told.
create function fan_out_event() returns trigger language plpgsql as $$
begin
  insert into webhook_queue (tenant_id, id, webhook_id, event_id, event_type, conversation_id, position, next_attempt_at, created_at)
  select new.tenant_id, webhook_delivery_id(new.id, w.id), w.id, new.id, new.type, new.conversation_id, new.position, now(), now()
  from webhooks w
  where w.tenant_id = new.tenant_id
    and exists (select from unnest(w.event_types) as pattern where pattern in ('*', new.type)
      or (right(pattern, 2) = '.*' and starts_with(new.type, left(pattern, -1))))
    and (w.environment_id is null or new.environment_id is null or w.environment_id = new.environment_id)
    and (w.bot_ids = '{}' or new.bot_id is null or new.bot_id = any (w.bot_ids))
    -- An endpoint is not told of its own troubles: the others are.
    and not (new.subject_id = w.id and starts_with(new.type, 'webhook.'))
  on conflict do nothing;
  return null;
end $$;
create trigger fan_out after insert on events for each row when (new.is_public) execute function fan_out_event();
