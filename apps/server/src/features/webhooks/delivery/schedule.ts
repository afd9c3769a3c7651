const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** After the first failure, the second, and so on; after the last of them it is given up: 13 attempts in about three days. */
const waits = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  20 * hour,
  24 * hour,
];

/** Later by up to a fifth, a quarter of an hour at most and a second at least: what failed together does not come back together. */
const jitter = (ms: number, random: () => number) => random() * Math.max(second, Math.min(ms / 5, 15 * minute));
const later = (ms: number, random: () => number) => ms + jitter(ms, random);

/** How long after its `retryCount`th failure a delivery is tried again; undefined when that was the last. */
export function retryAfterMs(retryCount: number, random = Math.random): number | undefined {
  const wait = waits[retryCount - 1];
  return wait === undefined ? undefined : later(wait, random);
}

/** A fault of our own is nobody's failure: soon again, and never given up for it. */
export const ownFaultRetryMs = (random = Math.random) => later(15 * second, random);

const brokenProbes = [30 * second, minute, 2 * minute, 5 * minute, 10 * minute];
/** An endpoint that is broken is tried with the oldest that waits for it. */
export const brokenProbeMs = (probes: number, random = Math.random) =>
  later(brokenProbes[probes] ?? 15 * minute, random);

/** One that is disabled is asked every hour for a day, then four times a day for a month, and then left alone. */
export function disabledProbeMs(disabledForMs: number, random = Math.random): number | undefined {
  if (disabledForMs > 30 * 24 * hour) return undefined;
  return later(disabledForMs < 24 * hour ? hour : 6 * hour, random);
}

const maxHold = 24 * hour;
/** When a receiver wants to be called again: in seconds, or at a time. Undefined if it does not say so in any known form. */
export function readRetryAfter(header: string | undefined, now: Date): Date | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * second : readHttpDate(text) - now.getTime();
  if (Number.isNaN(ms) || ms <= 0) return undefined;
  return new Date(now.getTime() + Math.min(ms, maxHold));
}

/** The form in use, and the two old ones that must still be read (RFC 9110, 5.6.7). */
function readHttpDate(text: string): number {
  if (/^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/.test(text)) return Date.parse(text);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text);
  return isAsctime ? Date.parse(`${text} GMT`) : NaN;
}
