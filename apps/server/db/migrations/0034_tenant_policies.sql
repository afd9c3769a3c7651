-- What the owners of a tenant require of its members and server keys. Empty or null: nothing.
alter table tenants
  add column require_two_factor boolean not null default false,
  add column allowed_email_domains text[] not null default '{}',
  add column max_session_hours integer check (max_session_hours between 1 and 2160),
  add column member_ip_ranges text[] not null default '{}',
  add column server_key_ip_ranges text[] not null default '{}';
select grant_to_bound_keys();
