import { sql } from 'kysely';
import type { startDelivery } from './features/durable.ts';
import { transactReadOnly, type Db } from './platform/db.ts';
import { replicaLags } from './platform/health-metrics.ts';
import { certificateExpiries } from './platform/metrics/certificates.ts';
import { readGauge, readGaugeBy, reuse } from './platform/metrics/gauges.ts';
import { createCounter } from './platform/metrics/instruments.ts';
import type { Platform } from './platform/platform.ts';
import { openSmtp } from './platform/smtp.ts';

const recovered = createCounter(
  'parley_sweeper_recovered_total',
  'Overdue work that the sweeper started because Restate had not, by kind.',
  { kind: [] },
);
export const countRecovered = (kind: string) => recovered.inc({ kind });

/**
 * What workers show about the cell. Every worker shows the same, so that none is needed for it: use `max`, not `sum`. Queues
 * are read once in 15 s, in one round trip, by index and up to a limit.
 */
export function showWorkerMetrics(
  { services: { db }, metrics, config, restateAdmin, componentMetrics }: Platform,
  lanes: ReturnType<typeof startDelivery>,
): void {
  const queues = reuse(() => readQueues(db));
  const replicas = reuse(() => replicaLags(db));
  const sizes = reuse(() => readSizes(db), { everyMs: 60_000 });
  const backlog = reuse(lanes.cellBacklog);
  const stuck = reuse(restateAdmin.countStuck, { everyMs: 60_000 });
  const certificates = certificateExpiries([config.PUBLIC_URL, config.PORTAL_URL, config.ADMIN_URL]);

  const gauge = (name: string, help: string, read: () => Promise<number | undefined> | number | undefined) =>
    readGauge(metrics, name, help, read);
  gauge(
    'parley_events_oldest_pending_seconds',
    'Age of the oldest event that has not been published.',
    async () => (await queues())?.eventSeconds,
  );
  gauge(
    'parley_partition_days_ahead',
    'Days until there is no partition for new rows.',
    async () => (await sizes())?.partitionDays,
  );
  gauge(
    'parley_chores_overdue_seconds',
    'How late the most overdue maintenance is.',
    async () => (await queues())?.choreSeconds,
  );
  gauge(
    'parley_timers_overdue',
    'Turns, syncs and other work more than a minute overdue (counted up to 500).',
    async () => (await queues())?.timers,
  );
  gauge(
    'parley_action_runs_unknown',
    'Action runs with an unknown outcome (counted up to 100).',
    async () => (await queues())?.unknownRuns,
  );
  gauge(
    'parley_emails_oldest_pending_seconds',
    'Age of the oldest email that has been neither sent nor marked as failed.',
    async () => (await queues())?.emailSeconds,
  );
  gauge(
    'parley_emails_failed',
    'Emails that failed permanently (counted up to 1,000).',
    async () => (await queues())?.failedEmails,
  );
  gauge('parley_db_size_bytes', 'Size of the database.', async () => (await sizes())?.bytes);
  readGaugeBy(
    metrics,
    { name: 'parley_db_replica_lag_seconds', help: 'How far a streaming replica is behind.', label: 'replica' },
    async () => replicas(),
  );

  gauge(
    'parley_webhook_lanes',
    'Delivery lanes that this worker owns; 0 while it cannot renew its lease.',
    lanes.served,
  );
  gauge('parley_webhook_lanes_taken', 'How often this worker took a lane, at its start or from another worker.', () =>
    lanes.takeOvers(),
  );
  gauge(
    'parley_webhook_endpoints_due',
    'Endpoints of this worker with due deliveries that it has not claimed yet.',
    () => lanes.backlog().endpoints,
  );
  gauge('parley_webhook_requests', 'Webhook requests in flight.', () => lanes.backlog().inFlight);
  gauge(
    'parley_webhook_oldest_due_seconds',
    'How long this worker has not claimed what is due to an endpoint that takes deliveries.',
    lanes.oldestDueSeconds,
  );
  gauge(
    'parley_webhook_backlog',
    'Due deliveries of the cell, those of paused endpoints included (counted up to 10,000).',
    async () => (await backlog())?.due,
  );
  readGaugeBy(
    metrics,
    { name: 'parley_webhook_endpoints', help: 'Endpoints that are not active (up to 1,000).', label: 'status' },
    async () => (await backlog())?.endpoints,
  );

  if (restateAdmin.isConfigured)
    gauge(
      'parley_restate_stuck_invocations',
      'Invocations that have been paused or retried for more than ten minutes (counted up to 100).',
      stuck,
    );
  readGaugeBy(
    metrics,
    {
      name: 'parley_certificate_expires_timestamp_seconds',
      help: 'When the certificate of PUBLIC_URL, PORTAL_URL or ADMIN_URL expires, by host.',
      label: 'certificate',
    },
    async () => certificates(),
  );
  if (config.SMTP_URL === undefined) return;
  const { verify } = openSmtp(config.SMTP_URL, config.MAIL_FROM, 1);
  // A provider may limit sign-ins.
  componentMetrics.add('mail', { check: verify, everyMs: 60_000 });
}

const readOnly = 'begin read only; set local statement_timeout = 2000';

const readQueues = (db: Db) =>
  transactReadOnly(db, readOnly, async (tx) => {
    const { rows } = await sql<{
      eventSeconds: number;
      choreSeconds: number;
      timers: number;
      unknownRuns: number;
      emailSeconds: number;
      failedEmails: number;
    }>`
      select (select oldest_seconds from directory.event_stream_lag()) as event_seconds,
        directory.chores_overdue_seconds() as chore_seconds,
        (select count(*)::int from directory.overdue_timers(60, 500)) as timers,
        (select count(*)::int from directory.list_unknown_runs('', 100)) as unknown_runs,
        email.oldest_seconds as email_seconds, email.failed as failed_emails
      from directory.email_queue(1000) as email`.execute(tx);
    const [values] = rows;
    if (!values) throw new Error('PostgreSQL returned no queues');
    return values;
  });

const readSizes = (db: Db) =>
  transactReadOnly(db, readOnly, async (tx) => {
    const { rows } = await sql<{ partitionDays: number; bytes: number }>`
      select directory.partition_days_ahead() as partition_days,
        pg_database_size(current_database())::float8 as bytes`.execute(tx);
    return rows[0];
  });
