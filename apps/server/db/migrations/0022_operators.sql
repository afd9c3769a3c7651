-- What operators look for across tenants. `parley_operator` reads the columns that are opened here by name and nothing
-- else: no secret and no word that anybody said is within its reach, whatever a query asks for.
do $$ begin
  if to_regrole('parley_operator') is null then
    raise exception 'The role parley_operator is missing: run apps/server/db/roles.sql as a superuser, then migrate again.';
  end if;
end $$;
grant usage on schema public, directory to parley_operator;
grant execute on function current_tenant to parley_operator;

-- Each table that operators may look through calls this once, with the columns.
create function open_to_operators(name regclass, columns text) returns void language plpgsql as $$
begin
  execute format('create policy operators on %s for select to parley_operator using (true)', name);
  execute format('grant select (%s) on %s to parley_operator', columns, name);
end $$;

select open_to_operators('tenants', 'tenant_id, name, plan, status, api_version, created_at, deleted_at');
select open_to_operators('bots', 'tenant_id, id, name, status, allowed_origins, created_at');
select open_to_operators('api_key_secrets', 'tenant_id, key_id, hint');
grant select (user_id, pool, email) on directory.users to parley_operator;
grant select (user_id, tenant_id) on directory.user_tenants to parley_operator;

-- A name by the beginning of any of its words.
create index tenants_by_name on tenants using gin (to_tsvector('simple', name));
-- A key by the end of its hint, which is what people read out.
create index api_key_secrets_by_hint on api_key_secrets (right(hint, 4));

-- The hosts of pages, and the domains above them: `https://www.shop.example` is found by `shop.example`.
create function domains_of(origins text[]) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct array_to_string(labels[n:], '.')), '{}')
  from unnest(origins) as origin,
    lateral (select string_to_array(lower(substring(origin from '^[a-z]+://(?:\*\.)?([^/:]+)')), '.') as labels) as host,
    generate_series(1, greatest(cardinality(labels) - 1, 1)) as n
$$;
grant execute on function domains_of to parley_app, parley_operator;
create index bots_by_domain on bots using gin (domains_of(allowed_origins));
create index users_by_email on directory.users (lower(email) text_pattern_ops);
