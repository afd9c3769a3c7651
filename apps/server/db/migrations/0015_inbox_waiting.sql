-- no transaction
create index concurrently if not exists conversations_waiting on conversations (tenant_id, waiting_since, id) where waiting_since is not null;
