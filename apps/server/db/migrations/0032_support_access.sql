-- Whether operators of the service may act in a member's place: never, after an owner approved it, or at any time.
alter table tenants add column support_access text not null default 'ask' check (support_access in ('never', 'ask', 'allowed'));

create table support_requests (
  tenant_id     text not null default current_tenant() references tenants,
  id            text not null,
  operator_id   text not null,
  operator_name text not null,
  reason        text not null,
  status        text not null default 'open' check (status in ('open', 'approved', 'declined')),
  decided_by    text,
  decided_at    timestamptz,
  expires_at    timestamptz,  -- of the approval
  created_at    timestamptz not null default now(),
  primary key (tenant_id, id)
);
create index on support_requests (tenant_id, operator_id, expires_at);
select protect_by_tenant('support_requests');
select grant_to_bound_keys();
