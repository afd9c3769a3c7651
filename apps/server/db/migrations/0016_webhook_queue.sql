-- A planner believes the queue to be nearly empty, as it was when statistics were taken, and would read all that waits for a
-- tenant or an endpoint to find a few rows. Keys that begin with what is looked for leave it no such choice.
alter table webhook_queue drop constraint webhook_queue_pkey, add primary key (id, tenant_id);
drop index webhook_queue_due, webhook_queue_order;
create index webhook_queue_due on webhook_queue (webhook_id, next_attempt_at);
create index webhook_queue_order on webhook_queue (webhook_id, conversation_id, position) where conversation_id is not null;

-- The log is only read endpoint by endpoint: one index less for each delivery to write.
alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
drop index webhook_deliveries_tenant_id_webhook_id_id_idx;
alter table webhook_deliveries add primary key (tenant_id, webhook_id, id);
-- What went wrong is looked for among what went right, which is nearly all.
create index on webhook_deliveries (tenant_id, webhook_id, id) where status <> 'succeeded';
