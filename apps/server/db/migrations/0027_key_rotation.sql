-- What belongs to the deployment itself and to no tenant: nothing in here is a tenant's, or a secret.
create schema deployment;
grant usage on schema deployment to parley_app;

-- One row a rotation of the encryption keys. It says how far it is, so that a worker that dies, or an engine that forgets
-- everything, goes on from here.
create table deployment.key_rotations (
  id             text collate "C" primary key,
  status         text not null check (status in ('counting', 'encrypting', 'waiting', 'removing', 'finished', 'cancelled')),
  master_key_id  text not null,               -- what everything is encrypted by in the end
  reason         text not null,
  started_by     text not null,
  started_at     timestamptz not null default now(),
  cursor         text collate "C" not null default '', -- the tenant after which this part of it goes on
  tenants_total  int not null default 0,
  tenants_done   int not null default 0,
  secrets_total  int not null default 0,
  secrets_done   int not null default 0,
  failures       int not null default 0,      -- secrets that did not open, and stay as they were
  problem        text,                        -- why it stands still
  encrypted_at      timestamptz,                 -- nobody who began after this reads what was encrypted before
  touched_at     timestamptz not null default now(),
  finished_at    timestamptz
);
create unique index key_rotation_runs on deployment.key_rotations ((true)) where finished_at is null;
grant select, insert, update on deployment.key_rotations to parley_app;

-- Which tenants have data keys of which age and by which master key. Never the keys.
select open_to_operators('data_keys', 'tenant_id, version, master_key_id, created_at');
create index data_keys_by_master_key on data_keys (master_key_id);

-- What operators tell every tenant.
create table deployment.announcements (
  id         text collate "C" primary key,
  title      text not null,
  text       text not null,
  kind       text not null check (kind in ('info', 'warning', 'incident', 'maintenance')),
  plan       text,                            -- null: for all
  starts_at  timestamptz not null,
  ends_at    timestamptz check (ends_at >= starts_at),
  created_by text not null,
  created_at timestamptz not null default now()
);
grant select, insert, update, delete on deployment.announcements to parley_app;

-- Who did what, whichever tenant's: newest first, and by time. `data` stays with the tenant.
select open_to_operators('audit_entries', 'tenant_id, id, event_id, action, subject_id, actor_type, actor_id, request_id, created_at');
create index audit_entries_by_time on audit_entries (id);
grant execute on function directory.first_id to parley_operator;

-- Which second factors a master key still encrypts: its name stands before what it encrypted.
create index totp_by_encrypter on customer_pool.totp (substring(encrypted from 2 for get_byte(encrypted, 0)));
create index totp_by_encrypter on admin_pool.totp (substring(encrypted from 2 for get_byte(encrypted, 0)));
