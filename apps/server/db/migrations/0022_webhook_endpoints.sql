-- The health of endpoints is in `webhook_health` since 0020_lanes.sql, and no process marks endpoints as awake any more.
alter table webhooks
  -- squawk-ignore ban-drop-column
  drop column health,
  -- squawk-ignore ban-drop-column
  drop column last_success_at,
  -- squawk-ignore ban-drop-column
  drop column last_failure_at,
  -- squawk-ignore ban-drop-column
  drop column last_failure_status,
  -- squawk-ignore ban-drop-column
  drop column awake_until;
