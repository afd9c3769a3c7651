import { Gauge, type Registry } from 'prom-client';

/** How long a value read from a server is reused. More scrapes, and more scrapers, cause no more queries. */
export const reuseMs = 15_000;

interface ReadOptions {
  everyMs?: number;
  now?: () => number;
}

/**
 * Reads at most once in `everyMs`, whatever the number of scrapes and of gauges that share the result. Undefined if the last
 * read failed: a series without a value is missing rather than old.
 */
export function reuse<T>(read: () => Promise<T>, { everyMs = reuseMs, now = Date.now }: ReadOptions = {}) {
  let latest: { at: number; value: Promise<T | undefined> } | undefined;
  return (): Promise<T | undefined> => {
    if (latest && now() - latest.at < everyMs) return latest.value;
    const value = read().catch(() => undefined);
    latest = { at: now(), value };
    return value;
  };
}

/** A gauge that `collect` sets whenever it's scraped. */
export const createGauge = <Label extends string>(
  registry: Registry,
  { name, help, labelNames }: { name: string; help: string; labelNames: Label[] },
  collect: (gauge: Gauge<Label>) => Promise<void> | void,
) =>
  new Gauge<Label>({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      return collect(this);
    },
  });

/** A gauge whose value is read when it's scraped. Without a value, its series is absent. */
export const readGauge = (
  registry: Registry,
  name: string,
  help: string,
  read: () => Promise<number | undefined> | number | undefined,
) =>
  createGauge(registry, { name, help, labelNames: [] }, async (gauge) => {
    const value = await Promise.resolve(read()).catch(() => undefined);
    if (value === undefined) gauge.remove();
    else gauge.set(value);
  });

/** A gauge with one label, whose values are read when it's scraped. Values that are gone are absent. */
export const readGaugeBy = <Label extends string>(
  registry: Registry,
  { name, help, label }: { name: string; help: string; label: Label },
  read: () => Promise<Record<string, number> | undefined> | Record<string, number>,
) =>
  createGauge(registry, { name, help, labelNames: [label] }, async (gauge) => {
    const values = (await Promise.resolve(read()).catch(() => undefined)) ?? {};
    gauge.reset();
    for (const [key, value] of Object.entries(values)) gauge.set({ [label]: key } as Record<Label, string>, value);
  });
