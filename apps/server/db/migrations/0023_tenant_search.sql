-- Lists of tenants by status and plan, newest first. Both are few words, so one index serves either of them and both:
-- the query asks for each pair in turn. With an order of letters of its own, so that the primary key, in which a rare pair
-- would be looked for among all tenants, is no other way to the same rows.
create index tenants_by_state on tenants (status, plan, (tenant_id collate "C"));

-- A name by the beginning of any of its words, and what follows it: `Blue Hill Books` is kept as `blue hill books`,
-- `hill books` and `books`. Read in order and stopped at the limit, a word that a million names have costs no more than
-- one that a single name has, which an inverted index cannot say. That one finds words that stand apart.
create table directory.tenant_name_tokens (
  tenant_id text not null,
  place     smallint not null,
  tokens     text collate "C" not null,
  status    text not null,
  plan      text not null,
  primary key (tenant_id, place)
);
create index tenant_name_tokens_in_order on directory.tenant_name_tokens (status, plan, tokens, tenant_id desc);

-- Small letters, and one space for whatever is between words. Used for names and for what is looked for.
create function name_tokens(name text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(lower(name), '[^[:alnum:]]+', ' ', 'g'))
$$;

create function directory.name_tokens_of(name text) returns table (place smallint, tokens text)
language sql immutable parallel safe as $$
  select n::smallint, left(array_to_string(parts[n:], ' '), 60)
  from string_to_array(public.name_tokens(name), ' ') as parts, generate_series(1, least(cardinality(parts), 20)) as n
$$;

create function directory.keep_tenant_name_tokens() returns trigger
language plpgsql security definer set search_path = directory, public, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.name = old.name then
    update tenant_name_tokens set status = new.status, plan = new.plan where tenant_id = new.tenant_id;
    return null;
  end if;
  delete from tenant_name_tokens where tenant_id = new.tenant_id;
  insert into tenant_name_tokens select new.tenant_id, place, tokens, new.status, new.plan from name_tokens_of(new.name);
  return null;
end $$;
create trigger keep_name_tokens after insert or update of name, status, plan on tenants
  for each row execute function directory.keep_tenant_name_tokens();

-- The wall stands against the owner of the tables too; for this one statement it does not.
alter table tenants no force row level security;
insert into directory.tenant_name_tokens
  select tenant_id, place, tokens, status, plan from tenants, directory.name_tokens_of(name);
alter table tenants force row level security;

grant execute on function name_tokens to parley_app, parley_operator;
grant select on directory.tenant_name_tokens to parley_operator;

-- Who changed a tenant's value, and when. Values from before this do not know it.
alter table entitlement_overrides add column changed_by text, add column changed_at timestamptz;
