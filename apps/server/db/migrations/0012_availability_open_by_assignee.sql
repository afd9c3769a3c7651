-- no transaction
create index concurrently if not exists conversations_open_by_assignee on conversations (tenant_id, assignee_id)
  where assignee_id is not null and state <> 'closed';
