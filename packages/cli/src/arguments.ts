import { InvalidArgumentError } from 'commander';

/** An integer in this range, or a usage error. */
export const integerBetween =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`);
    return number;
  };

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2026-11-16`, `2026-11-16T08:00:00Z`, or how long ago: `30m`, `6h`, `2d`. */
export function parseTime(text: string): string {
  const ago = /^(\d+)([smhd])$/.exec(text);
  const time = ago
    ? Date.now() - Number(ago[1]) * unitsMs[ago[2] as keyof typeof unitsMs]
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Must be a date, such as 2026-11-16T08:00Z, or a duration, such as 6h.');
  return new Date(time).toISOString();
}

/** For an option that may be repeated or list values with commas. */
export const parseList = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text.split(',').filter((value) => value !== ''),
];

/** The first `max` items of a possibly endless sequence. */
export async function take<T>(items: AsyncIterable<T>, max = Infinity): Promise<T[]> {
  const taken: T[] = [];
  if (max <= 0) return taken;
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= max) break;
  }
  return taken;
}
