/** Days in UTC, like the service. */
export const day = (at: number) => new Date(at).toISOString().slice(0, 10);
const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text);

/** The range in the URL; the last 30 days by default. */
export function rangeOf(url: string): { from: string; to: string; botId: string | undefined } {
  const { searchParams } = new URL(url);
  const [from, to] = [searchParams.get('from'), searchParams.get('to')];
  const last = isDay(to) ? to : day(Date.now());
  return {
    from: isDay(from) ? from : day(Date.parse(last) - 29 * 86_400_000),
    to: last,
    botId: searchParams.get('botId') || undefined,
  };
}

/** Every day of the range. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && days.length < 400; at += 86_400_000) days.push(day(at));
  return days;
}
