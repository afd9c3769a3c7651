import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { kinds, type Distribution, type Kind, type Measures, type Outcome, type Timing } from './measures.ts';
import type { LoadOptions } from './options.ts';
import type { PartUsage } from './resources.ts';
import type { LoadResult } from './run.ts';
import type { Check } from './verdict.ts';

/** Everything that a run has measured, as it is saved and shown. */
export interface LoadRun {
  date: string;
  commit: string;
  machine: string;
  options: Pick<LoadOptions, 'profile' | 'size' | 'tenants' | 'seed'> & { minutes: number };
  checks: Check[];
  phases: {
    name: string;
    times: Partial<Record<Timing, Distribution>>;
    requests: Record<Kind, Record<Outcome, number>>;
  }[];
  parts: Record<string, PartUsage>;
  totals: Record<string, number>;
  events: { committed: number; lost: number } | null;
  /** That the deployment has sent to visitors and staff, and to endpoints. */
  bytes: { api: number; portal: number; deliveries: number };
  maxOpenStreams: number;
  lateness: Distribution;
  problems: Record<string, { count: number; example: string }>;
}

export const timings = {
  response: 'any response, first byte',
  accepted: 'message due → accepted',
  firstToken: 'accepted → first token',
  answered: 'message due → answered',
  streamOpened: 'event stream opened',
  signIn: 'sign-in due → signed in',
  page: 'portal page',
  apiRead: 'read with a server key',
  firstAttempt: 'event’s transaction → first attempt',
} as const satisfies Record<Timing, string>;

export function summarize(
  options: Pick<LoadOptions, 'profile' | 'size' | 'tenants' | 'seed'>,
  result: LoadResult,
  measures: Measures,
): LoadRun {
  const { profile, size, tenants, seed } = options;
  const { plan, events, checks, parts, totals, bytes, maxOpenStreams, lateness, problems } = result;
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${availableParallelism()} × ${(cpus()[0]?.model ?? 'unknown').replaceAll(/\s+/g, ' ').trim()}`,
    options: { profile, size, minutes: plan.minutes, tenants, seed },
    checks,
    phases: plan.phases.map(({ name }) => {
      const { distribution, outcomes } = measures.phase(name);
      const times = (Object.keys(timings) as Timing[]).map((timing) => [timing, distribution(timing)] as const);
      return {
        name,
        times: Object.fromEntries(times.filter(([, { count }]) => count > 0)),
        requests: Object.fromEntries(kinds.map((kind) => [kind, outcomes(kind)])) as Record<
          Kind,
          Record<Outcome, number>
        >,
      };
    }),
    parts,
    totals,
    events: events ? { committed: events.committed, lost: events.lost } : null,
    bytes,
    maxOpenStreams,
    lateness,
    problems,
  };
}

export const hasFailed = ({ checks }: Pick<LoadRun, 'checks'>): boolean => checks.some(({ isMet }) => isMet === false);

/** CPU time of a part for each accepted message, with everything that comes with a message in this load. */
export const cpuMsPerMessage = ({ options, totals }: LoadRun, { cores }: PartUsage): number =>
  (1_000 * cores * options.minutes * 60) / Math.max(1, totals['messages accepted'] ?? 0);

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
