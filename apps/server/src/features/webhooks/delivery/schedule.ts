const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Delay after the first failure, the second, and so on: 13 attempts in about three days. */
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

/** Up to 20 %, at least 1 s and at most 15 min, so that deliveries that failed together aren't retried together. */
const jitter = (ms: number, random: () => number) => random() * Math.max(second, Math.min(ms / 5, 15 * minute));
const withJitter = (ms: number, random: () => number) => ms + jitter(ms, random);

/** Delay of the retry after failure number `retryCount`. undefined: no more retries. */
export function retryAfterMs(retryCount: number, random = Math.random): number | undefined {
  const wait = waits[retryCount - 1];
  return wait === undefined ? undefined : withJitter(wait, random);
}

/** Errors on our side are retried soon and don't count as attempts. */
export const internalErrorRetryMs = (random = Math.random) => withJitter(15 * second, random);

const brokenProbes = [30 * second, minute, 2 * minute, 5 * minute, 10 * minute];
/** A broken endpoint is probed with its oldest pending delivery. */
export const brokenProbeMs = (probes: number, random = Math.random) =>
  withJitter(brokenProbes[probes] ?? 15 * minute, random);

/** A disabled endpoint is pinged every hour for a day, then every six hours for a month. undefined: no longer. */
export function disabledProbeMs(disabledForMs: number, random = Math.random): number | undefined {
  if (disabledForMs > 30 * 24 * hour) return undefined;
  return withJitter(disabledForMs < 24 * hour ? hour : 6 * hour, random);
}

const maxHold = 24 * hour;
/** Reads `Retry-After` in seconds or as a date. undefined if it is missing, invalid or in the past. */
export function readRetryAfter(header: string | undefined, now: Date): Date | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * second : readHttpDate(text) - now.getTime();
  if (Number.isNaN(ms) || ms <= 0) return undefined;
  return new Date(now.getTime() + Math.min(ms, maxHold));
}

/** The current format and the two obsolete ones that recipients must accept (RFC 9110, 5.6.7). */
function readHttpDate(text: string): number {
  if (/^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/.test(text)) return Date.parse(text);
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(text);
  return isAsctime ? Date.parse(`${text} GMT`) : NaN;
}
