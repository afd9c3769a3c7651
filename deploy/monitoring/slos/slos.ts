/** The service level objectives. docs/operators/slos.md says why each has its target; rules/slos.yml is made from this. */
export interface Slo {
  /** The value of the label `slo`. */
  id: string;
  /** What the alert is called, and the heading of its runbook. */
  alert: string;
  /** The share of good events over 30 days. */
  objective: number;
  /** What the budget is spent on, as the alert's summary continues: "2 % of …". */
  bad: string;
  /** Events per second, over five minutes. */
  requests: string;
  /** Events per second that were not good, over five minutes. */
  errors: string;
  /** The bucket that separates good from bad. The processes must have it. */
  bucket?: { histogram: string; seconds: number };
}

/** Prometheus 3 writes whole bounds of buckets with a decimal, earlier versions as the process does. */
const upTo = (seconds: number) => (Number.isInteger(seconds) ? `le=~"${seconds}(\\\\.0)?"` : `le="${seconds}"`);

const http = 'http_server_request_duration_seconds';
const isServerError = 'http_response_status_code=~"5.."';
const rate = (series: string) => `sum(rate(${series}[5m]))`;
const orNone = (expression: string) => `(${expression} or vector(0))`;

/** The share of a histogram's events that took longer. */
const slower = (histogram: string, seconds: number, labels = '') => ({
  bucket: { histogram, seconds },
  requests: rate(`${histogram}_count${labels === '' ? '' : `{${labels}}`}`),
  errors: `${rate(`${histogram}_count${labels === '' ? '' : `{${labels}}`}`)} - ${rate(
    `${histogram}_bucket{${labels === '' ? '' : `${labels}, `}${upTo(seconds)}}`,
  )}`,
});

const api = 'role="api", http_route!~"/cdn/.*|/health/.*"';
const widget = 'role="api", http_route=~"/cdn/.*"';
const signIn = 'role="api", http_route=~"(/admin)?/auth/(login|login/mfa|refresh)|/pools/.*"';

export const slos: readonly Slo[] = [
  {
    id: 'api-availability',
    alert: 'ParleyApiErrorBudgetBurn',
    objective: 0.999,
    bad: 'API requests fail with a server error',
    requests: orNone(rate(`${http}_count{${api}}`)),
    errors: orNone(rate(`${http}_count{${api}, ${isServerError}}`)),
  },
  {
    id: 'widget-availability',
    alert: 'ParleyWidgetErrorBudgetBurn',
    objective: 0.9995,
    bad: 'requests for the widget fail with a server error',
    requests: orNone(rate(`${http}_count{${widget}}`)),
    errors: orNone(rate(`${http}_count{${widget}, ${isServerError}}`)),
  },
  {
    id: 'first-token',
    alert: 'ParleyFirstTokenErrorBudgetBurn',
    objective: 0.95,
    bad: 'turns wait longer than 4 s for the first token',
    ...slower('parley_turn_first_token_seconds', 4),
  },
  {
    id: 'webhook-delivery',
    alert: 'ParleyWebhookErrorBudgetBurn',
    objective: 0.99,
    bad: 'deliveries wait longer than 10 s for their first attempt',
    ...slower('parley_webhook_commit_to_attempt_seconds', 10),
  },
  {
    id: 'sign-in',
    alert: 'ParleySignInErrorBudgetBurn',
    objective: 0.995,
    bad: 'sign-in requests fail with a server error or take longer than 2.5 s',
    bucket: { histogram: http, seconds: 2.5 },
    requests: rate(`${http}_count{${signIn}}`),
    errors: `${rate(`${http}_count{${signIn}}`)} - ${orNone(
      rate(`${http}_bucket{${signIn}, http_response_status_code!~"5..", ${upTo(2.5)}}`),
    )}`,
  },
];
