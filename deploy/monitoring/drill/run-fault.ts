import { setTimeout as sleep } from 'node:timers/promises';
import { alertsOf, type Fault } from './fault.ts';
import type { Monitoring } from './monitoring.ts';
import type { Product } from './product.ts';
import type { Traffic } from './traffic.ts';
import type { AlertWatch } from './watch.ts';

export interface DrillContext {
  product: Product;
  traffic: Traffic;
  monitoring: Monitoring;
  watch: AlertWatch;
  log: (line: string) => void;
}

interface AlertResult {
  alert: string;
  /** Seconds from the fault; undefined if it did not happen. */
  fired?: number | undefined;
  notified?: { seconds: number; receiver: string } | undefined;
  /** Seconds from the end of the fault. */
  resolved?: number | undefined;
  /** Its end was not waited for. */
  lingers: boolean;
}

export interface FaultResult {
  name: string;
  cause: string;
  alerts: AlertResult[];
  /** Others that fired and were expected. */
  consequences: string[];
  /** How many Alertmanager silenced because their cause fired. */
  silenced: number;
  problems: string[];
}

/** Steady data before a fault: as long as the longest short window, and a few scrapes. */
export const steadySeconds = 45;
/** The longest short window of a critical alert is half an hour, here three minutes. */
const resolveSeconds = 240;
const receivers: Record<string, string> = { critical: 'on-call', warning: 'office' };

const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10;

/** Causes faults at the same time, waits for their alerts, ends them, and waits until the alerts are over. */
export async function runFaults(context: DrillContext, faults: readonly Fault[]): Promise<FaultResult[]> {
  const { product, monitoring, watch, log } = context;
  await settle(context);
  for (const { prepare } of faults) await prepare?.(product);
  watch.clear();
  monitoring.pager.clear();
  const results = await Promise.all(faults.map((fault) => runFault(context, fault)));

  const expected = new Set(faults.flatMap((fault) => [...alertsOf(fault), ...(fault.consequences ?? [])]));
  const own = new Set(faults.flatMap(alertsOf));
  const others = [...watch.seen()].filter(([name]) => !own.has(name));
  const unexpected = others.filter(([name, { wasHeard }]) => wasHeard && !expected.has(name)).map(([name]) => name);
  for (const result of results) {
    result.consequences = others.filter(([name, { wasHeard }]) => wasHeard && expected.has(name)).map(([name]) => name);
    result.silenced = others.filter(([, { wasHeard }]) => !wasHeard).length;
    if (unexpected.length > 0) result.problems.push(`also fired: ${unexpected.join(', ')}`);
    for (const problem of result.problems) log(`  ${result.name}: ${problem}`);
  }
  return results;
}

async function runFault(
  { product, traffic, monitoring, watch, log }: DrillContext,
  fault: Fault,
): Promise<FaultResult> {
  const { name, cause, fires, lingers = [], limitSeconds = 120 } = fault;
  const alerts = alertsOf(fault);
  log(`${name}: ${cause}`);
  const startedAt = Date.now();
  const remedy = await fault.start(product, traffic);
  const silent = await watch.until(alerts, (alert) => watch.seen().has(alert), limitSeconds * 1_000);
  // A group waits for a second before it is sent, so that it has all that belongs to it.
  await watch.until(alerts, (alert) => isNotified(alert) || !watch.seen().get(alert)?.wasHeard, 5_000);
  const endedAt = Date.now();
  await remedy();
  const resolvedAt = new Map<string, number>();
  const isOver = (alert: string) => {
    if (!watch.isFiring(alert) && !resolvedAt.has(alert)) resolvedAt.set(alert, Date.now());
    return resolvedAt.has(alert);
  };
  const lasting = await watch.until(fires, isOver, resolveSeconds * 1_000);

  function isNotified(alert: string) {
    return monitoring.pager.notificationOf(alert) !== undefined;
  }
  const results = alerts.map((alert): AlertResult => {
    const seen = watch.seen().get(alert);
    const notification = monitoring.pager.notificationOf(alert);
    const resolved = resolvedAt.get(alert);
    return {
      alert,
      fired: seen && seconds(startedAt, seen.at),
      notified: notification && { seconds: seconds(startedAt, notification.at), receiver: notification.receiver },
      resolved: resolved && seconds(endedAt, resolved),
      lingers: lingers.includes(alert),
    };
  });
  const misrouted = results.filter(
    ({ alert, notified }) => notified && notified.receiver !== receivers[alert.split(' ')[1] ?? ''],
  );
  for (const { alert, fired, resolved } of results)
    log(
      `  ${alert}: ${fired === undefined ? 'did not fire' : `fired after ${fired} s`}${resolved === undefined ? '' : `, over after ${resolved} s`}`,
    );
  return {
    name,
    cause,
    alerts: results,
    consequences: [],
    silenced: 0,
    problems: [
      ...silent.map((alert) => `${alert} did not fire within ${limitSeconds} s`),
      ...lasting.map((alert) => `${alert} was not over within ${resolveSeconds} s`),
      ...misrouted.map(({ alert, notified }) => `${alert} went to ${notified?.receiver}`),
    ],
  };
}

/** Nothing fires and nothing is about to. What still has the last fault in its window is forgotten. */
export async function settle({ monitoring, watch, log }: DrillContext): Promise<void> {
  const isCalm = async () => (await monitoring.activeRules()).length === 0 && watch.firing().size === 0;
  for (let waited = 0; waited < 20; waited++) {
    if (await isCalm()) return;
    await sleep(1_000);
  }
  log(
    `Starting Prometheus again: ${(await monitoring.activeRules()).join(', ')} still has the last fault in its windows.`,
  );
  await startSteadily({ monitoring, watch });
}

/** With a minute of steady load in which nothing fires. */
export async function startSteadily({ monitoring, watch }: Pick<DrillContext, 'monitoring' | 'watch'>): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    await monitoring.clear();
    await monitoring.waitForTargets();
    await sleep(steadySeconds * 1_000);
    const active = await monitoring.activeRules();
    if (active.length === 0 && watch.firing().size === 0) return;
    if (attempts === 3) throw new Error(`Under steady load, these fire or are about to: ${active.join(', ')}`);
  }
}
