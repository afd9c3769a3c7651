-- The trace of what a turn or a run was started for, so that it also continues in a later invocation, and after Restate lost
-- the first one.
alter table turns add column traceparent text;
alter table action_runs add column traceparent text;
