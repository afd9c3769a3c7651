-- What chunks mean, as an embedding model tells it: one more way to find them, where the database has the extension
-- `vector`. The owner may not install it, so its administrator does (`create extension vector schema public`), before
-- this or after it; then `parley-server vectors enable` runs this again. Says whether vectors can be kept.
create function directory.enable_vectors() returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  perform from pg_extension where extname = 'vector' and extnamespace = 'public'::regnamespace;
  if not found then return false; end if;
  if to_regclass('public.knowledge_vectors') is not null then return true; end if;
  -- Of any length: another model has another, and rows of both stand here while one takes over from the other.
  -- A vector goes with its chunk, whoever drops that.
  create table public.knowledge_vectors (
    tenant_id   text not null default current_tenant() references tenants,
    document_id text not null,
    place       int not null,
    source_id   text not null,
    model       text not null,
    embedding   vector not null,
    primary key (tenant_id, document_id, place),
    constraint knowledge_chunk_exists foreign key (tenant_id, document_id, place) references knowledge_chunks on delete cascade
  );
  -- In the row, where it fits: all of a bot's are read for each question, and fetching them from elsewhere takes thrice as long.
  alter table public.knowledge_vectors alter column embedding set storage main;
  create index knowledge_vectors_source on public.knowledge_vectors (tenant_id, source_id);
  perform protect_by_tenant('public.knowledge_vectors');
  return true;
end $$;
select directory.enable_vectors();
