-- A person signs in before a tenant is known, and may belong to several, so people are in the directory.
create table directory.users (
  user_id            text primary key,
  pool               text not null check (pool in ('customer', 'admin')),
  email              text not null,
  name               text not null,
  platform_roles     text[] not null default '{}',  -- of the admin pool
  disabled_at        timestamptz,
  tokens_valid_after timestamptz not null default '-infinity',
  created_at         timestamptz not null default now(),
  check (pool = 'admin' or platform_roles = '{}')
);
create unique index on directory.users (pool, lower(email));

create table directory.identities (
  issuer  text not null,
  subject text not null,
  user_id text not null references directory.users,
  primary key (issuer, subject)
);

create table directory.user_tenants (
  user_id   text not null references directory.users,
  tenant_id text not null references directory.tenants,
  primary key (user_id, tenant_id)
);

create function directory.find_user(wanted_issuer text, wanted_subject text)
returns table (user_id text, pool text, email text, name text, platform_roles text[], disabled boolean,
  tokens_valid_after timestamptz, tenant_ids text[])
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.user_id, u.pool, u.email, u.name, u.platform_roles, u.disabled_at is not null,
    -- JavaScript has no word for minus infinity.
    greatest(u.tokens_valid_after, 'epoch'),
    array(select t.tenant_id from user_tenants t where t.user_id = u.user_id order by t.tenant_id limit 100)
  from identities i join users u using (user_id)
  where i.issuer = wanted_issuer and i.subject = wanted_subject
$$;
grant execute on function directory.find_user to parley_app;
