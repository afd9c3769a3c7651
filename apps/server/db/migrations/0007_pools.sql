-- Two pools of people who sign in here, each in a schema of its own that only its own role reaches.
-- Made by one function, so that both are alike and stay so.
alter table directory.users add column locale text not null default 'en';

create function directory.create_pool(pool text) returns void language plpgsql as $make$
declare
  own  text := pool || '_pool';
  role text := 'parley_' || pool || '_pool';
begin
  execute format('create schema %I', own);
  perform set_config('search_path', own || ', pg_temp', true);

  -- The people of this pool, and no others: a row of the other pool is neither seen nor made through here.
  execute format('create view people as select user_id, pool, email, name, locale, platform_roles, disabled_at,
    tokens_valid_after, created_at from directory.users where pool = %L with check option', pool);
  execute format('alter view people alter column pool set default %L', pool);

  create table accounts (
    user_id           text primary key references directory.users,
    password_hash     text,           -- none: signs in with a passkey, or has yet to choose one
    email_verified_at timestamptz,
    last_tenant_id    text,           -- where they worked last: the tenant of their next sign-in
    warned_at         timestamptz,    -- of failed sign-ins: at most once a day
    created_at        timestamptz not null default now()
  );

  -- One row per person and device: what they see in their list of sessions, and what every token is checked against.
  create table sessions (
    id               text primary key,
    grant_hash       bytea not null unique,
    user_id          text not null references directory.users,
    tenant_id        text,
    client_id        text not null,
    methods          text[] not null,  -- how they proved themselves: pwd, otp, recovery, passkey
    authenticated_at timestamptz not null,
    ip               text not null,
    user_agent       text not null,
    operator_id      text,             -- an operator in this person's place, for a reason, for minutes
    reason           text,
    created_at       timestamptz not null default now(),
    last_seen_at     timestamptz not null default now(),
    expires_at       timestamptz not null,
    ended_at         timestamptz
  );
  create index on sessions (user_id, id);
  create index on sessions (expires_at);
  create index on sessions (operator_id) where operator_id is not null;

  -- What the OIDC library keeps. `id` is a hash: the value itself is the bearer's.
  create table oidc_items (
    kind        text not null,
    id          bytea not null,
    payload     jsonb not null,
    user_id     text,
    grant_hash  bytea,
    uid_hash    bytea,
    consumed_at timestamptz,
    expires_at  timestamptz not null,
    created_at  timestamptz not null default now(),
    primary key (kind, id)
  );
  create index on oidc_items (grant_hash) where grant_hash is not null;
  create index on oidc_items (user_id) where user_id is not null;
  create index on oidc_items (uid_hash) where uid_hash is not null;
  create index on oidc_items (expires_at);

  create table signing_keys (
    kid        text primary key,
    encrypted     bytea not null,        -- the private key, under a master key
    signs_from timestamptz not null,  -- published a day before
    created_at timestamptz not null default now()
  );

  -- Links in emails, tokens between two steps, challenges: known by their hash, good once, for minutes or days.
  create table one_time_tokens (
    hash       bytea primary key,
    purpose    text not null,
    user_id    text references directory.users,
    data       jsonb not null default '{}',
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
  );
  create index on one_time_tokens (user_id);
  create index on one_time_tokens (expires_at);

  -- Sign-ups that wait for their e-mail to be confirmed. Nothing else exists of them yet.
  create table signups (
    id            text primary key,
    email         text not null,
    name          text not null,
    organisation  text not null,
    locale        text not null,
    password_hash text not null,
    expires_at    timestamptz not null
  );
  create index on signups (expires_at);

  create table totp (
    user_id      text primary key references accounts on delete cascade,
    encrypted       bytea not null,
    confirmed_at timestamptz,
    last_step    bigint not null default 0,  -- a code is good once
    created_at   timestamptz not null default now()
  );
  create table recovery_codes (
    user_id text not null references accounts on delete cascade,
    hash    bytea not null,
    primary key (user_id, hash)
  );
  create table passkeys (
    id            text primary key,
    user_id       text not null references accounts on delete cascade,
    credential_id text not null unique,
    public_key    bytea not null,
    counter       bigint not null,
    transports    text[] not null,
    name          text not null,
    created_at    timestamptz not null default now(),
    last_used_at  timestamptz
  );
  create index on passkeys (user_id);

  -- Where somebody has signed in before: failed attempts from another network do not lock them out here.
  create table known_ips (
    user_id text not null references accounts on delete cascade,
    ip      bytea not null,
    seen_at timestamptz not null default now(),
    primary key (user_id, ip)
  );

  -- Attempts to sign in, counted before they are tried. Unknown accounts are counted alike.
  create table login_attempts (
    key           bytea primary key,
    account       bytea not null,
    failures      real not null default 0,  -- it runs dry, so not a whole number
    last_at       timestamptz not null default now(),
    blocked_until timestamptz
  );
  create index on login_attempts (account);
  create index on login_attempts (last_at);

  -- Says how many seconds to wait, or counts one attempt against every key, says 0, when, and which keys it has locked.
  -- Counting comes before trying, so that any number at once cannot try more than the rules allow; a refused attempt
  -- counts for nothing. `accounts` says whose each key is, for the day that account starts anew.
  create function take_login_attempt(accounts bytea[], of_keys bytea[], free int[], first_wait int[],
    out wait int, out moment timestamptz, out locked bytea[])
  language plpgsql set search_path from current as $take$
  declare
    until timestamptz;
  begin
    insert into login_attempts (key, account)
      select k, a from unnest(of_keys, accounts) as given (k, a) order by k on conflict do nothing;
    perform 1 from login_attempts where key = any (of_keys) order by key for update;
    moment := date_trunc('milliseconds', clock_timestamp());  -- as exact as whoever gives it back can say
    select max(blocked_until) into until from login_attempts where key = any (of_keys);
    wait := greatest(0, ceil(extract(epoch from until - moment)));
    if wait > 0 then return; end if;
    wait := 0;
    with counted as (
      update login_attempts g set failures = n, last_at = moment,
        blocked_until = case when n > k.free - 0.5 then moment + make_interval(secs => least(900, k.first_wait * 2.0 ^ least(round(n - k.free), 10))) end
      from unnest(of_keys, free, first_wait) as k (key, free, first_wait),
        -- As many as are free run off in a day: a few mistyped ones a day never add up to an attack.
        lateral (select greatest(0, g0.failures - k.free * extract(epoch from moment - g0.last_at) / 86400) + 1 as n
          from login_attempts g0 where g0.key = k.key) as counting
      where g.key = k.key
      returning g.key, n > k.free - 0.5 and n <= k.free + 0.5 as is_locked)
    select array_agg(key) filter (where is_locked) into locked from counted;
  end $take$;

  -- An attempt that was right after all, or was not tried: each key gets its one back, and the block that this attempt
  -- made goes with it. `fresh` begins anew.
  create function forgive_login_attempt(fresh bytea, of_keys bytea[], free int[], at timestamptz) returns void
  language sql set search_path from current as $forgive$
    select 1 from login_attempts where key = any (of_keys) order by key for update;  -- in the order in which they are taken
    update login_attempts g set failures = greatest(0, g.failures - 1),
      blocked_until = case when g.failures - 1 > k.free - 0.5 and g.last_at <> at then g.blocked_until end
    from unnest(of_keys, free) as k (key, free) where g.key = k.key;
    delete from login_attempts where key = fresh;
  $forgive$;

  create table audit_entries (
    id         text primary key,
    action     text not null,
    user_id    text,            -- whom it is about
    actor_type text not null,
    actor_id   text not null,
    ip         text,
    request_id text,
    data       jsonb not null default '{}',
    created_at timestamptz not null default now()
  );
  create index on audit_entries (user_id, id);

  execute format('grant usage on schema %I to %I', own, role);
  execute format('grant select, insert, update, delete on all tables in schema %I to %I', own, role);
  execute format('revoke update, delete on audit_entries from %I', role);
  execute format('grant execute on all functions in schema %I to %I', own, role);
end $make$;
select directory.create_pool('customer');
select directory.create_pool('admin');
drop function directory.create_pool;
reset search_path;

-- What has had its day. Run by every worker each hour; a second one finds nothing left.
create function directory.purge_expired_sign_ins() returns int
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  own  text;
  gone int := 0;
  n    int;
begin
  foreach own in array array['customer_pool', 'admin_pool'] loop
    execute format('delete from %I.oidc_items where expires_at < now()', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.one_time_tokens where expires_at < now()', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.signups where expires_at < now()', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.login_attempts where last_at < now() - interval ''1 day''', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.known_ips where seen_at < now() - interval ''90 days''', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.sessions where expires_at < now() - interval ''30 days''', own); get diagnostics n = row_count; gone := gone + n;
    execute format('delete from %I.audit_entries where created_at < now() - interval ''400 days''', own); get diagnostics n = row_count; gone := gone + n;
  end loop;
  return gone;
end $$;
grant execute on function directory.purge_expired_sign_ins to parley_app;

-- People of our own pools are found by their id, which is the subject of their tokens.
create function directory.find_own_user(wanted_pool text, wanted_user text)
returns table (user_id text, pool text, email text, name text, platform_roles text[], disabled boolean,
  tokens_valid_after timestamptz, tenant_ids text[])
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select u.user_id, u.pool, u.email, u.name, u.platform_roles, u.disabled_at is not null,
    greatest(u.tokens_valid_after, 'epoch'),
    array(select t.tenant_id from user_tenants t where t.user_id = u.user_id order by t.tenant_id limit 100)
  from users u where u.pool = wanted_pool and u.user_id = wanted_user
$$;
grant execute on function directory.find_own_user to parley_app, parley_customer_pool, parley_admin_pool;
grant usage on schema directory to parley_customer_pool, parley_admin_pool;
-- The server reads this name: two who take one address at once become 409 `email_taken`.
alter index directory.users_pool_lower_idx rename to email_taken;
