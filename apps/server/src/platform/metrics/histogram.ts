import type { Metric, Registry } from 'prom-client';
import { instruments } from './instruments.ts';

/** The observations with one set of labels. */
export interface Series {
  observe(seconds: number): void;
}

interface HistogramOptions<Label extends string> {
  name: string;
  help: string;
  labelNames: readonly Label[];
  /** Upper limits. Each SLO needs one that is exactly its threshold. */
  buckets: readonly number[];
  registry?: Registry;
}

/**
 * A histogram in the format of prom-client, whose own takes 1 µs for each observation: it checks and hashes the labels each
 * time. Here, labels are known when a series is created, and an observation is an addition.
 */
export function createHistogram<Label extends string>({
  name,
  help,
  labelNames,
  buckets,
  registry = instruments,
}: HistogramOptions<Label>) {
  const values: (() => object[])[] = [];
  const known = new Map<string, Series>();

  const create = (labels: Record<Label, string>): Series => {
    const counts = Array<number>(buckets.length + 1).fill(0); // the last: longer than all buckets
    let sum = 0;
    values.push(() => {
      let below = 0;
      const lines = buckets.map((le, index) => {
        below += counts[index] ?? 0;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
      });
      const count = below + (counts[buckets.length] ?? 0);
      return [
        ...lines,
        { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return {
      observe: (seconds) => {
        let index = 0;
        while (index < buckets.length && seconds > (buckets[index] ?? 0)) index++;
        counts[index] = (counts[index] ?? 0) + 1;
        sum += seconds;
      },
    };
  };

  const metric = {
    name,
    help,
    type: 'histogram',
    labelNames,
    aggregator: 'sum',
    get: async () => ({ ...metric, values: values.flatMap((read) => read()) }),
    reset: () => {},
  };
  registry.registerMetric(metric as unknown as Metric);

  return {
    /** For callers that keep the series of each set of labels. */
    create,
    /** The series of these labels, which is created with its first use. */
    with: (labels: Record<Label, string>): Series => {
      const key = labelNames.map((label) => labels[label]).join('\n');
      let series = known.get(key);
      if (!series) known.set(key, (series = create(labels)));
      return series;
    },
  };
}

export const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000;
