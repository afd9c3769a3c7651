import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '../../../platform/platform.ts';
import * as evaluation from './evaluate.ts';
import { evaluateQueues, timerLabel } from './queues.ts';
import { maxCounted, readQueues } from './queues.cross-tenant.ts';
import { emailQueue } from './emails.store.ts';
import type { System } from './system.contract.ts';

export type SystemDeps = Pick<Platform, 'services' | 'health' | 'healthMetrics' | 'restateAdmin' | 'listProcesses'>;

const timeoutMs = 1_400;

/** undefined if the work fails or times out, so that a component that is down does not fail the request. */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const limit = sleep(timeoutMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([work(), limit]);
  } catch {
    return undefined;
  } finally {
    timer.abort();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(performance.now() - startedAt);
}

async function checkSystem(deps: SystemDeps): Promise<System> {
  const { services, health, healthMetrics, restateAdmin, listProcesses } = deps;
  const askAdmin = <T>(work: () => Promise<T>) => (restateAdmin.isConfigured ? attempt(work) : undefined);
  const [database, valkey, ingressMs, deployments, counts, processes, queues, emails] = await Promise.all([
    attempt(healthMetrics.database),
    attempt(healthMetrics.valkey),
    attempt(() => timed(health.others.restate)),
    askAdmin(restateAdmin.deployments),
    askAdmin(restateAdmin.countOpen),
    attempt(listProcesses),
    attempt(() => readQueues(services.db)),
    attempt(() => emailQueue(services.db, maxCounted)),
  ]);
  const checkedAt = new Date();
  const components = [
    evaluation.evaluateDatabase(database),
    evaluation.evaluateValkey(valkey),
    evaluation.evaluateRestate({ ingressMs, isAdminSet: restateAdmin.isConfigured, deployments, counts }),
    evaluation.evaluateProcesses(processes),
    evaluation.evaluateRelay(queues?.streams),
    evaluation.evaluateSweeper(queues?.sweeps, checkedAt),
    evaluation.evaluateMailer(emails),
  ];
  const evaluatedQueues = queues && emails ? evaluateQueues(queues.timers, queues.streams, emails) : null;
  return {
    checkedAt,
    verdict: evaluation.worst([...components, ...(evaluatedQueues ?? [])].map(({ verdict }) => verdict)),
    parts: components,
    queues: evaluatedQueues,
    sweeps:
      queues?.sweeps.filter(({ kind }) => kind !== '').map((sweep) => ({ ...sweep, label: timerLabel(sweep.kind) })) ??
      null,
    processes: processes ?? null,
  };
}

/** Concurrent requests share one check, because many operators open the page during an incident. */
export function createSystemCheck(deps: SystemDeps): () => Promise<System> {
  let running: Promise<System> | undefined;
  return () =>
    (running ??= checkSystem(deps).finally(() => {
      running = undefined;
    }));
}
