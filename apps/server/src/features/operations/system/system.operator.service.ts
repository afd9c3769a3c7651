import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '../../../platform/platform.ts';
import * as judging from './evaluate.ts';
import { evaluateLanes, kindInWords } from './queues.ts';
import { countedAtMost, readQueues } from './queues.cross-tenant.ts';
import { emailQueue } from './emails.store.ts';
import type { System } from './system.contract.ts';

export type SystemParts = Pick<Platform, 'services' | 'health' | 'healthMetrics' | 'restateAdmin' | 'listProcesses'>;

const timeoutMs = 1_400;

/** What it brings, or undefined if it fails or takes too long: what is away never makes the look fail. */
async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  const isOver = new AbortController();
  const limit = sleep(timeoutMs, undefined, { signal: isOver.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([work(), limit]);
  } catch {
    return undefined;
  } finally {
    isOver.abort();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began);
}

async function look(parts: SystemParts): Promise<System> {
  const { services, health, healthMetrics, restateAdmin, listProcesses } = parts;
  const askAdmin = <T>(work: () => Promise<T>) => (restateAdmin.isConfigured ? attempt(work) : undefined);
  const [database, valkey, ingressMs, deployments, counts, processes, queues, emails] = await Promise.all([
    attempt(healthMetrics.database),
    attempt(healthMetrics.valkey),
    attempt(() => timed(health.others.restate)),
    askAdmin(restateAdmin.deployments),
    askAdmin(restateAdmin.countOpen),
    attempt(listProcesses),
    attempt(() => readQueues(services.db)),
    attempt(() => emailQueue(services.db, countedAtMost)),
  ]);
  const checkedAt = new Date();
  const found = [
    judging.evaluateDatabase(database),
    judging.evaluateValkey(valkey),
    judging.evaluateRestate({ ingressMs, isAdminSet: restateAdmin.isConfigured, deployments, counts }),
    judging.evaluateProcesses(processes),
    judging.evaluateRelay(queues?.streams),
    judging.evaluateSweeper(queues?.sweeps, checkedAt),
    judging.evaluateMailer(emails),
  ];
  const waiting = queues && emails ? evaluateLanes(queues.timers, queues.streams, emails) : null;
  return {
    checkedAt,
    verdict: judging.worst([...found, ...(waiting ?? [])].map(({ verdict }) => verdict)),
    parts: found,
    queues: waiting,
    sweeps:
      queues?.sweeps.filter(({ kind }) => kind !== '').map((sweep) => ({ ...sweep, label: kindInWords(sweep.kind) })) ??
      null,
    processes: processes ?? null,
  };
}

/** However many look at once, all see the same: a page that everybody opens when something is wrong must not add to it. */
export function createLook(parts: SystemParts): () => Promise<System> {
  let looking: Promise<System> | undefined;
  return () =>
    (looking ??= look(parts).finally(() => {
      looking = undefined;
    }));
}
