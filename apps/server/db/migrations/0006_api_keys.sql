-- A key is who; its secrets are versions. The id stays the same when the secret is rotated.
create table api_keys (
  tenant_id      text not null default current_tenant() references tenants,
  id             text not null,
  name           text not null check (length(name) between 1 and 80),
  key_type       text not null check (key_type in ('secret_server', 'public_widget')),
  bound_bot_id   text,
  workspace_id   text,
  environment_id text,
  permissions    text[] not null default '{}',
  created_by     text not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bound_bot_id) references bots,
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces,
  constraint environment_exists foreign key (tenant_id, environment_id) references environments,
  check (key_type <> 'public_widget' or (bound_bot_id is not null and permissions = '{}'))
);
select protect_by_tenant('api_keys');

create table api_key_secrets (
  tenant_id   text not null default current_tenant() references tenants,
  key_id      text not null,
  version     int not null,
  secret_hash bytea not null check (length(secret_hash) = 32),  -- sha256; the secret itself is not kept
  hint        text not null,
  encrypted      bytea,        -- a widget key is public and may be shown again
  not_after   timestamptz,  -- set when a newer version takes over
  created_at  timestamptz not null default now(),
  primary key (tenant_id, key_id, version),
  constraint api_key_exists foreign key (tenant_id, key_id) references api_keys
);
select protect_by_tenant('api_key_secrets');

-- When a key arrives, its tenant is not known yet: this says where to look, and nothing more.
create table directory.api_key_secrets (
  secret_hash bytea primary key,
  tenant_id   text not null,
  key_id      text not null
);
create function directory.add_api_key_secret(hash bytea, key text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into api_key_secrets values (hash, current_tenant(), key)
$$;
create function directory.find_api_key_secret(hash bytea) returns table (tenant_id text, key_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select s.tenant_id, s.key_id from api_key_secrets s where s.secret_hash = hash
$$;
create function directory.remove_api_key_secret(hash bytea) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from api_key_secrets where secret_hash = hash and tenant_id = current_tenant()
$$;
grant execute on function directory.add_api_key_secret, directory.find_api_key_secret, directory.remove_api_key_secret
  to parley_app;
