/**
 * What somebody does whose pager rings, in a sentence or two. Each name is a heading of
 * docs/runbooks/when-the-pager-rings.md, which says more; a test holds the two together.
 */
export const advice = {
  'postgresql-away':
    'PostgreSQL did not answer in time. Nothing can be accepted without it: look at its log and its disk, and bring it back before anything else.',
  'postgresql-slow':
    'PostgreSQL answers slowly. Look for a long query or a full disk, and for a backup or a migration that runs now.',
  'postgresql-connections':
    'Nearly all connections are taken. Run fewer processes, lower DATABASE_POOL_SIZE, or put PgBouncer in between.',
  'postgresql-long-transaction':
    'A transaction has been open for minutes and holds others up. Find it in pg_stat_activity, and end it if nobody needs it.',
  'postgresql-replica-late':
    'A replica is behind. Until it has caught up it must not take over, or what it has not seen is lost.',
  'postgresql-partitions':
    'Soon there is no partition to write into. Any worker makes them each hour: see that one runs, and what its log says of partitions.',
  'valkey-away':
    'Valkey does not answer. Nothing is lost: limits count for each process alone, and changes take up to five seconds. Start it again when you can.',
  'valkey-slow': 'Valkey answers slowly. Look at its memory, and for somebody who runs KEYS or MONITOR on it.',
  'valkey-memory':
    'Valkey is nearly full. Give it more memory, or see what else is kept on the same server: Parley needs little.',
  'restate-away':
    'Restate does not answer. Messages and changes are still accepted, and wait; start it again, and the sweeper calls for all that was late.',
  'restate-admin-away':
    'Restate takes calls, but its admin address does not answer in time. Check RESTATE_ADMIN_URL and the load on Restate; work goes on meanwhile.',
  'restate-admin-unset':
    'RESTATE_ADMIN_URL is not set for the API, so nothing is known here of what runs in Restate. Set it and restart.',
  'restate-no-deployment':
    'Restate knows no worker, so nothing it is asked for is done. Start a worker; it registers itself within seconds.',
  'restate-paused':
    'Invocations are paused: Restate gave up trying them. Open Invocations, read why, mend it, then resume them.',
  'restate-backing-off':
    'Many invocations fail and are tried again. Open Invocations: what they have in common names the cause.',
  'worker-missing':
    'No worker is running, so nobody answers chats, delivers webhooks or sends letters. Start one: all that waits is done then, nothing is lost.',
  'relay-late':
    'Events are not handed on: webhooks and workflows hear nothing new. See that a worker runs and that Restate answers; its log says “events are held back” with the reason.',
  'sweeper-silent':
    'The sweeper has not looked for minutes, so what the engine lost is not found again. See that a worker runs and reaches PostgreSQL.',
  'sweeper-busy':
    'The sweeper steps in often, which means that Restate loses or delays work. Look at Restate and at Invocations before it gets worse.',
  'letters-failed': 'Letters were given up. Open Jobs to read why; once it is mended, send them again from there.',
  'letters-late':
    'Letters wait. Check SMTP_URL and that the mail server takes them; the worker’s log says what it answers. They go out by themselves then.',
  'chats-late':
    'Visitors wait for answers. See that a worker runs, then whether Restate or the models are slow; Invocations shows what fails.',
  'actions-late':
    'Runs of actions are overdue. Look at Invocations for ActionRun; the tenants’ own systems may be slow.',
  'webhooks-late':
    'Webhook endpoints are due and nobody delivers to them. See that a worker runs; look at Invocations for WebhookEndpoint.',
  'syncs-late': 'Knowledge waits to be read. Look at Jobs for the syncs, and at Invocations for KnowledgeSource.',
  'timers-late': 'Other timers are overdue. Look at Jobs for what they are; the worker’s log says what hinders them.',
} as const;
export type AdviceName = keyof typeof advice;

export const advise = (name: AdviceName) => ({ name, text: advice[name] });
