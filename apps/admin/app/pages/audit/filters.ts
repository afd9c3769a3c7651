/** What somebody looks for, as the address has it. */
export type Filters<N extends string> = Record<N, string>;

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
/** The day after: what happened on the last day belongs to it. */
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString();

export function filtersIn<N extends string>(url: string, names: readonly N[]): Filters<N> {
  const { searchParams } = new URL(url);
  const get = (name: string) => searchParams.get(name)?.trim().slice(0, 80) ?? '';
  const valid = (name: N) => ((name === 'since' || name === 'until') && !isDay(get(name)) ? '' : get(name));
  return Object.fromEntries(names.map((name) => [name, valid(name)])) as Filters<N>;
}

/** The same as the service wants it: without what is empty, and with days as times. */
export function toQuery<N extends string>(filters: Filters<N>): Partial<Filters<N>> {
  const entries = (Object.entries(filters) as [N, string][]).filter(([, value]) => value);
  const asTime = (name: N, value: string) =>
    name === 'since' ? `${value}T00:00:00Z` : name === 'until' ? dayAfter(value) : value;
  return Object.fromEntries(entries.map(([name, value]) => [name, asTime(name, value)])) as Partial<Filters<N>>;
}
