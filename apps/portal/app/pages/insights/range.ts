const dayMs = 86_400_000;

/** Days in UTC, like the service. */
export const day = (at: number) => new Date(at).toISOString().slice(0, 10);
const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

export interface Range {
  from: string;
  to: string;
}

/** The range in the URL; the last 30 days by default. */
export function rangeOf(url: string): Range {
  const { searchParams } = new URL(url);
  const [from, to] = [searchParams.get('from'), searchParams.get('to')];
  const last = isDay(to) ? to : day(Date.now());
  return { from: isDay(from) ? from : day(Date.parse(last) - 29 * dayMs), to: last };
}

/** The filters in the URL that are set. */
export function filtersOf(url: string) {
  const { searchParams } = new URL(url);
  const [botId, language] = [searchParams.get('botId'), searchParams.get('language')];
  const channel = (['website', 'api'] as const).find((name) => name === searchParams.get('channel'));
  return { ...(botId && { botId }), ...(channel && { channel }), ...(language && { language }) };
}

/** The period of the same length right before. */
export function previousOf({ from, to }: Range): Range {
  const length = Date.parse(to) - Date.parse(from) + dayMs;
  return { from: day(Date.parse(from) - length), to: day(Date.parse(to) - length) };
}

/** Every day of the range. */
export function daysOf({ from, to }: Range): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < 400; at += dayMs) days.push(day(at));
  return days;
}
