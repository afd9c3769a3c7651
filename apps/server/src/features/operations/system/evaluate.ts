import type { ProcessInfo } from '../../../platform/processes.ts';
import type { DatabaseHealthMetrics, ValkeyHealthMetrics } from '../../../platform/health-metrics.ts';
import { advise, type AdviceName } from './advice.ts';
import { relayAlarmSeconds, type EmailQueue, type StreamQueue, type SweepRow } from './queues.ts';
import { Verdict, type Figure, type PartHealth } from './system.contract.ts';

// Turns measurements into verdicts with advice. Pure functions; undefined means that there was no response in time.

type Finding = [applies: boolean, verdict: Verdict, advice: AdviceName];

const rank = (verdict: Verdict) => Verdict.options.indexOf(verdict);
export const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((worstSoFar, next) => (rank(next) > rank(worstSoFar) ? next : worstSoFar), 'ok');

function evaluate(name: PartHealth['name'], label: string, figures: Figure[], findings: Finding[]): PartHealth {
  const matching = findings.filter(([applies]) => applies).sort(([, a], [, b]) => rank(b) - rank(a));
  return {
    name,
    label,
    verdict: worst(matching.map(([, verdict]) => verdict)),
    figures,
    advice: matching.map(([, , adviceName]) => advise(adviceName)),
  };
}

const figure = (
  label: string,
  value: number | null | undefined,
  unit: Figure['unit'],
  max?: number | null,
): Figure => ({
  label,
  value: value ?? null,
  max: max ?? null,
  unit,
});

export function evaluateDatabase(metrics: DatabaseHealthMetrics | undefined): PartHealth {
  if (!metrics) return evaluate('postgres', 'PostgreSQL', [], [[true, 'away', 'postgresql-away']]);
  const { ms, connections, maxConnections, oldestTransactionSeconds, bytes, replicaLagSeconds, partitionDaysAhead } =
    metrics;
  return evaluate(
    'postgres',
    'PostgreSQL',
    [
      figure('Latency', ms, 'ms'),
      figure('Connections', connections, 'count', maxConnections),
      figure('Oldest transaction', oldestTransactionSeconds, 'seconds'),
      figure('Size', bytes, 'bytes'),
      ...(replicaLagSeconds === null ? [] : [figure('Replica lag', replicaLagSeconds, 'seconds')]),
      figure('Partitions ahead', partitionDaysAhead, 'days'),
    ],
    [
      [ms > 250, 'slow', 'postgresql-slow'],
      [connections > 0.8 * maxConnections, 'degraded', 'postgresql-connections'],
      [oldestTransactionSeconds > 300, 'degraded', 'postgresql-long-transaction'],
      [(replicaLagSeconds ?? 0) > 30, 'degraded', 'postgresql-replica-late'],
      [partitionDaysAhead < 3, 'degraded', 'postgresql-partitions'],
    ],
  );
}

export function evaluateValkey(metrics: ValkeyHealthMetrics | undefined): PartHealth {
  if (!metrics) return evaluate('valkey', 'Valkey', [], [[true, 'away', 'valkey-away']]);
  const { ms, bytes, maxBytes, evicted } = metrics;
  return evaluate(
    'valkey',
    'Valkey',
    [figure('Latency', ms, 'ms'), figure('Memory', bytes, 'bytes', maxBytes), figure('Evicted keys', evicted, 'count')],
    [
      [ms > 100, 'slow', 'valkey-slow'],
      [maxBytes !== null && bytes > 0.9 * maxBytes, 'degraded', 'valkey-memory'],
    ],
  );
}

export interface RestateHealthMetrics {
  /** Response time of the ingress. */
  ingressMs: number | undefined;
  isAdminSet: boolean;
  deployments: number | undefined;
  counts: Readonly<Record<string, number>> | undefined;
}

export function evaluateRestate({ ingressMs, isAdminSet, deployments, counts }: RestateHealthMetrics): PartHealth {
  const countOf = (status: string) => (counts ? (counts[status] ?? 0) : null);
  return evaluate(
    'restate',
    'Restate',
    [
      figure('Latency', ingressMs, 'ms'),
      figure('Deployments', deployments, 'count'),
      figure('Running', countOf('running'), 'count'),
      figure('Suspended', countOf('suspended'), 'count'),
      figure('Scheduled', countOf('scheduled'), 'count'),
      figure('Backing off', countOf('backing-off'), 'count'),
      figure('Paused', countOf('paused'), 'count'),
    ],
    [
      [ingressMs === undefined, 'away', 'restate-away'],
      [!isAdminSet, 'ok', 'restate-admin-unset'],
      [isAdminSet && ingressMs !== undefined && deployments === undefined, 'degraded', 'restate-admin-away'],
      [deployments === 0, 'degraded', 'restate-no-deployment'],
      [(countOf('paused') ?? 0) > 0, 'degraded', 'restate-paused'],
      [(countOf('backing-off') ?? 0) >= 10, 'degraded', 'restate-backing-off'],
    ],
  );
}

/** Processes are registered in Valkey: while it is unavailable, no worker is reported missing. */
export const evaluateProcesses = (processes: readonly ProcessInfo[] | undefined): PartHealth =>
  evaluate(
    'processes',
    'Processes',
    (['api', 'worker'] as const).map((role) =>
      figure(role === 'api' ? 'APIs' : 'Workers', processes?.filter((one) => one.role === role).length, 'count'),
    ),
    [[processes !== undefined && !processes.some(({ role }) => role === 'worker'), 'away', 'worker-missing']],
  );

export const evaluateRelay = (metrics: StreamQueue | undefined): PartHealth =>
  evaluate(
    'relay',
    'Relay',
    [
      figure('Tenants with pending events', metrics?.waiting, 'count'),
      figure('Oldest event', metrics && (metrics.oldestSeconds ?? 0), 'seconds'),
      figure('Consecutive failures', metrics?.failures, 'count'),
    ],
    [[(metrics?.oldestSeconds ?? 0) > relayAlarmSeconds, 'degraded', 'relay-late']],
  );

/** Kinds that the sweeper always handles itself, so they say nothing about Restate. */
const sweeperKinds = new Set(['', 'tenant-erasure']);

export function evaluateSweeper(rows: readonly SweepRow[] | undefined, now: Date): PartHealth {
  const last = rows?.find(({ kind }) => kind === '')?.lastAt;
  const matching = rows?.filter(({ kind }) => !sweeperKinds.has(kind)).reduce((sum, { lastHour }) => sum + lastHour, 0);
  const silentSeconds = last && (now.getTime() - last.getTime()) / 1_000;
  return evaluate(
    'sweeper',
    'Sweeper',
    [figure('Last run', silentSeconds, 'seconds'), figure('Recovered, last hour', matching, 'count')],
    [
      [rows !== undefined && (silentSeconds === undefined || silentSeconds > 150), 'degraded', 'sweeper-silent'],
      [(matching ?? 0) >= 100, 'degraded', 'sweeper-busy'],
    ],
  );
}

export const evaluateMailer = (metrics: EmailQueue | undefined): PartHealth =>
  evaluate(
    'mailer',
    'Email queue',
    [figure('Pending', metrics?.waiting, 'count'), figure('Failed', metrics?.failed, 'count')],
    [
      // A few bounces are normal; many point to a problem of the deployment.
      [(metrics?.failed ?? 0) > 0, (metrics?.failed ?? 0) >= 10 ? 'degraded' : 'ok', 'emails-failed'],
    ],
  );
