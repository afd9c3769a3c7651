import { added, counter, gauge, gone, ramp } from './steady.ts';

export interface Fault {
  name: string;
  /** Alert and severity of everything that fires, and of nothing else. */
  fires: readonly string[];
  /** How many minutes after the fault. */
  after: number;
  /** Series that differ from the steady state: those that match the prefix, with these values. */
  change: Readonly<Record<string, string>>;
}

const http = 'http_server_request_duration_seconds_count{role="api"';
const away = (component: string) => ({
  [`parley_component_up{role="api", instance="api-1", component="${component}"}`]: gauge(1, 0),
  [`parley_component_up{role="worker", instance="worker-1", component="${component}"}`]: gauge(1, 0),
});
const slow = (component: string, seconds: number) => ({
  [`parley_component_latency_seconds{role="api", instance="api-1", component="${component}"}`]: gauge(0.01, seconds),
  [`parley_component_latency_seconds{role="worker", instance="worker-1", component="${component}"}`]: gauge(
    0.01,
    seconds,
  ),
});
const days = (count: number) => 3_600 + count * 86_400;

export const faults: readonly Fault[] = [
  // Components
  { name: 'PostgreSQL away', fires: ['ParleyPostgreSqlAway critical'], after: 2, change: away('postgresql') },
  { name: 'Restate away', fires: ['ParleyRestateAway critical'], after: 2, change: away('restate') },
  { name: 'Valkey away', fires: ['ParleyValkeyAway warning'], after: 3, change: away('valkey') },
  { name: 'mail server away', fires: ['ParleyMailAway warning'], after: 6, change: away('mail') },
  {
    name: 'one process without PostgreSQL',
    fires: ['ParleyComponentUnreachable warning'],
    after: 6,
    change: { 'parley_component_up{role="api", instance="api-1", component="postgresql"}': gauge(1, 0) },
  },
  { name: 'PostgreSQL slow', fires: ['ParleyPostgreSqlSlow warning'], after: 6, change: slow('postgresql', 0.4) },
  { name: 'Valkey slow', fires: ['ParleyValkeySlow warning'], after: 6, change: slow('valkey', 0.2) },
  { name: 'Restate slow', fires: ['ParleyRestateSlow warning'], after: 6, change: slow('restate', 0.8) },
  {
    name: 'requests that wait for a connection',
    fires: ['ParleyDatabaseConnectionsExhausted critical'],
    after: 9,
    change: { 'db_client_connection_pending_requests{': gauge(1, 12) },
  },
  {
    name: 'requests that time out without a connection',
    fires: ['ParleyDatabaseConnectionsExhausted critical'],
    after: 5,
    change: { 'db_client_connection_timeouts_total{': counter(0, 3) },
  },
  {
    name: 'replica late',
    fires: ['ParleyReplicaLate warning'],
    after: 6,
    change: { 'parley_db_replica_lag_seconds{': gauge(1, 90) },
  },
  {
    name: 'no partitions created',
    fires: ['ParleyPartitionsRunningOut critical'],
    after: 11,
    change: { 'parley_partition_days_ahead{': gauge(14, 2) },
  },
  {
    name: 'Restate invocations stuck',
    fires: ['ParleyRestateStuckInvocations warning'],
    after: 11,
    change: { 'parley_restate_stuck_invocations{': gauge(0, 2) },
  },
  {
    name: 'calls to Restate fail',
    fires: ['ParleyRestateCallsFailing warning'],
    after: 9,
    change: {
      'parley_restate_request_duration_seconds_count{role="worker", instance="worker-1", operation="send", outcome="failed"}':
        counter(3, 300),
    },
  },
  {
    name: 'disk nearly full',
    fires: ['ParleyDiskNearlyFull warning'],
    after: 16,
    change: { 'node_filesystem_avail_bytes{': gauge(21e9, 19e9) },
  },
  {
    name: 'disk full',
    fires: ['ParleyDiskFull critical', 'ParleyDiskNearlyFull warning'],
    after: 16,
    change: { 'node_filesystem_avail_bytes{': gauge(60e9, 3e9) },
  },
  {
    name: 'disk that fills within hours',
    fires: ['ParleyDiskFull critical'],
    after: 30,
    change: { 'node_filesystem_avail_bytes{': ramp(39e9, -0.5e9) },
  },
  {
    name: 'certificate of which the renewal fails',
    fires: ['ParleyCertificateExpiresSoon warning'],
    after: 62,
    change: { 'parley_certificate_expires_timestamp_seconds{': gauge(days(40), days(10)) },
  },
  {
    name: 'certificate about to expire',
    fires: ['ParleyCertificateExpiresNow critical', 'ParleyCertificateExpiresSoon warning'],
    after: 62,
    change: { 'parley_certificate_expires_timestamp_seconds{': gauge(days(40), days(1)) },
  },
  {
    name: 'clock ahead',
    fires: ['ParleyClockSkew warning'],
    after: 6,
    change: { 'parley_clock_offset_seconds{role="api"': gauge(0.02, 5) },
  },
  {
    name: 'clock behind',
    fires: ['ParleyClockSkew warning'],
    after: 6,
    change: { 'parley_clock_offset_seconds{role="worker"': gauge(-0.3, -5) },
  },

  // Processes
  {
    name: 'no API',
    fires: ['ParleyApiMissing critical'],
    after: 2,
    change: { 'parley_build_info{role="api"': gone() },
  },
  {
    name: 'no worker',
    fires: ['ParleyWorkerMissing critical'],
    after: 2,
    change: { 'parley_build_info{role="worker"': gone() },
  },
  {
    name: 'no portal',
    fires: ['ParleyPortalMissing critical'],
    after: 3,
    change: { 'parley_build_info{role="portal"': gone() },
  },
  {
    name: 'restart loop',
    fires: ['ParleyProcessRestarting critical'],
    after: 10,
    change: { 'process_start_time_seconds{role="worker"': ramp(1_000, 60) },
  },
  {
    name: 'event loop blocked',
    fires: ['ParleyEventLoopBlocked warning'],
    after: 10,
    change: { 'parley_event_loop_blocked_total{role="api"': counter(0.1, 1) },
  },
  {
    name: 'process without CPU to spare',
    fires: ['ParleyProcessSaturated warning'],
    after: 16,
    change: { 'nodejs_eventloop_utilization_ratio{role="api"': gauge(0.6, 0.99) },
  },
  {
    name: 'roll-out that was not finished',
    fires: ['ParleyVersionsMixed warning'],
    after: 361,
    change: { 'parley_build_info{role="api", instance="api-2", version="1.1.0"}': added(1) },
  },
  {
    name: 'pages fail',
    fires: ['ParleyPortalErrors warning'],
    after: 11,
    change: { 'parley_portal_errors_total{role="portal"': counter(0.1, 20) },
  },

  // Work
  {
    name: 'work overdue',
    fires: ['ParleyTimersOverdue critical'],
    after: 6,
    change: { 'parley_timers_overdue{': gauge(0, 3) },
  },
  {
    name: 'events not published',
    fires: ['ParleyEventsLate critical'],
    after: 3,
    change: { 'parley_events_oldest_pending_seconds{': gauge(0.4, 50) },
  },
  {
    name: 'model down',
    fires: ['ParleyModelDown critical'],
    after: 9,
    change: {
      'gen_ai_client_operation_duration_seconds_count{role="worker", instance="worker-1", gen_ai_provider_name="openai", error_type=""':
        counter(300, 0),
      'gen_ai_client_operation_duration_seconds_count{role="worker", instance="worker-1", gen_ai_provider_name="openai", error_type="timeout"':
        counter(6, 300),
    },
  },
  {
    name: 'model slow',
    fires: ['ParleyModelSlow warning'],
    after: 21,
    change: {
      'gen_ai_client_operation_time_to_first_chunk_seconds_bucket{role="worker", instance="worker-1", gen_ai_provider_name="openai", le="3"':
        counter(290, 0),
    },
  },
  {
    name: 'budget used up',
    fires: ['ParleyBudgetRefusals warning'],
    after: 16,
    change: { 'parley_budget_refusals_total{': counter(0.1, 5) },
  },
  {
    name: 'searches fail',
    fires: ['ParleyRetrievalFailing warning'],
    after: 16,
    change: { 'parley_retrievals_total{role="worker", instance="worker-1", outcome="error"}': counter(1, 60) },
  },
  {
    name: 'webhook backlog',
    fires: ['ParleyWebhookBacklog warning'],
    after: 6,
    change: { 'parley_webhook_oldest_due_seconds{': gauge(2, 400) },
  },
  {
    name: 'lanes without an owner',
    fires: ['ParleyWebhookLanesUnowned critical'],
    after: 3,
    change: { 'parley_webhook_lanes{role="worker", instance="worker-2"': gone(32) },
  },
  {
    name: 'endpoint storm',
    fires: ['ParleyWebhookEndpointStorm warning'],
    after: 9,
    change: {
      'parley_webhook_attempts_total{role="worker", instance="worker-1", outcome="succeeded"}': counter(3_000, 0),
      'parley_webhook_attempts_total{role="worker", instance="worker-1", outcome="failed"}': counter(300, 10),
    },
  },
  {
    name: 'actions fail',
    fires: ['ParleyActionsFailing warning'],
    after: 26,
    change: { 'parley_action_runs_total{role="worker", instance="worker-1", outcome="failed"}': counter(3, 90) },
  },
  {
    name: 'runs with an unknown outcome',
    fires: ['ParleyActionRunsUnknown warning'],
    after: 2,
    change: { 'parley_action_runs_unknown{': gauge(7, 20) },
  },
  {
    name: 'emails wait',
    fires: ['ParleyEmailsLate warning'],
    after: 6,
    change: { 'parley_emails_oldest_pending_seconds{': gauge(3, 900) },
  },
  {
    name: 'emails fail',
    fires: ['ParleyEmailsFailing warning'],
    after: 30,
    change: { 'parley_emails_total{role="worker", instance="worker-1", outcome="failed"}': counter(0.05, 2) },
  },
  {
    name: 'password guessing',
    fires: ['ParleySignInsThrottled warning'],
    after: 16,
    change: { 'parley_sign_ins_total{': counter(1, 200) },
  },
  {
    name: 'a tenth of the requests rate limited',
    fires: ['ParleyRateLimited warning'],
    after: 21,
    change: { 'parley_rate_limited_requests_total{': counter(30, 6_000) },
  },
  {
    name: 'maintenance late',
    fires: ['ParleyChoresOverdue warning'],
    after: 6,
    change: { 'parley_chores_overdue_seconds{': gauge(5, 900) },
  },
  {
    name: 'work lost by Restate',
    fires: ['ParleySweeperBusy warning'],
    after: 30,
    change: { 'parley_sweeper_recovered_total{': counter(0.5, 30) },
  },

  // Objectives: a fast burn is critical, and soon also more than a slow burn; a slow burn only warns.
  ...(
    [
      [
        'ParleyApiErrorBudgetBurn',
        `${http}, instance="api-1", http_request_method="GET", http_route="/tenants/:tenantId/bots", http_response_status_code="503"}`,
        0.3,
        600,
        12,
      ],
      [
        'ParleyWidgetErrorBudgetBurn',
        `${http}, instance="api-1", http_request_method="GET", http_route="/cdn/:file", http_response_status_code="500"}`,
        0.2,
        600,
        6,
      ],
      [
        'ParleySignInErrorBudgetBurn',
        'http_server_request_duration_seconds_bucket{role="api", instance="api-1", http_request_method="GET", http_route="/auth/login"',
        599.5,
        300,
        593,
      ],
      ['ParleyFirstTokenErrorBudgetBurn', 'parley_turn_first_token_seconds_bucket{', 294, 0, 276],
      ['ParleyWebhookErrorBudgetBurn', 'parley_webhook_commit_to_attempt_seconds_bucket{', 2_998, 600, 2_940],
    ] as const
  ).flatMap(([alert, series, steadily, fast, slowly]): Fault[] => [
    {
      name: `${alert}: fast`,
      fires: [`${alert} critical`, `${alert} warning`],
      after: 50,
      change: { [series]: counter(steadily, fast) },
    },
    {
      name: `${alert}: slow`,
      fires: [`${alert} warning`],
      after: 50,
      change: { [series]: counter(steadily, slowly) },
    },
  ]),
];
