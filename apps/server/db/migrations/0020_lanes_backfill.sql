-- backfill webhooks by id, 1000 rows at a time
insert into webhook_health (tenant_id, webhook_id, health, last_success_at, last_failure_at, last_failure_status)
select tenant_id, id, health, last_success_at, last_failure_at, last_failure_status from webhooks
where (health <> '{}' or last_success_at is not null or last_failure_at is not null) and id > :after and id <= :upto
on conflict do nothing
