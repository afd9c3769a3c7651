import type { Schemas } from '@parley/portal-kit/service';

export type System = Schemas['System'];
export type ComponentHealth = Schemas['PartHealth'];
export type Queue = NonNullable<System['queues']>[number];
export type Invocation = Schemas['Invocation'];
export type Job = Schemas['Job'];
type Figure = ComponentHealth['figures'][number];

export const verdicts = {
  ok: { tone: 'good', label: 'Healthy' },
  slow: { tone: 'warn', label: 'Slow' },
  degraded: { tone: 'warn', label: 'Degraded' },
  away: { tone: 'bad', label: 'Down' },
} as const;

export const verdictTexts: Record<System['verdict'], string> = {
  ok: 'All systems operational.',
  slow: 'All systems operational, but some are slow.',
  degraded: 'Some systems are degraded.',
  away: 'A component is not responding.',
};

const sizes: [unit: string, bytes: number][] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
];
function bytes(value: number): string {
  const [unit, size] = sizes.find(([, min]) => value >= min) ?? ['bytes', 1];
  return `${(value / size).toFixed(size > 1 && value / size < 10 ? 1 : 0)} ${unit}`;
}

const spans: [unit: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];
/** `90` becomes `1 min`, `7200` becomes `2 h`. */
export function seconds(value: number): string {
  const [unit, size] = spans.find(([, min]) => value >= min) ?? ['s', 1];
  return `${Math.floor(value / size)} ${unit}`;
}

const numberFormat = new Intl.NumberFormat('en-GB');
export const number = (value: number) => numberFormat.format(value);

export function inUnits({ value, unit, max }: Figure): string {
  if (value === null) return 'unknown';
  const format = { ms: (n: number) => `${n} ms`, seconds, bytes, days: (n: number) => `${n} days`, count: number }[
    unit
  ];
  return max === null ? format(value) : `${format(value)} of ${format(max)}`;
}

/** The time of day in UTC, so that it is the same for everyone. */
export const clock = (at: string) => `${at.slice(11, 19)} UTC`;

/** How many processes run each version. The version that started last, which a roll-out is about, is first. */
export function countVersions(processes: NonNullable<System['processes']>) {
  const newestFirst = processes.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  const versions = [...new Set(newestFirst.map(({ version }) => version))];
  return versions.map((version) => ({
    version,
    count: processes.filter((one) => one.version === version).length,
  }));
}
