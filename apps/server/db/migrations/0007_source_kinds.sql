-- no transaction
alter table knowledge_sources validate constraint knowledge_sources_kind_check;
