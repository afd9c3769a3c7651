import { Counter, Registry } from 'prom-client';

/**
 * What the code of this process counts and measures, like the tracer of OpenTelemetry: declared where it happens, without
 * being passed through every function. What reads a connection or a loop of one process is in the registry of its platform.
 */
export const instruments = new Registry();

/**
 * A counter whose known series start at 0: otherwise the first failure creates its series, and a rate doesn't show it.
 */
export function createCounter<Label extends string>(
  name: string,
  help: string,
  labels: Record<Label, readonly string[]>,
): Counter<Label> {
  const labelNames = Object.keys(labels) as Label[];
  const counter = new Counter<Label>({ name, help, labelNames, registers: [instruments] });
  const combinations = labelNames.reduce<Partial<Record<Label, string>>[]>(
    (all, label) => all.flatMap((one) => labels[label].map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
  if (labelNames.length > 0) for (const one of combinations) counter.inc(one, 0);
  return counter;
}
