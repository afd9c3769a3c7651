/**
 * What to do about each alert, in a sentence or two. Each name is a heading of docs/runbooks/on-call.md, which has the
 * details. A test keeps the two in sync.
 */
export const advice = {
  'postgresql-away':
    'PostgreSQL is not responding, so no requests can be served. Check its logs and disk, and bring it back first.',
  'postgresql-slow':
    'PostgreSQL is slow. Check for long-running queries, a full disk, or a backup or migration in progress.',
  'postgresql-connections':
    'Nearly all connections are in use. Run fewer processes, lower DATABASE_POOL_SIZE, or add PgBouncer.',
  'postgresql-long-transaction':
    'A transaction has been open for minutes and may block others. Find it in pg_stat_activity and terminate it if it isn’t needed.',
  'postgresql-replica-late':
    'A replica is lagging. Don’t fail over to it until it has caught up, or recent data will be lost.',
  'postgresql-partitions':
    'Partitions for new rows will soon run out. Workers create them every hour: check that one is running, and search its log for “creating or dropping partitions failed”.',
  'valkey-away':
    'Valkey is not responding. Nothing is lost: rate limits apply per process, and changes can take up to five seconds. Restart it when you can.',
  'valkey-slow': 'Valkey is slow. Check its memory, and whether someone is running KEYS or MONITOR.',
  'valkey-memory':
    'Valkey is nearly out of memory. Give it more, or check what else uses the same server: Parley needs little.',
  'restate-away':
    'Restate is not responding. Messages and changes are still accepted and queued. Restart it, and the sweeper picks up all overdue work.',
  'restate-admin-away':
    'Restate accepts calls, but its admin API is not responding. Check RESTATE_ADMIN_URL and the load on Restate. Work continues in the meantime.',
  'restate-admin-unset':
    'RESTATE_ADMIN_URL is not set for the API, so work in Restate can’t be shown here. Set it and restart the API.',
  'restate-no-deployment':
    'No worker is registered with Restate, so no work is processed. Start a worker; it registers itself within seconds.',
  'restate-paused':
    'Invocations are paused after too many failures. Open Invocations, check why, fix the cause, then resume them.',
  'restate-backing-off':
    'Many invocations are failing and being retried. Open Invocations and look for a common cause.',
  'worker-missing':
    'No worker is running, so chats, webhooks and emails are not processed. Start a worker: everything that is queued will be processed, nothing is lost.',
  'relay-late':
    'Events are not being published, so webhooks and workflows receive nothing new. Check that a worker is running and Restate is responding, and search the worker’s log for “event relay failed”.',
  'sweeper-silent':
    'The sweeper hasn’t run for minutes, so overdue work is not picked up. Check that a worker is running and can reach PostgreSQL.',
  'sweeper-busy':
    'The sweeper keeps recovering overdue work, which means Restate is losing or delaying it. Check Restate and Invocations.',
  'emails-failed': 'Some emails failed permanently. Open Jobs to see why, fix the cause, then retry them there.',
  'emails-late':
    'Emails are delayed. Check SMTP_URL and the mail server; the worker’s log has its response. They are sent automatically once it accepts them.',
  'chats-late':
    'Visitors are waiting for replies. Check that a worker is running, then whether Restate or the models are slow. Invocations shows what is failing.',
  'actions-late': 'Action runs are overdue. Check Invocations for ActionRun; the tenants’ backends may be slow.',
  'webhooks-late':
    'No worker delivers the webhooks of some delivery lanes. Check that a worker is running and can reach PostgreSQL, and search its log for “delivery lanes”.',
  'syncs-late': 'Knowledge syncs are overdue. Check the syncs under Jobs, and Invocations for KnowledgeSource.',
  'timers-late': 'Other timers are overdue. See which ones under Jobs, and check the worker’s log for errors.',
} as const;
export type AdviceName = keyof typeof advice;

export const advise = (name: AdviceName) => ({ name, text: advice[name] });
