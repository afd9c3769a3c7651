-- An email that is written after a while, when it may no longer be needed.
create function directory.queue_delayed_email(new_id text, of_kind text, to_email text, content jsonb, wait interval) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into emails (id, kind, recipient, data, due_at) values (new_id, of_kind, to_email, content, now() + wait)
$$;
grant execute on function directory.queue_delayed_email to parley_app;
select grant_to_bound_keys();
