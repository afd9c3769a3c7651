create table invitations (
  tenant_id   text not null default current_tenant() references tenants,
  id          text not null,
  email       text not null check (email = lower(email)),
  roles       text[] not null,
  invited_by  text not null,
  locale      text not null default 'en',
  expires_at  timestamptz not null,
  accepted_at timestamptz,
  revoked_at  timestamptz,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index invitation_taken on invitations (tenant_id, email) where accepted_at is null and revoked_at is null;
select protect_by_tenant('invitations');

-- Whoever follows a link, or comes with an address that an issuer vouches for, has no tenant yet.
create table directory.invitations (
  tenant_id     text not null references directory.tenants,
  invitation_id text not null,
  email         text not null,
  token_hash    bytea unique,  -- of the email sent last
  expires_at    timestamptz not null,
  primary key (tenant_id, invitation_id)
);
create index on directory.invitations (email);

-- For one's own tenant's invitations only: the tenant is the transaction's, never an argument.
create function directory.set_invitation(id text, email_address text, hash bytea, until timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into invitations as i (tenant_id, invitation_id, email, token_hash, expires_at)
  values (current_tenant(), id, lower(email_address), hash, until)
  on conflict (tenant_id, invitation_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
$$;
create function directory.remove_invitation(id text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from invitations where tenant_id = current_tenant() and invitation_id = id
$$;
create function directory.find_invitation(hash bytea) returns table (tenant_id text, invitation_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select i.tenant_id, i.invitation_id from invitations i where i.token_hash = hash and i.expires_at > now()
$$;
create function directory.invitations_for(email_address text) returns table (tenant_id text, invitation_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select i.tenant_id, i.invitation_id from invitations i
  where i.email = lower(email_address) and i.expires_at > now() order by i.invitation_id limit 20
$$;

-- Memberships, seen from the person's side. The membership itself is the tenant's row, behind its wall.
create function directory.join_tenant(who text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into user_tenants values (who, current_tenant()) on conflict do nothing
$$;
create function directory.leave_tenant(who text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from user_tenants where user_id = who and tenant_id = current_tenant()
$$;
-- Names and addresses of people, for those who share the transaction's tenant with them.
create function directory.people_of_tenant(ids text[])
returns table (user_id text, email text, name text, disabled boolean)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.user_id, u.email, u.name, u.disabled_at is not null from users u join user_tenants t using (user_id)
  where t.tenant_id = current_tenant() and u.user_id = any (ids)
$$;
-- Somebody who signs in with an issuer of their organisation's: made when they take up an invitation.
create function directory.link_identity(of_pool text, from_issuer text, from_subject text, new_id text, email_address text, called text)
returns text language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  found text;
begin
  -- Many at once: each finds what the first of them made.
  insert into users (user_id, pool, email, name) values (new_id, of_pool, lower(email_address), called) on conflict do nothing;
  insert into identities (issuer, subject, user_id)
    select from_issuer, from_subject, u.user_id from users u
    where u.pool = of_pool and lower(u.email) = lower(email_address) and u.disabled_at is null
    on conflict do nothing;
  select i.user_id into found from identities i join users u using (user_id)
    where i.issuer = from_issuer and i.subject = from_subject and u.disabled_at is null;
  return found;
end $$;
grant execute on function directory.set_invitation, directory.remove_invitation, directory.find_invitation,
  directory.invitations_for, directory.join_tenant, directory.leave_tenant, directory.people_of_tenant,
  directory.link_identity to parley_app;

-- Emails to send. They hold no secret: a link is made at the moment its email is written.
create table directory.emails (
  id         text primary key,
  kind       text not null,
  recipient  text not null,
  data       jsonb not null,
  attempts   int not null default 0,
  due_at     timestamptz not null default now(),
  created_at timestamptz not null default now(),
  failed_at  timestamptz,
  error      text
);
create index on directory.emails (due_at) where failed_at is null;

create function directory.queue_email(new_id text, of_kind text, to_email text, content jsonb) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into emails (id, kind, recipient, data) values (new_id, of_kind, to_email, content)
$$;
-- Leased by being due later: a mailer who dies lets go of them by doing nothing.
create function directory.lease_emails(max_rows int, lease interval)
returns table (id text, kind text, recipient text, data jsonb, attempts int)
language sql security definer set search_path = directory, public, pg_temp as $$
  update emails l set attempts = l.attempts + 1, due_at = now() + lease
  where l.id in (select due.id from emails due where due.failed_at is null and due.due_at <= now()
    order by due.due_at limit least(max_rows, 100) for update skip locked)
  returning l.id, l.kind, l.recipient, l.data, l.attempts
$$;
create function directory.email_sent(done text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from emails where id = done
$$;
-- Try again after a while, or, without one, never.
create function directory.email_failed(which text, why text, again interval) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update emails set error = left(why, 500), due_at = coalesce(now() + again, due_at),
    failed_at = case when again is null then now() end where id = which
$$;
-- Still being sent: nobody else takes it meanwhile.
create function directory.keep_email(which text, lease interval) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  update emails set due_at = now() + lease where id = which and failed_at is null
$$;
-- Those given up stay for an operator to look at, and then go: they hold addresses.
create function directory.purge_failed_emails() returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  delete from emails where failed_at < now() - interval '30 days'
$$;
create function directory.emails_waiting() returns table (oldest_seconds float8, failed int)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select coalesce(extract(epoch from now() - min(created_at) filter (where failed_at is null)), 0)::float8,
    (count(*) filter (where failed_at is not null))::int from emails
$$;
grant execute on function directory.queue_email to parley_app, parley_customer_pool, parley_admin_pool;
grant execute on function directory.lease_emails, directory.email_sent, directory.email_failed,
  directory.keep_email, directory.purge_failed_emails, directory.emails_waiting to parley_app;
