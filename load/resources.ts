import { processesIn, usageOf } from '../bench/cpu.ts';
import { slopeOf, type Slope } from './slope.ts';

// CPU and memory of processes while a load runs: from /proc for processes of this machine, and from `/metrics`.

/** A part of a deployment: the IDs of its processes now. */
export type ProcessIds = () => readonly number[];

export interface Observed {
  /** Processes of this machine, by name. */
  local: Record<string, ProcessIds>;
  /** URLs of `/metrics`, by name. */
  metrics: Record<string, string>;
  metricsToken?: string | undefined;
}

export interface PartUsage {
  /** Average share of a core. */
  cores: number;
  maxMemoryMb: number;
  /** null if the run was too short. */
  slope: Slope | null;
  /** From `/metrics`: the highest of all samples. */
  eventLoopP99Ms: number | null;
  openStreams: number | null;
  databaseWaiting: number | null;
}

interface Sample {
  seconds: number;
  cpuMs: number;
  memoryMb: number;
}

/** Metrics that a run reads, by their current names and earlier ones. */
const names = {
  eventLoop: ['nodejs_eventloop_delay_p99_seconds', 'parley_nodejs_eventloop_lag_p99_seconds'],
  streams: ['parley_open_streams'],
  waiting: ['db_client_connection_pending_requests'],
  cpu: ['process_cpu_seconds_total', 'parley_process_cpu_seconds_total'],
  memory: ['process_resident_memory_bytes', 'parley_process_resident_memory_bytes'],
} as const;

/** The sum of all series of the first of these names that there is. */
export function readMetric(text: string, candidates: readonly string[]): number | undefined {
  for (const name of candidates) {
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^\\n]*\\})? (\\S+)`, 'gm'))].map(([, value]) =>
      Number(value),
    );
    const finite = values.filter(Number.isFinite);
    if (finite.length > 0) return finite.reduce((sum, value) => sum + value, 0);
  }
  return undefined;
}

const everyMs = 5_000;

export function watchResources({ local, metrics, metricsToken }: Observed) {
  const startedAt = performance.now();
  const samples = new Map<string, Sample[]>();
  const highest = new Map<string, number>();
  const raise = (key: string, value: number | undefined) => {
    if (value !== undefined && value > (highest.get(key) ?? -1)) highest.set(key, value);
  };
  const add = (name: string, sample: Omit<Sample, 'seconds'>) => {
    const known = samples.get(name) ?? [];
    samples.set(name, known);
    known.push({ ...sample, seconds: (performance.now() - startedAt) / 1_000 });
  };
  const headers = metricsToken === undefined ? {} : { authorization: `Bearer ${metricsToken}` };

  async function sample(): Promise<void> {
    for (const [name, pids] of Object.entries(local)) {
      const { cpuMs, residentMb } = usageOf(pids());
      if (residentMb > 0) add(name, { cpuMs, memoryMb: residentMb });
    }
    await Promise.all(
      Object.entries(metrics).map(async ([name, url]) => {
        const response = await fetch(url, { headers, signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
        if (!response?.ok) return;
        const text = await response.text();
        raise(`${name} eventLoop`, readMetric(text, names.eventLoop));
        raise(`${name} streams`, readMetric(text, names.streams));
        raise(`${name} waiting`, readMetric(text, names.waiting));
        const [cpu, memory] = [readMetric(text, names.cpu), readMetric(text, names.memory)];
        if (!(name in local) && cpu !== undefined && memory !== undefined)
          add(name, { cpuMs: cpu * 1_000, memoryMb: memory / 2 ** 20 });
      }),
    );
  }
  let sampling = sample();
  const timer = setInterval(() => void (sampling = sampling.then(sample, sample)), everyMs);

  return {
    stop: async (): Promise<Record<string, PartUsage>> => {
      clearInterval(timer);
      await sampling.catch(() => {});
      await sample();
      const parts = new Set([...samples.keys(), ...Object.keys(metrics)]);
      return Object.fromEntries(
        [...parts].map((name) => [name, partUsage(samples.get(name) ?? [], (key) => highest.get(`${name} ${key}`))]),
      );
    },
  };
}

/** In less, memory only shows how caches and pools fill up. */
const minSlopeSeconds = 590;

/** Caches and pools fill up at first: a quarter of the run, at most five minutes, says nothing about growth. */
function partUsage(samples: readonly Sample[], highest: (key: string) => number | undefined): PartUsage {
  const [first, last] = [samples[0], samples.at(-1)];
  const seconds = first && last ? last.seconds - first.seconds : 0;
  const settledAt = (first?.seconds ?? 0) + Math.min(300, seconds / 4);
  const settled = samples.filter((one) => one.seconds >= settledAt);
  const eventLoop = highest('eventLoop');
  return {
    cores: first && last && seconds > 0 ? (last.cpuMs - first.cpuMs) / 1_000 / seconds : 0,
    maxMemoryMb: Math.max(0, ...samples.map(({ memoryMb }) => memoryMb)),
    slope:
      seconds < minSlopeSeconds ? null : slopeOf(settled.map((one) => ({ seconds: one.seconds, value: one.memoryMb }))),
    eventLoopP99Ms: eventLoop === undefined ? null : eventLoop * 1_000,
    openStreams: highest('streams') ?? null,
    databaseWaiting: highest('waiting') ?? null,
  };
}

/** The servers of a stack, whose processes run in their own folders. */
export const serversOf = (dir: string): Record<string, ProcessIds> => ({
  PostgreSQL: () => processesIn(`${dir}/postgres`),
  Restate: () => processesIn(`${dir}/restate`),
  Valkey: () => processesIn(`${dir}/valkey`),
});
