/** Filter types: any text, a day, or one of a list of values. */
type FilterSchema = Record<string, 'text' | 'day' | readonly string[]>;
type Value<L> = L extends readonly (infer Word)[] ? Word : string;
/** Filter values from the URL. Empty means no filter. */
export type Filters<S extends FilterSchema> = { [N in keyof S]: Value<S[N]> | '' };
type Query<S extends FilterSchema> = { [N in keyof S]?: Value<S[N]> };

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
/** The following day, because the last day is included. */
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString();

/** Users can edit the URL, so invalid values are dropped. */
export function filtersIn<const S extends FilterSchema>(url: string, filterSchema: S): Filters<S> {
  const { searchParams } = new URL(url);
  const valueOf = ([name, kind]: [string, FilterSchema[string]]) => {
    const value = searchParams.get(name)?.trim().slice(0, 80) ?? '';
    const isValid = kind === 'text' || (kind === 'day' ? isDay(value) : kind.includes(value));
    return [name, isValid ? value : ''];
  };
  return Object.fromEntries(Object.entries(filterSchema).map(valueOf)) as Filters<S>;
}

/** Query parameters for the API: without empty values, and with days as timestamps. */
export function toQuery<S extends FilterSchema>(filters: Filters<S>): Query<S> {
  const entries = (Object.entries(filters) as [string, string][]).filter(([, value]) => value);
  const toTimestamp = (name: string, value: string) =>
    name === 'since' ? `${value}T00:00:00Z` : name === 'until' ? dayAfter(value) : value;
  return Object.fromEntries(entries.map(([name, value]) => [name, toTimestamp(name, value)])) as Query<S>;
}
