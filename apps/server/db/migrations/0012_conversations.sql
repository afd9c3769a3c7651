-- Somebody at a page. Written with their first message, never with a page view.
create table visitors (
  tenant_id      text not null default current_tenant() references tenants,
  id             text not null,
  bot_id         text not null,
  environment_id text not null,
  label          text not null,    -- what the page calls them; proves nothing and finds nothing
  tokens_after   timestamptz not null default '-infinity',  -- visitor tokens given out before are no longer good
  created_at     timestamptz not null default now(),
  last_seen_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments
);
select protect_by_tenant('visitors');

-- Somebody the tenant's own backend has vouched for.
create table contacts (
  tenant_id        text not null default current_tenant() references tenants,
  id               text not null,
  environment_id   text not null,
  external_user_id text not null,
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

create table conversations (
  tenant_id       text not null default current_tenant() references tenants,
  id              text collate "C" not null,
  environment_id  text not null,
  bot_id          text not null,
  version_id      text not null,   -- the one it began with, to its end
  visitor_id      text,            -- null once erased
  contact_id      text,
  is_test         boolean not null default false,
  state           text not null default 'bot' check (state in ('bot', 'waiting_human', 'human', 'closed')),
  assignee_id     text,
  last_seq        int not null default 0,
  message_count   int not null default 0,
  preview         text not null default '',  -- of the last message, for lists
  rating          smallint check (rating between 1 and 5),
  page_url        text,
  waiting_since   timestamptz,
  last_message_at timestamptz not null default now(),
  closed_at       timestamptz,
  expires_at      timestamptz not null,      -- the bot's retention, counted from the last message
  created_at      timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments,
  constraint bot_version_exists foreign key (tenant_id, version_id) references bot_versions
);
create index on conversations (tenant_id, last_message_at desc, id desc);
create index on conversations (tenant_id, state, last_message_at desc, id desc);
create index on conversations (tenant_id, visitor_id, id desc);
create index on conversations (tenant_id, contact_id, id desc);
create index on conversations (tenant_id, expires_at);
select protect_by_tenant('conversations');

-- The one log of a conversation: the stream, the history, the export and the agents' view are all read from here.
-- `seq` is dense: whoever has seen n and gets n + 2 knows that something is missing.
-- Split by the conversation's time, so that all of one conversation is in one partition.
create table conversation_events (
  tenant_id         text not null default current_tenant(),
  conversation_id   text collate "C" not null,
  seq               int not null,
  type              text not null,
  message_id        text,
  turn_id           text,
  client_message_id text,
  is_internal       boolean not null default false,  -- for staff only
  payload           jsonb not null,
  created_at        timestamptz not null default now(),
  primary key (tenant_id, conversation_id, seq),
  constraint client_message_once unique (tenant_id, conversation_id, client_message_id)
) partition by range (conversation_id);
select protect_by_tenant('conversation_events', 'select, insert, delete');
grant update (payload) on conversation_events to parley_app;  -- what somebody had erased

-- What a message of a visitor sets going. A row that is queued or running is a promise.
create table turns (
  tenant_id       text not null default current_tenant(),
  conversation_id text collate "C" not null,
  id              text not null,
  seq             int not null,    -- of the message it answers
  message_id      text not null,
  reply_id        text not null,   -- chosen beforehand: whoever streams knows what it will be called
  status          text not null default 'queued' check (status in ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled')),
  stop_requested  boolean not null default false,
  attempt         text,            -- who asks a model for it now: what an earlier one brings is no longer wanted
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
select protect_by_tenant('turns');

-- What a step of a turn has brought, kept before the engine hears of it: the engine's journal holds ids, no texts.
create table turn_steps (
  tenant_id       text not null default current_tenant(),
  conversation_id text collate "C" not null,
  turn_id         text not null,
  name            text not null,
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

-- Somebody's words also stand in the events that told of them.
create index on events (tenant_id, conversation_id) where conversation_id is not null;
grant update (body) on events to parley_app;
