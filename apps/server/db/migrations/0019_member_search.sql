-- Members by how their name or address begins. Looked for where the names are: only those found leave the directory.
create index on directory.user_tenants (tenant_id, user_id);

create function directory.search_people(start text) returns table (user_id text)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  -- One look-up for each of the tenant's people (offset 0): a plan that reads everybody's names grows with the directory.
  select t.user_id from user_tenants t
  cross join lateral (select u.name, u.email from users u where u.user_id = t.user_id offset 0) as person
  where t.tenant_id = current_tenant()
    and (starts_with(lower(person.name), lower(start)) or starts_with(lower(person.email), lower(start)))
$$;
grant execute on function directory.search_people to parley_app;
