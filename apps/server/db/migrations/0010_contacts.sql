-- Contacts with tags, a search index and the visitors merged into them: docs/adr/0064-contacts.md
alter table contacts
  add column tags          text[] not null default '{}',
  add column first_seen_at timestamptz not null default now(),
  add column last_seen_at  timestamptz not null default now();  -- accurate to five minutes
alter table visitors add column contact_id text collate "C";    -- the contact they turned out to be

-- What a contact is found by: tokens of its name, email and external id, and its tags as `#tag`.
create table contact_terms (
  tenant_id  text collate "C" not null default current_tenant() references tenants,
  term       text collate "C" not null,
  contact_id text collate "C" not null,
  primary key (tenant_id, term, contact_id),
  constraint contact_exists foreign key (tenant_id, contact_id) references contacts on delete cascade
);
create index on contact_terms (tenant_id, contact_id, term);
select protect_by_tenant('contact_terms', 'select, insert, delete');
select protect_by_binding('contact_terms',
  'exists (select from contacts c where c.tenant_id = contact_terms.tenant_id and c.id = contact_terms.contact_id)');

select grant_to_bound_keys();
