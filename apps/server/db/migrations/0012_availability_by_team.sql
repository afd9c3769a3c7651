-- no transaction
create index concurrently if not exists conversations_by_team on conversations (tenant_id, team_id, last_message_at desc, id desc)
  where team_id is not null;
