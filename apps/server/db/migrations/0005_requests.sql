-- The first answer to a request that carried an Idempotency-Key, written with what the request changed.
create table idempotency_keys (
  -- Checked at the commit: the request that makes a tenant takes its key first.
  tenant_id    text not null default current_tenant() references tenants deferrable initially deferred,
  key          text not null,
  request_hash bytea not null,
  status       int,
  body         text,   -- null while the request runs, and for an answer that carried a secret
  created_at   timestamptz not null default now(),
  primary key (tenant_id, key)
);
create index on idempotency_keys (tenant_id, created_at);
select protect_by_tenant('idempotency_keys');

-- A tenant's data keys, each encrypted by a master key that is not in the database. Secrets at rest are encrypted by these.
create table data_keys (
  tenant_id     text not null default current_tenant() references tenants,
  version       int not null,
  master_key_id text not null,
  wrapped       bytea not null,
  created_at    timestamptz not null default now(),
  primary key (tenant_id, version)
);
select protect_by_tenant('data_keys');
