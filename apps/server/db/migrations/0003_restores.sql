-- One row for each time that the database was restored to an earlier moment, written by `parley-server after-restore`. What
-- was open before a restore may have been sent already, in the time that the database has no record of: the server compares
-- the age of its rows with `restored_at`.
create table deployment.restores (
  epoch             int primary key,
  restored_at       timestamptz not null default clock_timestamp(),
  restored_to       timestamptz,               -- as the operator gave it
  -- The cluster after the restore, so that a second run for the same restore changes nothing.
  system_identifier text collate "C",
  timeline          int
);
-- The server only reads it.
grant select on deployment.restores to parley_app;
select grant_to_bound_keys();
