-- Vectors of chunks where the database has no `vector` extension. The server compares them itself: docs/adr/0059-embeddings.md
create table knowledge_embeddings (
  tenant_id   text collate "C" not null default current_tenant() references tenants,
  document_id text collate "C" not null,
  place       int not null,
  source_id   text collate "C" not null,
  model       text not null,
  embedding   bytea not null,  -- one signed byte per dimension
  primary key (tenant_id, document_id, place),
  constraint knowledge_chunk_exists foreign key (tenant_id, document_id, place) references knowledge_chunks on delete cascade
);
-- Stored inline, because all vectors of a source are read together.
alter table knowledge_embeddings alter column embedding set storage main;
create index knowledge_embeddings_source on knowledge_embeddings (tenant_id, source_id);
select protect_by_tenant('knowledge_embeddings');
select protect_by_binding('knowledge_embeddings', $$exists (
  select from knowledge_sources s where s.tenant_id = knowledge_embeddings.tenant_id and s.id = knowledge_embeddings.source_id)$$);

-- The table for the extension had no rules for bound keys, and so denied their requests.
create or replace function directory.enable_vectors() returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  perform from pg_extension where extname = 'vector' and extnamespace = 'public'::regnamespace;
  if not found then return false; end if;
  if to_regclass('public.knowledge_vectors') is null then
    -- No fixed dimension: vectors of two models coexist while one replaces the other.
    create table public.knowledge_vectors (
      tenant_id   text collate "C" not null default current_tenant() references tenants,
      document_id text collate "C" not null,
      place       int not null,
      source_id   text collate "C" not null,
      model       text not null,
      embedding   vector not null,
      primary key (tenant_id, document_id, place),
      constraint knowledge_chunk_exists foreign key (tenant_id, document_id, place) references knowledge_chunks on delete cascade
    );
    alter table public.knowledge_vectors alter column embedding set storage main;
    create index knowledge_vectors_source on public.knowledge_vectors (tenant_id, source_id);
    perform protect_by_tenant('public.knowledge_vectors');
  end if;
  perform from pg_policy where polrelid = 'public.knowledge_vectors'::regclass and polname = 'binding';
  if not found then
    perform protect_by_binding('public.knowledge_vectors', $p$exists (
      select from knowledge_sources s where s.tenant_id = knowledge_vectors.tenant_id and s.id = knowledge_vectors.source_id)$p$);
    perform grant_to_bound_keys();
  end if;
  return true;
end $$;
select directory.enable_vectors();
select grant_to_bound_keys();
