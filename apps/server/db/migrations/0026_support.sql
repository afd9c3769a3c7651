-- What support looks at: endpoints that are not well, deliveries that wait or were given up, requests that were refused,
-- and who is in whose place.

-- Requests of a tenant that were refused or failed, an hour's alike in one row: enough to find them in a trace or a log,
-- and nothing of what was asked. Kept for a week.
create table request_errors (
  tenant_id       text not null default current_tenant() references tenants,
  hour            timestamptz not null,
  operation       text not null check (length(operation) <= 100),  -- the route's name, never its address
  status          smallint not null check (status between 400 and 599),
  reason          text not null check (length(reason) <= 100),
  count           integer not null check (count > 0),
  last_at         timestamptz not null,
  last_request_id text not null,
  last_trace_id   text,
  last_actor_type text not null,
  last_actor_id   text,                                            -- a key's, a member's or an operator's; a visitor's is not kept
  primary key (tenant_id, hour, operation, status, reason)
);
create index request_errors_latest on request_errors (tenant_id, last_at);
select protect_by_tenant('request_errors');

-- What went wrong of a tenant, newest first. Few rows are in any of these.
create index turns_failed on turns (tenant_id, finished_at) where status = 'failed';
create index action_runs_failed on action_runs (tenant_id, coalesce(finished_at, created_at)) where state in ('failed', 'unknown');
create index webhook_deliveries_given_up on webhook_deliveries (tenant_id, finished_at) where status = 'exhausted';
-- The same over all tenants.
create index webhook_deliveries_exhausted on webhook_deliveries (id) where status = 'exhausted';
create index webhooks_unhealthy on webhooks (id) where status <> 'active';

-- Why an endpoint is not well, and what was answered, is read within its tenant.
select open_to_operators('webhooks', 'tenant_id, id, status');
select open_to_operators('webhook_queue', 'tenant_id, id, webhook_id');
select open_to_operators('webhook_deliveries', 'tenant_id, id, webhook_id, status');

-- Whoever has an operator in their place sees the name, and the admin pool is out of reach from there.
alter table customer_pool.sessions add column operator_name text;
alter table admin_pool.sessions add column operator_name text;
create index sessions_lent on customer_pool.sessions (tenant_id) where operator_id is not null and ended_at is null;
