create table tenants (
  tenant_id   text primary key,
  name        text not null check (length(name) between 1 and 120),
  plan        text not null,
  status      text not null default 'active' check (status in ('active', 'suspended')),
  api_version text not null,  -- the version current when the tenant was made; a header may ask for another
  created_at  timestamptz not null default now()
);
select protect_by_tenant('tenants');

create table workspaces (
  tenant_id  text not null default current_tenant() references tenants,
  id         text not null,
  name       text not null check (length(name) between 1 and 80),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint workspace_name_taken unique (tenant_id, name)
);
select protect_by_tenant('workspaces');

-- The tenant is part of every reference, so none can cross the wall; row-level security does not watch references.
-- Constraint names are read by the server: `workspace_exists` becomes 404 `workspace_not_found`.
create table environments (
  tenant_id    text not null default current_tenant() references tenants,
  id           text not null,
  workspace_id text not null,
  name         text not null check (length(name) between 1 and 80),
  created_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint environment_name_taken unique (tenant_id, workspace_id, name),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces
);
select protect_by_tenant('environments');

create table bots (
  tenant_id    text not null default current_tenant() references tenants,
  id           text not null,
  workspace_id text not null,
  name         text not null check (length(name) between 1 and 80),
  created_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint workspace_exists foreign key (tenant_id, workspace_id) references workspaces
);
select protect_by_tenant('bots');

-- What an operator changed for one tenant. What its plan gives stands in the code.
create table entitlement_overrides (
  tenant_id text not null default current_tenant() references tenants,
  name      text not null,
  value     bigint not null check (value >= 0),  -- of a feature, 0 is off and 1 is on; of a limit, how many
  primary key (tenant_id, name)
);
select protect_by_tenant('entitlement_overrides');

create table memberships (
  tenant_id  text not null default current_tenant() references tenants,
  user_id    text not null,
  roles      text[] not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, user_id)
);
select protect_by_tenant('memberships');

-- Background work that visits every tenant walks this list a page at a time; no request does.
create table directory.tenants (tenant_id text primary key);
create function directory.add_tenant() returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into directory.tenants values (current_tenant())
$$;
create function directory.tenants_after(last_seen text, page_size int) returns setof text
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select tenant_id from directory.tenants where tenant_id > last_seen order by tenant_id limit least(page_size, 1000)
$$;

-- Which tenant an operator's repeated request to create one means: that of the first, for a day.
create table directory.tenant_requests (
  operator_id text not null,
  key         text not null,
  tenant_id   text not null,
  created_at  timestamptz not null default now(),
  primary key (operator_id, key)
);
create function directory.reserve_tenant_id(operator text, request_key text, proposed text) returns text
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from tenant_requests where operator_id = operator and created_at < now() - interval '24 hours';
  insert into tenant_requests as r values (operator, request_key, proposed)
  on conflict (operator_id, key) do update set tenant_id = r.tenant_id returning tenant_id
$$;
grant execute on function directory.add_tenant, directory.tenants_after, directory.reserve_tenant_id to parley_app;
