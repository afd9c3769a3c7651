/** What can be looked for: any text, a day, or one of some words. */
type Shape = Record<string, 'text' | 'day' | readonly string[]>;
type Value<L> = L extends readonly (infer Word)[] ? Word : string;
/** What somebody looks for, as the address has it: empty for anything. */
export type Filters<S extends Shape> = { [N in keyof S]: Value<S[N]> | '' };
type Query<S extends Shape> = { [N in keyof S]?: Value<S[N]> };

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
/** The day after: what happened on the last day belongs to it. */
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString();

/** An address may be written by anybody: what fits no filter is left out. */
export function filtersIn<const S extends Shape>(url: string, shape: S): Filters<S> {
  const { searchParams } = new URL(url);
  const valueOf = ([name, kind]: [string, Shape[string]]) => {
    const value = searchParams.get(name)?.trim().slice(0, 80) ?? '';
    const fits = kind === 'text' || (kind === 'day' ? isDay(value) : kind.includes(value));
    return [name, fits ? value : ''];
  };
  return Object.fromEntries(Object.entries(shape).map(valueOf)) as Filters<S>;
}

/** The same as the service wants it: without what is empty, and with days as times. */
export function toQuery<S extends Shape>(filters: Filters<S>): Query<S> {
  const entries = (Object.entries(filters) as [string, string][]).filter(([, value]) => value);
  const asTime = (name: string, value: string) =>
    name === 'since' ? `${value}T00:00:00Z` : name === 'until' ? dayAfter(value) : value;
  return Object.fromEntries(entries.map(([name, value]) => [name, asTime(name, value)])) as Query<S>;
}
