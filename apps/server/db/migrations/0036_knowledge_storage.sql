-- What a bot's knowledge takes up, for the limit of its plan. Of a source, the larger of what it was given (a file, a text,
-- questions) and what was read from it counts. Sources from before are counted by their next sync.
alter table knowledge_documents add column bytes bigint not null default 0;
alter table knowledge_sources
  add column given_bytes bigint not null default 0,
  add column text_bytes bigint not null default 0;
