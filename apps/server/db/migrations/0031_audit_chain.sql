-- An audit log that shows tampering: each entry of a tenant carries the hash of the one before it, and once a day the
-- worker signs the newest hash. docs/adr/0037-audit-chain.md

-- The end of each tenant's chain. Locked by whoever writes an entry, who has locked the tenant's row of
-- directory.event_streams before: nobody ever waits here for long, or in another order.
create table directory.audit_chains (
  tenant_id     text primary key,
  last_sequence bigint not null,
  last_id       text,
  last_hash     bytea not null,
  -- Only the first entry after a head changes it, so that all others are updates that touch no index.
  has_unsigned  boolean not null default true,
  head_due_at   timestamptz not null default now()
) with (fillfactor = 70);
create index audit_chains_due on directory.audit_chains (head_due_at) where has_unsigned;

-- The defaults never stay: a trigger fills the columns in.
alter table audit_entries
  add column sequence      bigint not null default 0, -- dense per tenant, in the order of the commits
  add column previous_id   text collate "C", -- tells whether retention has dropped the entry before this one
  add column previous_hash bytea not null default '',
  add column hash          bytea not null default '';

-- A netstring, so that no two lists of fields have the same text. `-` is null, which no length looks like.
create function directory.audit_field(value text) returns text language sql immutable as $$
  select coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-') || ','
$$;
-- The same as `hashOf` in features/audit/chain.ts.
create function directory.audit_entry_hash(e audit_entries) returns bytea
language sql stable set search_path = directory, public, pg_temp as $$
  select sha256(convert_to(string_agg(audit_field(value), '' order by place), 'UTF8'))
  from unnest(array['parley-audit-1', e.tenant_id, e.sequence::text, e.id, e.event_id, e.action, e.subject_id,
    e.actor_type, e.actor_id, e.request_id, e.data::text, (extract(epoch from e.created_at) * 1000000)::bigint::text,
    e.previous_id, encode(e.previous_hash, 'hex')]) with ordinality as fields (value, place)
$$;

-- Links an entry to the end of its tenant's chain, whoever inserts it, also a server that knows nothing of chains.
create function directory.chain_audit_entry() returns trigger
language plpgsql security definer set search_path = directory, public, pg_temp as $$
declare
  link audit_chains;
begin
  select * into link from audit_chains c where c.tenant_id = new.tenant_id for update;
  if not found then
    insert into audit_chains (tenant_id, last_sequence, last_hash) values (new.tenant_id, 0, '') on conflict do nothing;
    select * into link from audit_chains c where c.tenant_id = new.tenant_id for update;
  end if;
  new.sequence := link.last_sequence + 1;
  new.previous_id := link.last_id;
  new.previous_hash := link.last_hash;
  new.hash := audit_entry_hash(new);
  update audit_chains c set last_sequence = new.sequence, last_id = new.id, last_hash = new.hash, has_unsigned = true
    where c.tenant_id = new.tenant_id;
  return new;
end $$;
revoke execute on function directory.audit_field, directory.audit_entry_hash, directory.chain_audit_entry from public;

-- What was written before is chained in the order of its ids.
alter table audit_entries no force row level security;
do $$
declare
  e    audit_entries;
  link directory.audit_chains;
begin
  for e in select * from audit_entries order by tenant_id, id loop
    if link.tenant_id is distinct from e.tenant_id then
      link := (e.tenant_id, 0, null, '', true, now())::directory.audit_chains;
    end if;
    e.sequence := link.last_sequence + 1;
    e.previous_id := link.last_id;
    e.previous_hash := link.last_hash;
    e.hash := directory.audit_entry_hash(e);
    update audit_entries set sequence = e.sequence, previous_id = e.previous_id, previous_hash = e.previous_hash, hash = e.hash
      where tenant_id = e.tenant_id and id = e.id;
    link := (e.tenant_id, e.sequence, e.id, e.hash, true, now())::directory.audit_chains;
    insert into directory.audit_chains select link.* on conflict (tenant_id) do update
      set last_sequence = excluded.last_sequence, last_id = excluded.last_id, last_hash = excluded.last_hash;
  end loop;
end $$;
alter table audit_entries force row level security;
create index audit_entries_by_sequence on audit_entries (tenant_id, sequence);
create trigger chain before insert on audit_entries for each row execute function directory.chain_audit_entry();

-- What the worker signed: a JWS over the sequence, id and hash of the newest entry at that time.
create table audit_heads (
  tenant_id text not null default current_tenant(),
  sequence  bigint not null,
  signed_at timestamptz not null default now(),
  jws       text not null,
  primary key (tenant_id, sequence)
);
select protect_by_tenant('audit_heads', 'select');
select protect_by_binding('audit_heads', 'false');

create function directory.audit_chain() returns table (last_sequence bigint, last_id text, last_hash bytea)
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select c.last_sequence, c.last_id, c.last_hash from audit_chains c where c.tenant_id = current_tenant()
$$;
-- Tenants with entries since their last head, which is a day old. Idle ones are not even looked at.
create function directory.audit_heads_due(max_rows int) returns setof text
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select c.tenant_id from audit_chains c where c.has_unsigned and c.head_due_at <= clock_timestamp()
  order by c.head_due_at limit least(max_rows, 1000)
$$;
-- Of several workers one gets it; if that one dies, another does in ten minutes. A deleted tenant waits until it is
-- restored, so that nothing is written while it is erased.
create function directory.claim_audit_head() returns boolean
language sql security definer set search_path = directory, public, pg_temp as $$
  with claimed as (
    update audit_chains c set head_due_at = clock_timestamp() + interval '10 minutes'
    where c.tenant_id = current_tenant() and c.has_unsigned and c.head_due_at <= clock_timestamp() returning 1)
  select exists (select from claimed)
    and exists (select from public.tenants t where t.tenant_id = current_tenant() and t.status <> 'deleted')
$$;
-- Heads stay for some months longer than the entries, to tell what retention has dropped from what somebody has deleted.
create function directory.keep_audit_head(new_sequence bigint, new_jws text) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into public.audit_heads (sequence, jws) values (new_sequence, new_jws) on conflict do nothing;
  delete from public.audit_heads h where h.tenant_id = current_tenant() and h.signed_at < now() - interval '500 days';
  update audit_chains c set has_unsigned = c.last_sequence > new_sequence, head_due_at = now() + interval '1 day'
    where c.tenant_id = current_tenant();
$$;

-- What signs heads. Encrypted by the master key, and kept for as long as a head may have to be verified.
create table directory.audit_keys (
  kid        text primary key,
  encrypted     bytea not null,
  signs_from timestamptz not null
);
create function directory.read_audit_keys() returns setof directory.audit_keys
language sql stable security definer set search_path = directory, public, pg_temp as $$
  select * from audit_keys order by signs_from desc
$$;
create function directory.add_audit_key(new_kid text, new_encrypted bytea, new_signs_from timestamptz) returns void
language sql security definer set search_path = directory, public, pg_temp as $$
  insert into audit_keys values (new_kid, new_encrypted, new_signs_from)
  on conflict (kid) do update set encrypted = excluded.encrypted
$$;
grant execute on function directory.audit_chain, directory.audit_heads_due, directory.claim_audit_head,
  directory.keep_audit_head, directory.read_audit_keys, directory.add_audit_key to parley_app;

select grant_to_bound_keys();
