-- A version now holds schemas, whose fields are asked for in the order in which they were written.
alter table bot_versions alter column content type json;

-- What a bot can do in its tenant's own systems, as it stands in the draft. A version freezes them all.
create table actions (
  tenant_id  text not null default current_tenant() references tenants,
  id         text collate "C" not null,
  bot_id     text not null,
  name       text not null,       -- what a model calls it
  spec       json not null,       -- the rest: see actions.contract.ts; not jsonb, which would shuffle the fields of a schema
  created_at timestamptz not null default now(),
  created_by text not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint action_name_taken unique (tenant_id, bot_id, name),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
select protect_by_tenant('actions');

-- The ledger: one row for each thing that was to be done once, written before anything is sent.
create table action_runs (
  tenant_id       text not null default current_tenant() references tenants,
  id              text collate "C" not null,  -- also the Idempotency-Key of every attempt
  dedupe_key      text not null,
  environment_id  text not null,
  bot_id          text not null,
  conversation_id text collate "C",           -- null: tried by a developer
  turn_id         text,
  version_id      text,
  action_id       text not null,
  spec            json not null,              -- the action as the version has it: what was promised is what is done
  parent_id       text collate "C",           -- the workflow it is a step of
  step            text,
  is_compensation boolean not null default false,
  is_test         boolean not null default false,
  state           text not null check (state in ('collecting', 'awaiting_confirmation', 'proposed', 'dispatched', 'accepted',
                    'succeeded', 'failed', 'unknown', 'reconciled', 'declined', 'expired', 'cancelled')),
  outcome         text check (outcome in ('succeeded', 'failed', 'unknown')),
  reason          text,                       -- why it failed, or why nobody knows
  args            jsonb not null,
  args_hash       text not null,
  slot            text,                       -- what the visitor was last asked for
  misses          smallint not null default 0,
  end_user        text,                       -- whom the tenant's backend vouched for
  language        text not null default 'en',
  confirm_by      timestamptz,
  confirmed_at    timestamptz,
  attempts        jsonb not null default '[]',
  deadline        timestamptz,                -- the tenant's system must not begin after this
  complete_by     timestamptz,                -- accepted, and to be finished later
  output          jsonb,
  display         text,
  error           jsonb,
  is_awaited      boolean not null default false,  -- a turn waits for it, and will tell how it ended
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
select protect_by_tenant('action_runs');

-- Where somebody must look: what no machine could find out, of all tenants, without anything of what it was about.
create table directory.unknown_runs (
  tenant_id text not null,
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

-- What vouches for a signed-in person towards their own organisation's systems. Encrypted by the master key.
create table directory.assertion_keys (
  kid        text primary key,
  encrypted     bytea not null,
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
