import type { ProcessInfo } from '../../../platform/processes.ts';
import type { DatabaseHealthMetrics, ValkeyHealthMetrics } from '../../../platform/health-metrics.ts';
import { advise, type AdviceName } from './advice.ts';
import { relayAlarmSeconds, type EmailQueue, type StreamQueue, type SweepRow } from './queues.ts';
import { Verdict, type Figure, type PartHealth } from './system.contract.ts';

// What figures mean. Pure: what was measured goes in, a verdict with what to do comes out. undefined: nobody answered in time.

type Finding = [isSo: boolean, verdict: Verdict, advice: AdviceName];

const rank = (verdict: Verdict) => Verdict.options.indexOf(verdict);
export const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((bad, next) => (rank(next) > rank(bad) ? next : bad), 'ok');

function evaluate(name: PartHealth['name'], label: string, figures: Figure[], findings: Finding[]): PartHealth {
  const found = findings.filter(([isSo]) => isSo).sort(([, a], [, b]) => rank(b) - rank(a));
  return {
    name,
    label,
    verdict: worst(found.map(([, verdict]) => verdict)),
    figures,
    advice: found.map(([, , what]) => advise(what)),
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

export function evaluateDatabase(seen: DatabaseHealthMetrics | undefined): PartHealth {
  if (!seen) return evaluate('postgres', 'PostgreSQL', [], [[true, 'away', 'postgresql-away']]);
  const {
    ms,
    connections,
    maxConnections: mostConnections,
    oldestTransactionSeconds,
    bytes,
    replicaLagSeconds,
    partitionDaysAhead,
  } = seen;
  return evaluate(
    'postgres',
    'PostgreSQL',
    [
      figure('Latency', ms, 'ms'),
      figure('Connections', connections, 'count', mostConnections),
      figure('Oldest transaction', oldestTransactionSeconds, 'seconds'),
      figure('Size', bytes, 'bytes'),
      ...(replicaLagSeconds === null ? [] : [figure('Replica lag', replicaLagSeconds, 'seconds')]),
      figure('Partitions ahead', partitionDaysAhead, 'days'),
    ],
    [
      [ms > 250, 'slow', 'postgresql-slow'],
      [connections > 0.8 * mostConnections, 'degraded', 'postgresql-connections'],
      [oldestTransactionSeconds > 300, 'degraded', 'postgresql-long-transaction'],
      [(replicaLagSeconds ?? 0) > 30, 'degraded', 'postgresql-replica-late'],
      [partitionDaysAhead < 3, 'degraded', 'postgresql-partitions'],
    ],
  );
}

export function evaluateValkey(seen: ValkeyHealthMetrics | undefined): PartHealth {
  if (!seen) return evaluate('valkey', 'Valkey', [], [[true, 'away', 'valkey-away']]);
  const { ms, bytes, maxBytes: mostBytes, evicted } = seen;
  return evaluate(
    'valkey',
    'Valkey',
    [
      figure('Latency', ms, 'ms'),
      figure('Memory', bytes, 'bytes', mostBytes),
      figure('Evicted keys', evicted, 'count'),
    ],
    [
      [ms > 100, 'slow', 'valkey-slow'],
      [mostBytes !== null && bytes > 0.9 * mostBytes, 'degraded', 'valkey-memory'],
    ],
  );
}

export interface RestateHealthMetrics {
  /** Milliseconds until the ingress answered. */
  ingressMs: number | undefined;
  isAdminSet: boolean;
  deployments: number | undefined;
  counts: Readonly<Record<string, number>> | undefined;
}

export function evaluateRestate({ ingressMs, isAdminSet, deployments, counts }: RestateHealthMetrics): PartHealth {
  const of = (status: string) => (counts ? (counts[status] ?? 0) : null);
  return evaluate(
    'restate',
    'Restate',
    [
      figure('Latency', ingressMs, 'ms'),
      figure('Deployments', deployments, 'count'),
      figure('Running', of('running'), 'count'),
      figure('Suspended', of('suspended'), 'count'),
      figure('Scheduled', of('scheduled'), 'count'),
      figure('Backing off', of('backing-off'), 'count'),
      figure('Paused', of('paused'), 'count'),
    ],
    [
      [ingressMs === undefined, 'away', 'restate-away'],
      [!isAdminSet, 'ok', 'restate-admin-unset'],
      [isAdminSet && ingressMs !== undefined && deployments === undefined, 'degraded', 'restate-admin-away'],
      [deployments === 0, 'degraded', 'restate-no-deployment'],
      [(of('paused') ?? 0) > 0, 'degraded', 'restate-paused'],
      [(of('backing-off') ?? 0) >= 10, 'degraded', 'restate-backing-off'],
    ],
  );
}

/** Known only by way of Valkey: while that is away, nobody says that a worker is missing. */
export const evaluateProcesses = (known: readonly ProcessInfo[] | undefined): PartHealth =>
  evaluate(
    'processes',
    'Processes',
    (['api', 'worker'] as const).map((role) =>
      figure(role === 'api' ? 'APIs' : 'Workers', known?.filter((one) => one.role === role).length, 'count'),
    ),
    [[known !== undefined && !known.some(({ role }) => role === 'worker'), 'away', 'worker-missing']],
  );

export const evaluateRelay = (seen: StreamQueue | undefined): PartHealth =>
  evaluate(
    'relay',
    'Relay',
    [
      figure('Tenants with pending events', seen?.waiting, 'count'),
      figure('Oldest event', seen && (seen.oldestSeconds ?? 0), 'seconds'),
      figure('Consecutive failures', seen?.failures, 'count'),
    ],
    [[(seen?.oldestSeconds ?? 0) > relayAlarmSeconds, 'degraded', 'relay-late']],
  );

/** What is a sweeper's own work, and says nothing about the engine. */
const ownWork = new Set(['', 'tenant-erasure']);

export function evaluateSweeper(rows: readonly SweepRow[] | undefined, now: Date): PartHealth {
  const last = rows?.find(({ kind }) => kind === '')?.lastAt;
  const found = rows?.filter(({ kind }) => !ownWork.has(kind)).reduce((sum, { lastHour }) => sum + lastHour, 0);
  const silentSeconds = last && (now.getTime() - last.getTime()) / 1_000;
  return evaluate(
    'sweeper',
    'Sweeper',
    [figure('Last run', silentSeconds, 'seconds'), figure('Recovered, last hour', found, 'count')],
    [
      [rows !== undefined && (silentSeconds === undefined || silentSeconds > 150), 'degraded', 'sweeper-silent'],
      [(found ?? 0) >= 100, 'degraded', 'sweeper-busy'],
    ],
  );
}

export const evaluateMailer = (seen: EmailQueue | undefined): PartHealth =>
  evaluate(
    'mailer',
    'Email queue',
    [figure('Pending', seen?.waiting, 'count'), figure('Failed', seen?.failed, 'count')],
    [
      // One that bounces is nobody's fault here; many are.
      [(seen?.failed ?? 0) > 0, (seen?.failed ?? 0) >= 10 ? 'degraded' : 'ok', 'emails-failed'],
    ],
  );
