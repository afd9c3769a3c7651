-- no transaction
create index concurrently if not exists conversations_snoozed on conversations (tenant_id, last_message_at desc, id desc) where snoozed_until is not null;
