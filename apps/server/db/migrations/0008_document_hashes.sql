-- no transaction
create index concurrently if not exists knowledge_documents_hash on knowledge_documents (tenant_id, source_id, hash);
