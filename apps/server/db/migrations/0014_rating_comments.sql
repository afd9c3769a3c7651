-- no transaction
create index concurrently if not exists conversations_commented on conversations (tenant_id, rated_at desc, id desc) where rating_comment is not null;
