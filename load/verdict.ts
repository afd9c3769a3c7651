import { slos } from '../deploy/monitoring/slos/slos.ts';
import { kinds, type Kind, type Measures, type Timing, type Window } from './measures.ts';
import { recoverySeconds, type Phase } from './profiles.ts';
import type { PartUsage } from './resources.ts';
import { isGrowing } from './slope.ts';

/** How much the memory of a process may grow in an hour. */
const memoryPerHour = 0.01;

function sloOf(id: string) {
  const found = slos.find((slo) => slo.id === id);
  if (!found) throw new Error(`there is no objective ${id}`);
  return { share: found.objective, limitMs: (found.bucket?.seconds ?? Number.NaN) * 1_000 };
}

/** The objectives of a deployment (docs/operators/slos.md), as the users of this run see them. */
const availability: readonly { name: string; of: readonly Kind[]; share: number }[] = [
  { name: 'API availability', of: ['api', 'widget', 'portal'], share: sloOf('api-availability').share },
  { name: 'widget delivery', of: ['cdn'], share: sloOf('widget-availability').share },
];
const timely: readonly { name: string; timing: Timing; failures?: string; share: number; limitMs: number }[] = [
  { name: 'accepted → first token', timing: 'firstToken', ...sloOf('first-token') },
  { name: 'commit → first delivery attempt', timing: 'firstAttempt', ...sloOf('webhook-delivery') },
  { name: 'sign-in', timing: 'signIn', failures: 'sign-ins failed', ...sloOf('sign-in') },
];
const firstTokenLimitMs = sloOf('first-token').limitMs;

export interface Check {
  phase: string;
  name: string;
  value: string;
  objective: string;
  /** null: not measured, which is no failure. */
  isMet: boolean | null;
}

/** Rounded down, so that a missed objective never looks met. */
const percent = (share: number, digits = 2) => {
  const factor = 10 ** digits;
  return `${(Math.floor(share * 100 * factor + 1e-9) / factor).toFixed(share === 1 ? 0 : digits)} %`;
};
const signed = (share: number) => `${(100 * share).toFixed(2)} %`;
const seconds = (ms: number) => `${ms / 1_000} s`;

/** The share of requests that were not answered with 5xx or not at all. One over its own rate limit is neither. */
function availabilityOf(measures: Measures, phase: string, of: readonly Kind[]): number | null {
  const outcomes = of.map((kind) => measures.phase(phase).outcomes(kind));
  const good = outcomes.reduce((sum, { ok }) => sum + ok, 0);
  const bad = outcomes.reduce((sum, { unavailable, failed }) => sum + unavailable + failed, 0);
  return good + bad === 0 ? null : good / (good + bad);
}

function checkObjectives(measures: Measures, phase: string): Check[] {
  return [
    ...availability.map(({ name, of, share: target }): Check => {
      const share = availabilityOf(measures, phase, of);
      const value = share === null ? 'not measured' : percent(share, 3);
      return { phase, name, value, objective: percent(target), isMet: share === null ? null : share >= target };
    }),
    ...timely.map(({ name, timing, failures, share: target, limitMs }): Check => {
      const { distribution, shareWithin, counts } = measures.phase(phase);
      const { count, p95 } = distribution(timing);
      const failed = failures === undefined ? 0 : (counts()[failures] ?? 0);
      const share = (shareWithin(timing, limitMs) * count) / (count + failed);
      return {
        phase,
        name,
        value:
          count + failed === 0
            ? 'not measured'
            : `${percent(share)} of ${(count + failed).toLocaleString('en')}; p95 ${p95.toFixed(0)} ms`,
        objective: `${percent(target, 1)} within ${seconds(limitMs)}`,
        isMet: count + failed === 0 ? null : share >= target,
      };
    }),
  ];
}

/** Under an overload, requests may be refused with 429 or 503, but not fail in another way. */
function checkOverload(measures: Measures, phase: string): Check {
  const outcomes = kinds.map((kind) => measures.phase(phase).outcomes(kind));
  const failed = outcomes.reduce((sum, one) => sum + one.failed, 0);
  const refused = outcomes.reduce((sum, { limited, unavailable }) => sum + limited + unavailable, 0);
  return {
    phase,
    name: 'requests that failed other than with 429 or 503',
    value: `${failed}, and ${refused} refused`,
    objective: '0',
    isMet: failed === 0,
  };
}

const isGood = ({ refused, firstTokenP95 }: Window) =>
  refused === 0 && (firstTokenP95 === null || firstTokenP95 <= firstTokenLimitMs);

/** Seconds from the end of the overload to the first of five good windows in a row; null if there are none. */
export function recoveredAfter(
  windows: readonly Window[],
  overEndSeconds: number,
  windowSeconds: number,
): number | null {
  const after = windows.filter(({ from }) => from >= overEndSeconds);
  for (let n = 0; n + 5 <= after.length; n++) {
    const first = after[n];
    if (first && after.slice(n, n + 5).every(isGood)) return Math.max(0, first.from - windowSeconds - overEndSeconds);
  }
  return null;
}

/** Totals of what visitors and staff did not get, although nothing was overloaded. */
export const failures = [
  'messages given up',
  'visits given up',
  'requests rejected',
  'pages without content',
  'errors of the generator',
];

interface VerdictInput {
  phases: readonly Phase[];
  measures: Measures;
  windows: readonly Window[];
  windowSeconds: number;
  durationSeconds: number;
  totals: Record<string, number>;
  lost: { events: number | null };
  parts: Record<string, PartUsage>;
}

/** Parts whose memory must not grow: servers fill their caches for as long as there is more data. */
const ours = new Set(['API', 'worker', 'portal']);

export function checkAll(input: VerdictInput): Check[] {
  const { phases, measures, windows, windowSeconds, durationSeconds, totals, lost, parts } = input;
  const checks = phases.flatMap(({ name, goal }) => {
    if (goal === 'slo') return checkObjectives(measures, name);
    return goal === 'overload' ? [checkOverload(measures, name)] : [];
  });
  const recovery = phases.find(({ goal }) => goal === 'recovery');
  if (recovery) {
    const seconds = recoveredAfter(windows, recovery.from * durationSeconds, windowSeconds);
    checks.push({
      phase: recovery.name,
      name: 'recovered after the overload',
      value: seconds === null ? 'not within the run' : `${seconds.toFixed(0)} s`,
      objective: `at most ${recoverySeconds} s`,
      isMet: seconds !== null && seconds <= recoverySeconds,
    });
  }
  const never = (name: string, value: number | null): Check => ({
    phase: 'whole run',
    name,
    value: value === null ? 'not measured' : value.toLocaleString('en'),
    objective: '0',
    isMet: value === null ? null : value === 0,
  });
  checks.push(
    never('accepted messages without an answer', totals['messages lost'] ?? 0),
    never('failed turns', totals['turns failed'] ?? 0),
    never('messages or answers written twice', (totals['messages repeated'] ?? 0) + (totals['answers repeated'] ?? 0)),
    never('entries of a stream sent twice', totals['entries repeated'] ?? 0),
    never('committed events without a delivery', lost.events),
    never('deliveries with a wrong signature', totals['deliveries with a wrong signature'] ?? 0),
    never('429 or 503 without their headers', totals['refusals without their headers'] ?? 0),
  );
  for (const [name, { slope }] of Object.entries(parts).filter(([part]) => ours.has(part)))
    checks.push({
      phase: 'whole run',
      name: `memory of ${name}, change per hour`,
      value: slope ? `${signed(slope.perHour)} ± ${signed(slope.margin)}` : 'not measured',
      objective: `at most ${percent(memoryPerHour, 0)}`,
      isMet: slope && !isGrowing(slope, memoryPerHour),
    });
  return checks;
}
