-- A bot is edited as one draft, with a revision that tells two editors apart; what it answers with is a frozen version.
alter table bots
  add column status          text not null default 'active' check (status in ('active', 'paused', 'archived')),
  add column allowed_origins text[] not null default '{}',
  add column draft           jsonb not null default '{}',
  add column revision        int not null default 1,
  add column retention_days  int not null default 90 check (retention_days between 1 and 730),
  add column limits          jsonb not null default '{}',
  add column created_by      text not null default 'system';

-- Never changed: an answer can always be held against what the bot was when it gave it.
-- One without a number is a frozen draft, made to try it; it is never deployed.
create table bot_versions (
  tenant_id    text not null default current_tenant() references tenants,
  id           text not null,
  bot_id       text not null,
  number       int,
  content_hash bytea not null,
  content      jsonb not null,
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
  tenant_id      text not null default current_tenant() references tenants,
  bot_id         text not null,
  environment_id text not null,
  version_id     text not null,
  deployed_by    text not null,
  deployed_at    timestamptz not null default now(),
  primary key (tenant_id, bot_id, environment_id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments,
  constraint bot_version_exists foreign key (tenant_id, version_id) references bot_versions
);
select protect_by_tenant('bot_deployments');

-- A tenant's own model: where it is, what it costs, and its encrypted key.
create table models (
  tenant_id       text not null default current_tenant() references tenants,
  id              text not null,
  name            text not null check (length(name) between 1 and 80),
  provider        text not null check (provider in ('openai-compatible', 'openai', 'anthropic', 'google')),
  base_url        text,
  model           text not null,
  input_price     numeric not null,   -- US dollars for a million tokens
  output_price    numeric not null,
  encrypted_key      bytea,
  created_by      text not null,
  created_at      timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint model_name_taken unique (tenant_id, name)
);
select protect_by_tenant('models');
