-- no transaction
-- Finds what became due in the last minute, whatever else is queued: see lanes.cross-tenant.ts.
create index concurrently if not exists webhook_queue_by_time on webhook_queue (next_attempt_at);
