-- no transaction
create index concurrently if not exists contacts_by_last_seen on contacts (tenant_id, environment_id, last_seen_at desc, id desc);
