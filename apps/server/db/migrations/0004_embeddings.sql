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
select grant_to_bound_keys();
