-- A source that is crawled from one URL. The documents are the list of pages to visit: docs/adr/0061-crawl.md
alter table knowledge_documents
  add column depth     int not null default 0,       -- links away from the start page
  add column links     text[],                       -- pages it links to, for when it has not changed or cannot be fetched
  add column validator jsonb;                        -- ETag and Last-Modified, to fetch it only if it has changed
alter table knowledge_sources
  add column listed_at  timestamptz,                     -- when the current sync started to fetch documents
  add column is_limited boolean not null default false;  -- more pages were found than a source may have
alter table knowledge_sources drop constraint knowledge_sources_kind_check;
alter table knowledge_sources add constraint knowledge_sources_kind_check
  check (kind in ('text', 'url', 'site', 'sitemap', 'file', 'qa')) not valid;
