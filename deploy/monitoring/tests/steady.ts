/** When the fault happens, in minutes. Before it, every alert must be silent. */
export const faultAt = 30;

// Values in promtool's notation, where `1x3` is four samples of 1. They end as those of `lasting` need.
const before = (value: number) => `${value}x${faultAt - 1}`;

/** A value that changes with the fault. */
export const gauge = (steadily: number, then = steadily) => `${before(steadily)} ${then}x1`;

/** A counter, by how much it grows each minute, before the fault and from then on. */
export const counter = (steadily: number, then = steadily) =>
  `0+${steadily}x${faultAt - 1} ${steadily * faultAt}+${then}x1`;

/** A value that grows by as much each minute from the fault on. */
export const ramp = (steadily: number, perMinute: number) =>
  `${before(steadily)} ${steadily}${perMinute < 0 ? '' : '+'}${perMinute}x1`;

/** A series of a process that is gone: the scrape that fails marks it stale. */
export const gone = (steadily = 1) => `${before(steadily)} stale _x1`;

/** A series of a process that is new. */
export const added = (value: number) => `_x${faultAt - 1} ${value}x1`;

/** The values for as many minutes after the fault. */
export const lasting = (values: string, minutes: number) => values.replace(/x1$/, `x${minutes + 2}`);

const api = 'role="api", instance="api-1"';
const worker = 'role="worker", instance="worker-1"';
const processes = ['api', 'worker', 'portal', 'admin'].map(
  (role) => [role, `role="${role}", instance="${role}-1"`] as const,
);

const http = 'http_server_request_duration_seconds';
const request = (route: string, status: string) =>
  `${api}, http_request_method="GET", http_route="${route}", http_response_status_code="${status}"`;
const disk = `instance="db-1", device="/dev/sda1", fstype="ext4", mountpoint="/var/lib/postgresql"`;
const gigabyte = 1e9;
const certificateExpiresAt = 40 * 86_400;

/** A busy deployment in which all is well: its series, and a few errors that no budget minds. */
export const steady: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    processes.flatMap(([role, labels]) => [
      [`parley_build_info{${labels}, version="1.0.0"}`, gauge(1)],
      [`process_start_time_seconds{${labels}}`, gauge(1_000)],
      [`parley_event_loop_blocked_total{${labels}}`, counter(0.1)],
      [`nodejs_eventloop_utilization_ratio{${labels}}`, gauge(role === 'api' ? 0.6 : 0.3)],
    ]),
  ),
  ...Object.fromEntries(
    ['postgresql', 'valkey', 'restate', 'mail'].flatMap((component) =>
      [api, worker].flatMap((labels) => [
        [`parley_component_up{${labels}, component="${component}"}`, gauge(1)],
        [`parley_component_latency_seconds{${labels}, component="${component}"}`, gauge(0.01)],
      ]),
    ),
  ),
  [`${http}_count{${request('/tenants/:tenantId/bots', '200')}}`]: counter(6_000),
  [`${http}_count{${request('/tenants/:tenantId/bots', '503')}}`]: counter(0.3),
  [`${http}_count{${request('/cdn/:file', '200')}}`]: counter(6_000),
  [`${http}_count{${request('/cdn/:file', '500')}}`]: counter(0.2),
  [`${http}_count{${request('/auth/login', '200')}}`]: counter(600),
  [`${http}_bucket{${request('/auth/login', '200')}, le="2.5"}`]: counter(599.5),
  'parley_turn_first_token_seconds_count{mode="model", role="worker", instance="worker-1"}': counter(300),
  'parley_turn_first_token_seconds_bucket{mode="model", role="worker", instance="worker-1", le="4"}': counter(294),
  [`parley_webhook_commit_to_attempt_seconds_count{${worker}}`]: counter(3_000),
  [`parley_webhook_commit_to_attempt_seconds_bucket{${worker}, le="10"}`]: counter(2_998),
  [`db_client_connection_timeouts_total{${api}, pool="main"}`]: counter(0),
  [`db_client_connection_pending_requests{${api}, pool="main"}`]: gauge(1),
  [`parley_db_replica_lag_seconds{${api}, replica="replica-1"}`]: gauge(1),
  [`parley_partition_days_ahead{${worker}}`]: gauge(14),
  [`parley_restate_stuck_invocations{${worker}}`]: gauge(0),
  [`parley_restate_request_duration_seconds_count{${worker}, operation="send", outcome="succeeded"}`]: counter(600),
  [`parley_restate_request_duration_seconds_count{${worker}, operation="send", outcome="failed"}`]: counter(3),
  [`node_filesystem_avail_bytes{${disk}}`]: ramp(60 * gigabyte, -0.001 * gigabyte),
  [`node_filesystem_size_bytes{${disk}}`]: gauge(100 * gigabyte),
  [`parley_certificate_expires_timestamp_seconds{${api}, certificate="api.example.com"}`]: gauge(certificateExpiresAt),
  [`parley_clock_offset_seconds{${api}}`]: gauge(0.02),
  [`parley_clock_offset_seconds{${worker}}`]: gauge(-0.3),
  'parley_portal_errors_total{role="portal", instance="portal-1"}': counter(0.1),
  'parley_portal_render_duration_seconds_count{role="portal", instance="portal-1", route="/"}': counter(100),
  [`parley_timers_overdue{${worker}}`]: gauge(0),
  [`parley_events_oldest_pending_seconds{${worker}}`]: gauge(0.4),
  [`gen_ai_client_operation_duration_seconds_count{${worker}, gen_ai_provider_name="openai", error_type=""}`]:
    counter(300),
  [`gen_ai_client_operation_duration_seconds_count{${worker}, gen_ai_provider_name="openai", error_type="timeout"}`]:
    counter(6),
  [`gen_ai_client_operation_time_to_first_chunk_seconds_bucket{${worker}, gen_ai_provider_name="openai", le="3"}`]:
    counter(290),
  [`gen_ai_client_operation_time_to_first_chunk_seconds_bucket{${worker}, gen_ai_provider_name="openai", le="4"}`]:
    counter(300),
  [`gen_ai_client_operation_time_to_first_chunk_seconds_bucket{${worker}, gen_ai_provider_name="openai", le="+Inf"}`]:
    counter(300),
  [`parley_budget_refusals_total{${worker}, budget="tenant"}`]: counter(0.1),
  [`parley_retrievals_total{${worker}, outcome="found"}`]: counter(200),
  [`parley_retrievals_total{${worker}, outcome="error"}`]: counter(1),
  [`parley_webhook_oldest_due_seconds{${worker}}`]: gauge(2),
  [`parley_webhook_lanes{${worker}}`]: gauge(32),
  'parley_webhook_lanes{role="worker", instance="worker-2"}': gauge(32),
  [`parley_webhook_attempts_total{${worker}, outcome="succeeded"}`]: counter(3_000),
  [`parley_webhook_attempts_total{${worker}, outcome="failed"}`]: counter(300),
  [`parley_action_runs_total{${worker}, outcome="succeeded"}`]: counter(30),
  [`parley_action_runs_total{${worker}, outcome="failed"}`]: counter(3),
  [`parley_action_runs_unknown{${worker}}`]: gauge(7),
  [`parley_emails_oldest_pending_seconds{${worker}}`]: gauge(3),
  [`parley_emails_total{${worker}, outcome="sent"}`]: counter(20),
  [`parley_emails_total{${worker}, outcome="failed"}`]: counter(0.05),
  [`parley_sign_ins_total{${api}, method="password", outcome="throttled"}`]: counter(1),
  [`parley_rate_limited_requests_total{${api}, limit="reads"}`]: counter(30),
  [`parley_chores_overdue_seconds{${worker}}`]: gauge(5),
  [`parley_sweeper_recovered_total{${worker}, kind="turn"}`]: counter(0.5),
};
