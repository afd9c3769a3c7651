-- For each master key that stays in a key management service: the key that encrypts the deployment's own secrets, wrapped by
-- that service. Never changed: another key has another id in MASTER_KEYS.
create table deployment.platform_keys (
  master_key_id text collate "C" primary key,
  wrapped       bytea not null,
  created_at    timestamptz not null default now()
);
grant select, insert on deployment.platform_keys to parley_app;
select grant_to_bound_keys();
