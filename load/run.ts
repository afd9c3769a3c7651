import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../apps/server/test/faults/random.ts';
import { poissonArrivals, startArrivals, zipf, type Arrival } from './arrivals.ts';
import { createClient } from './client.ts';
import { compareEvents, positionsOf } from './deliveries.ts';
import { createMeasures, windowSeconds, type Measures } from './measures.ts';
import type { LoadOptions } from './options.ts';
import { phaseAt, profileOf } from './profiles.ts';
import type { Ledger } from './receiver.ts';
import { watchResources, type Observed } from './resources.ts';
import { readWithKey, signInAndRead, type StaffDeps } from './staff.ts';
import type { Target, Tenant } from './target.ts';
import { checkAll } from './verdict.ts';
import { meanMessages, visit } from './visitor.ts';

/** Per message of a visitor. */
const signInsPerMessage = 1 / 25;
const readsPerMessage = 1 / 5;
/** Until everything that was started has ended, at most. */
const drainMs = 180_000;

interface RunDeps {
  options: Pick<LoadOptions, 'profile' | 'size' | 'minutes' | 'seed'>;
  target: Target;
  observed: Observed;
  /** Created with the measures of this run. */
  ledger: Ledger;
  measures: Measures;
  log: (line: string) => void;
  /** Ends the run early. */
  signal: AbortSignal;
  /** Divides think time, for tests. */
  hurry?: number;
  /** How long a delivery may take after the end. */
  settleSeconds?: number;
}

export function measuresFor({ profile, minutes }: RunDeps['options']): Measures {
  const plan = profileOf(profile, minutes);
  const durationMs = plan.minutes * 60_000;
  return createMeasures(
    plan.phases.map(({ name }) => name),
    (ms) => phaseAt(plan, ms / durationMs).name,
  );
}

/** Applies the load, waits until everything that was accepted is answered and delivered, and evaluates the run. */
export async function runLoad({
  options,
  target,
  observed,
  ledger,
  measures,
  log,
  signal,
  hurry = 1,
  settleSeconds = 60,
}: RunDeps) {
  const { size, seed } = options;
  const plan = profileOf(options.profile, options.minutes);
  const durationMs = plan.minutes * 60_000;
  const client = createClient(measures);
  const bookkeeping = createClient(createMeasures(['all'], () => 'all')); // not part of the load
  const isOver = new AbortController();
  const deps: StaffDeps & { target: Target } = { target, client, measures, isOver: isOver.signal, hurry };
  const open = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>) => {
    const tracked = work
      .catch((error: unknown) => {
        measures.total('errors of the generator');
        measures.problem(
          'error of the generator',
          error instanceof Error ? (error.stack ?? error.message) : String(error),
        );
      })
      .finally(() => open.delete(tracked));
    open.add(tracked);
  };

  await warmUp(deps);
  const cursors = await positionsOf({ target, client: bookkeeping }, target.tenants, ledger);
  const pick = zipf(target.tenants.length);
  const tenantFor = (arrivalSeed: number): Tenant => {
    const tenant = target.tenants[pick(randomFrom(arrivalSeed ^ 0x5eed))];
    if (!tenant) throw new Error('there is no tenant');
    return tenant;
  };
  const resources = watchResources(observed);
  const received = {
    api: () => client.received(target.apiUrl),
    portal: () => (target.portalUrl === undefined ? 0 : client.received(target.portalUrl)),
    deliveries: ledger.received,
  };
  const traffic = trafficSince(received);
  measures.restart();
  const startedAt = measures.startedAt();
  const phaseRate = (share: number) => phaseAt(plan, share).rateAt(share);
  const apply = (stream: number, perMessage: number, start: (arrival: Arrival, dueAt: number) => Promise<unknown>) => {
    const rate = size * perMessage;
    const arrivals = poissonArrivals({
      seed: seed * 1_000 + stream,
      durationMs,
      perSecond: (share) => rate * phaseRate(share),
      maxPerSecond: 2 * rate,
    });
    return startArrivals(arrivals, {
      startedAt,
      signal: isOver.signal,
      onLateness: measures.late,
      start: (arrival, dueAt) => track(start(arrival, dueAt)),
    });
  };
  const progress = setInterval(() => log(measures.progress()), 30_000);
  const end = () => isOver.abort();
  signal.addEventListener('abort', end);
  const timer = setTimeout(end, durationMs);
  const arriving = Promise.all([
    apply(1, 1 / meanMessages, ({ seed: own }, dueAt) => visit(deps, tenantFor(own), own, dueAt)),
    apply(2, signInsPerMessage, ({ seed: own }, dueAt) => signInAndRead(deps, tenantFor(own), own, dueAt)),
    apply(3, readsPerMessage, ({ seed: own }, dueAt) => readWithKey(deps, tenantFor(own), dueAt)),
  ]);
  try {
    await arriving;
    while (!isOver.signal.aborted) await sleep(100);
    log('The load has ended. Waiting for answers and deliveries…');
    const parts = await resources.stop();
    await Promise.race([drained(open), sleep(drainMs, undefined, { ref: false })]);
    if (open.size > 0) measures.problem('still open at the end', String(open.size));
    const bytes = traffic();
    const events = await compareEvents({ target, client: bookkeeping }, { cursors, ledger, settleSeconds });
    const result = measures.result();
    const durationSeconds = (durationMs * (signal.aborted ? 0 : 1)) / 1_000;
    const checks = checkAll({
      phases: plan.phases,
      measures,
      windows: result.windows,
      windowSeconds,
      durationSeconds,
      totals: result.totals,
      lost: { events: events?.lost ?? null },
      parts,
    });
    return { plan, checks, parts, events, bytes, ...result };
  } finally {
    clearInterval(progress);
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    await Promise.all([client.close(), bookkeeping.close()]);
  }
}
export type LoadResult = Awaited<ReturnType<typeof runLoad>>;

/** What the deployment has sent since now, by part. */
function trafficSince<K extends string>(received: Record<K, () => number>): () => Record<K, number> {
  const read = () => Object.entries<() => number>(received).map(([name, count]) => [name, count()] as const);
  const before = new Map(read());
  return () =>
    Object.fromEntries(read().map(([name, count]) => [name, count - (before.get(name) ?? 0)])) as Record<K, number>;
}

async function drained(open: Set<Promise<unknown>>) {
  while (open.size > 0) await Promise.all(open);
}

/** What a process loads with its first requests is not measured. */
async function warmUp(deps: StaffDeps & { target: Target }): Promise<void> {
  const quick = { ...deps, hurry: 1_000 };
  await Promise.all(
    deps.target.tenants.slice(0, 3).map(async (tenant, n) => {
      await visit(quick, tenant, n, performance.now());
      await signInAndRead(quick, tenant, n, performance.now());
      await readWithKey(quick, tenant, performance.now());
    }),
  );
}
