-- no transaction
create index concurrently if not exists conversations_assigned on conversations (tenant_id, assignee_id, last_message_at desc, id desc) where assignee_id is not null and state in ('waiting_human', 'human');
