-- An external issuer's word for an address makes a new person, and never a way into an account that is there already:
-- whoever owns that account adds the identity to it, signed in (`add_identity`).
drop function directory.link_identity;
create function directory.join_by_identity(of_pool text, from_issuer text, from_subject text, new_id text, email_address text, called text)
returns table (user_id text, has_account boolean)
language plpgsql security definer set search_path = directory, public, pg_temp as $$
#variable_conflict use_column
begin
  if not exists (select from identities i where i.issuer = from_issuer and i.subject = from_subject) then
    -- Many at once with one identity: each waits here for the first, and then finds what it made.
    insert into users (user_id, pool, email, name) values (new_id, of_pool, lower(email_address), called) on conflict do nothing;
    if found then
      insert into identities (issuer, subject, user_id) values (from_issuer, from_subject, new_id);
    end if;
  end if;
  return query select i.user_id, false from identities i join users u using (user_id)
    where i.issuer = from_issuer and i.subject = from_subject and u.disabled_at is null;
  if not found then
    return query select null::text, exists (select from users u
      where u.pool = of_pool and u.email = lower(email_address) and u.disabled_at is null);
  end if;
end $$;

-- Whose it is, and whether it is so since now.
create function directory.add_identity(from_issuer text, from_subject text, whose text)
returns table (user_id text, is_new boolean)
language plpgsql security definer set search_path = directory, public, pg_temp as $$
#variable_conflict use_column
begin
  insert into identities (issuer, subject, user_id) values (from_issuer, from_subject, whose) on conflict do nothing;
  return query select i.user_id, found from identities i where i.issuer = from_issuer and i.subject = from_subject;
end $$;
grant execute on function directory.join_by_identity, directory.add_identity to parley_app;
select grant_to_bound_keys();
