import { readFileSync } from 'node:fs';

/** One series of `/metrics`. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads `/metrics` of a process. */
export async function scrape(port: number, token?: string) {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });
  if (response.status !== 200) throw new Error(`/metrics returned ${response.status}`);
  return parse(await response.text());
}

function parse(text: string) {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name && type) types.set(name, type);
    const [, sample, labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (sample) samples.push({ name: sample, labels: labelsOf(labels), value: Number(value) });
  }
  const matches = (name: string, labels: Record<string, string>) =>
    samples.filter(
      (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    );
  return {
    types,
    samples,
    /** The sum of all series with these labels; undefined without one. */
    value: (name: string, labels: Record<string, string> = {}): number | undefined => {
      const found = matches(name, labels);
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
    /** The labels of a metric that a process has now, without `role` and `le`. */
    labelsOf: (metric: string): string[] => {
      const own = samples.filter(({ name }) => name.replace(/_(bucket|sum|count)$/, '') === metric || name === metric);
      const keys = new Set(own.flatMap(({ labels }) => Object.keys(labels)));
      return [...keys].filter((key) => key !== 'role' && key !== 'le').sort();
    },
  };
}
export type Scrape = Awaited<ReturnType<typeof scrape>>;

const labelsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [key, value] as const));

export interface DocumentedMetric {
  name: string;
  type: string;
  labels: string[];
  processes: string[];
}

/** The tables of docs/operators/metrics.md: name, type, labels, processes, meaning. */
export function documentedMetrics(): DocumentedMetric[] {
  const text = readFileSync(new URL('../../../docs/operators/metrics.md', import.meta.url), 'utf8');
  const words = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word ?? '').sort();
  return text.split('\n').flatMap((line) => {
    const [, name, type = '', labels, processes = ''] =
      /^\| `([a-z]\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|/.exec(line) ?? [];
    return name ? [{ name, type, labels: words(labels), processes: processes.split(', ') }] : [];
  });
}
