import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

// Everything that is measured while a load runs. Memory does not grow with the number of requests.

export type Outcome = 'ok' | 'limited' | 'unavailable' | 'failed';
/** What requests are for: `cdn` are the files and the configuration that a page loads, which has its own objective. */
export const kinds = ['widget', 'cdn', 'api', 'portal'] as const;
export type Kind = (typeof kinds)[number];
/** Times, in milliseconds. */
export type Timing =
  | 'response'
  | 'accepted'
  | 'firstToken'
  | 'answered'
  | 'streamOpened'
  | 'signIn'
  | 'page'
  | 'apiRead'
  | 'firstAttempt';

export interface Distribution {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** In microseconds, up to an hour, so that whole numbers are exact enough. */
const newHistogram = () => createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 });

const distributionOf = (histogram: RecordableHistogram): Distribution => {
  const at = (percentile: number) => (histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1_000);
  return { count: histogram.count, p50: at(50), p95: at(95), p99: at(99), max: at(100) };
};

/** The share of values up to a limit. Node's histograms only have percentiles, so it is searched for among these. */
function shareWithin(histogram: RecordableHistogram, limitMs: number): number {
  if (histogram.count === 0 || histogram.percentile(100) <= limitMs * 1_000) return 1;
  let [within, beyond] = [0, 100];
  for (let step = 0; step < 24; step++) {
    const middle = (within + beyond) / 2;
    if (histogram.percentile(middle) <= limitMs * 1_000) within = middle;
    else beyond = middle;
  }
  return within / 100;
}

/** Of a phase of the run. */
function createPhase() {
  const histograms = new Map<Timing, RecordableHistogram>();
  const outcomes = new Map<string, number>();
  const counts = new Map<string, number>();
  const add = (map: Map<string, number>, key: string, count = 1) => map.set(key, (map.get(key) ?? 0) + count);
  return {
    time: (timing: Timing, ms: number) => {
      const histogram = histograms.get(timing) ?? newHistogram();
      histograms.set(timing, histogram);
      histogram.record(Math.min(3_600_000_000, Math.max(1, Math.round(ms * 1_000))));
    },
    outcome: (kind: Kind, outcome: Outcome) => void add(outcomes, `${kind} ${outcome}`),
    count: (name: string, by = 1) => void add(counts, name, by),
    outcomes: (kind: Kind) => ({
      ok: outcomes.get(`${kind} ok`) ?? 0,
      limited: outcomes.get(`${kind} limited`) ?? 0,
      unavailable: outcomes.get(`${kind} unavailable`) ?? 0,
      failed: outcomes.get(`${kind} failed`) ?? 0,
    }),
    counts: () => Object.fromEntries(counts),
    distribution: (timing: Timing) => distributionOf(histograms.get(timing) ?? newHistogram()),
    shareWithin: (timing: Timing, limitMs: number) => shareWithin(histograms.get(timing) ?? newHistogram(), limitMs),
  };
}

/** What happened in a few seconds, to see when a service has recovered. */
export interface Window {
  /** Seconds from the start of the run. */
  from: number;
  /** Requests that ended in it. */
  requests: number;
  /** Of these, refused or failed. */
  refused: number;
  firstTokenP95: number | null;
}

export const windowSeconds = 5;

const emptyWindow = (from: number) => ({ from, requests: 0, refused: 0, firstTokens: [] as number[] });

export function createMeasures(phaseNames: readonly string[], phaseAt: (ms: number) => string) {
  const newPhases = () => new Map(phaseNames.map((name) => [name, createPhase()]));
  let phases = newPhases();
  const lateness = newHistogram();
  const windows: Window[] = [];
  let current = emptyWindow(0);
  let startedAt = performance.now();
  let [openStreams, maxOpenStreams] = [0, 0];
  const totals = new Map<string, number>();
  /** The first few of each kind, which explain the others. */
  const problems = new Map<string, { count: number; example: string }>();

  const phaseOf = (dueAt: number) => {
    const phase = phases.get(phaseAt(dueAt - startedAt));
    if (!phase) throw new Error('unknown phase');
    return phase;
  };
  const closeWindows = () => {
    const now = (performance.now() - startedAt) / 1_000;
    while (current.from + windowSeconds <= now) {
      const { firstTokens, ...rest } = current;
      const sorted = firstTokens.toSorted((a, b) => a - b);
      windows.push({
        ...rest,
        firstTokenP95: sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? null,
      });
      current = emptyWindow(current.from + windowSeconds);
    }
  };

  return {
    /** Forgets everything so far. */
    restart: () => {
      phases = newPhases();
      lateness.reset();
      for (const map of [totals, problems]) map.clear();
      windows.length = 0;
      current = emptyWindow(0);
      maxOpenStreams = openStreams;
      startedAt = performance.now();
    },
    startedAt: () => startedAt,
    /** How late the generator was, which is not the fault of the service. */
    late: (ms: number) => lateness.record(Math.max(1, Math.round(ms * 1_000))),
    /** `dueAt`: when the visitor wanted it, which decides about the phase. */
    time: (timing: Timing, ms: number, dueAt: number) => {
      closeWindows();
      phaseOf(dueAt).time(timing, ms);
      if (timing === 'firstToken') current.firstTokens.push(ms);
    },
    outcome: (kind: Kind, outcome: Outcome, dueAt: number) => {
      closeWindows();
      phaseOf(dueAt).outcome(kind, outcome);
      current.requests++;
      if (outcome !== 'ok') current.refused++;
    },
    count: (name: string, dueAt: number, by = 1) => phaseOf(dueAt).count(name, by),
    /** Of the whole run, whatever the phase. */
    total: (name: string, by = 1) => void totals.set(name, (totals.get(name) ?? 0) + by),
    openStreams: (change: 1 | -1) => {
      openStreams += change;
      maxOpenStreams = Math.max(maxOpenStreams, openStreams);
    },
    problem: (kind: string, example: string) => {
      const known = problems.get(kind);
      if (known) known.count++;
      else if (problems.size < 50) problems.set(kind, { count: 1, example: example.slice(0, 500) });
    },
    phase: (name: string) => phases.get(name) ?? createPhase(),
    /** One line, while it runs. */
    progress: () => {
      closeWindows();
      const { requests = 0, refused = 0, firstTokenP95 = null } = windows.at(-1) ?? {};
      const token = firstTokenP95 === null ? '–' : `${firstTokenP95.toFixed(0)} ms`;
      return `${((performance.now() - startedAt) / 1_000).toFixed(0)} s: ${(requests / windowSeconds).toFixed(1)} requests a second, ${refused} refused, first token p95 ${token}, ${openStreams} streams`;
    },
    result: () => {
      closeWindows();
      return {
        lateness: distributionOf(lateness),
        windows,
        maxOpenStreams,
        totals: Object.fromEntries(totals),
        problems: Object.fromEntries(problems),
      };
    },
  };
}
export type Measures = ReturnType<typeof createMeasures>;
