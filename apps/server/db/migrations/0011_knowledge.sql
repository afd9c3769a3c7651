-- Trigrams find the word that somebody mistyped; btree_gin puts tenant and source before the words in one index.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table knowledge_sources (
  tenant_id      text not null default current_tenant() references tenants,
  id             text not null,
  bot_id         text not null,
  kind           text not null check (kind in ('text', 'url', 'sitemap', 'file', 'qa')),
  name           text not null check (length(name) between 1 and 120),
  config         jsonb not null,
  is_enabled     boolean not null default true,   -- part of the next published version
  schedule       text not null default 'none' check (schedule in ('none', 'daily', 'weekly')),
  language       text,                            -- null: found out for each document
  state          text not null default 'waiting' check (state in ('waiting', 'syncing', 'ready', 'failed')),
  sync_id        text,                            -- of the sync that runs, or ran last
  done           int not null default 0,
  total          int not null default 0,
  error          text,                            -- a stable word; the sentence for it stands in the code
  last_synced_at timestamptz,
  next_sync_at   timestamptz,
  created_by     text not null,
  created_at     timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint bot_exists foreign key (tenant_id, bot_id) references bots
);
create index on knowledge_sources (tenant_id, bot_id, id);
select protect_by_tenant('knowledge_sources');

create table knowledge_files (
  tenant_id  text not null default current_tenant() references tenants,
  source_id  text not null,
  name       text not null,
  media_type text not null,
  content    bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, source_id),
  constraint knowledge_source_exists foreign key (tenant_id, source_id) references knowledge_sources
);
select protect_by_tenant('knowledge_files');

-- One page, file, text or question. Also the sync's list of what is still to do: whatever dies, the rows say where it was.
create table knowledge_documents (
  tenant_id  text not null default current_tenant() references tenants,
  id         text not null,
  source_id  text not null,
  location   text not null,        -- its address, or what tells it apart within its source
  title      text not null default '',
  language   text,
  hash       bytea,                -- of what was read: the same again is not cut again
  state      text not null default 'waiting' check (state in ('waiting', 'ready', 'failed')),
  error      text,
  sync_id    text not null,        -- the sync that saw it last: what a finished one has not seen is gone
  fetched_at timestamptz,
  primary key (tenant_id, id),
  constraint knowledge_document_place unique (tenant_id, source_id, location),
  constraint knowledge_source_exists foreign key (tenant_id, source_id) references knowledge_sources
);
select protect_by_tenant('knowledge_documents');

-- What is found and quoted: a chunk under its headings.
create table knowledge_chunks (
  tenant_id   text not null default current_tenant() references tenants,
  document_id text not null,
  place       int not null,        -- in its document, from 0
  source_id   text not null,
  heading     text not null,       -- the path of headings above it, ' › ' between them; of a pair, the question
  body        text not null,       -- Markdown
  config      regconfig not null,  -- the language its words were read in
  tokens       tsvector not null,   -- weight A: title and headings, D: body
  primary key (tenant_id, document_id, place),
  constraint knowledge_document_exists foreign key (tenant_id, document_id) references knowledge_documents
);
create index knowledge_chunks_tokens on knowledge_chunks using gin (tenant_id, source_id, tokens);
select protect_by_tenant('knowledge_chunks');

-- The words of a source as they are written, in how many chunks: what a rare word is worth, and what a typing error meant.
create table knowledge_tokens (
  tenant_id text not null default current_tenant() references tenants,
  source_id text not null,
  token      text not null,
  lexeme    text not null,
  chunks  int not null,
  primary key (tenant_id, source_id, token),
  constraint knowledge_source_exists foreign key (tenant_id, source_id) references knowledge_sources
);
create index knowledge_tokens_alike on knowledge_tokens using gin (tenant_id, source_id, token gin_trgm_ops);
create index knowledge_tokens_lexeme on knowledge_tokens (tenant_id, source_id, lexeme);
select protect_by_tenant('knowledge_tokens');
