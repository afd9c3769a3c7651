-- An endpoint's target (its URL, headers, environment and secrets) is read again when `revision` rises. Other changes, such as
-- of its status or listener, no longer raise it.
create or replace function note_webhook_change() returns trigger language plpgsql as $$
begin
  if (new.url, new.headers, new.environment_id) is distinct from (old.url, old.headers, old.environment_id) then
    new.revision := old.revision + 1;
  end if;
  return new;
end $$;
