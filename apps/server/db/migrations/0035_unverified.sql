-- Nothing about somebody who never proved their email address is kept for more than 7 days. Each kind is found by the time
-- at which it is due, and deleted in batches: an hour in which nothing is due costs nothing.

-- An account without a proved address is one that an operator made for another and that nobody took up.
create index accounts_unverified on customer_pool.accounts (created_at) where email_verified_at is null;
create index accounts_unverified on admin_pool.accounts (created_at) where email_verified_at is null;

-- Says whom it deleted. One whose link still works, since it was sent again, is left until the link has expired.
create function directory.purge_unverified_accounts(of_pool text, as_of timestamptz, max_rows int) returns setof text
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  own  text := case of_pool when 'customer' then 'customer_pool' when 'admin' then 'admin_pool' end;
  gone text[];
begin
  execute format('
    with due as (
      select a.user_id from %1$I.accounts a
      where a.email_verified_at is null and a.created_at < $1 - interval ''7 days''
        and not exists (select from %1$I.one_time_tokens t where t.user_id = a.user_id and t.expires_at > $1)
        and not exists (select from %1$I.sessions s where s.user_id = a.user_id)
      order by a.created_at limit $2 for update skip locked),
    deleted as (delete from %1$I.accounts a using due where a.user_id = due.user_id returning a.user_id)
    select array_agg(user_id) from deleted', own) into gone using as_of, max_rows;
  if gone is null then return; end if;
  execute format('delete from %I.one_time_tokens where user_id = any ($1)', own) using gone;
  delete from emails where kind = 'welcome' and data ->> 'userId' = any (gone);
  -- Known by an external issuer as well: that proves who they are, so the person stays.
  delete from users u where u.user_id = any (gone) and u.pool = of_pool
    and not exists (select from identities i where i.user_id = u.user_id)
    and not exists (select from user_tenants t where t.user_id = u.user_id);
  return query select unnest(gone);
end $$;
grant execute on function directory.purge_unverified_accounts to parley_customer_pool, parley_admin_pool;

-- Emails about a sign-up that could not be delivered hold an address that nobody proved.
create index emails_sign_up on directory.emails (created_at) where kind = 'signup';
create function directory.purge_sign_up_emails(as_of timestamptz, max_rows int) returns int
language sql security definer set search_path = directory, public, pg_temp as $$
  with due as (
    select id from emails where kind = 'signup' and created_at < as_of - interval '7 days'
    order by created_at limit max_rows for update skip locked),
  deleted as (delete from emails l using due where l.id = due.id returning l.id)
  select count(*)::int from deleted
$$;
grant execute on function directory.purge_sign_up_emails to parley_app;
-- As it was, but for sign-ups, which are deleted in batches like the others here.
create or replace function directory.purge_expired_sign_ins() returns int
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  own  text;
  gone int := 0;
  n    int;
begin
  foreach own in array array['customer_pool', 'admin_pool'] loop
    execute format('delete from %I.oidc_items where expires_at < now()', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.one_time_tokens where expires_at < now()', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.login_attempts where last_at < now() - interval ''1 day''', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.known_ips where seen_at < now() - interval ''90 days''', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.sessions where expires_at < now() - interval ''30 days''', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.audit_entries where created_at < now() - interval ''400 days''', own); get diagnostics n = row_count; gone := gone + n;
  end loop;
  return gone;
end $$;
select grant_to_bound_keys();
