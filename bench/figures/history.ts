import { median } from './stats.ts';

/** A line of bench/history.jsonl: the ratios that later quick runs on this kind of machine are compared with. */
export interface AcceptedRun {
  date: string;
  commit: string;
  machine: string;
  /** How many times the minimum each path costs, so less is better. */
  ratios: Record<string, number>;
}

/** A ratio may be worse by this share: less is noise on a machine with other work. */
export const tolerance = 0.15;
export const maxRounds = 3;

export function lastAccepted(history: string, machine: string): AcceptedRun | undefined {
  const lines = history.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as AcceptedRun).findLast((run) => run.machine === machine);
}

/** By how much a ratio is worse, as a share of the accepted one. Negative if it is better. */
export const worsening = (ratio: number, accepted: number): number => ratio / accepted - 1;

export interface RatioCheck {
  name: string;
  measure(): Promise<number>;
}

export interface Verdict {
  name: string;
  /** Of each round in which it was measured. */
  ratios: number[];
  ratio: number;
  /** Undefined if the accepted run does not have it. */
  accepted: number | undefined;
  isWorse: boolean;
}

/**
 * Measures each ratio until it is within the tolerance, at most three times. It fails only if it was worse each time: other
 * work on the machine rarely lasts that long, and a slower handler always does. `isExact` measures all of them three times.
 */
export async function checkRatios(
  checks: readonly RatioCheck[],
  accepted: AcceptedRun | undefined,
  { isExact = false } = {},
): Promise<Verdict[]> {
  const verdicts = new Map<string, Verdict>();
  for (let round = 0; round < maxRounds; round++) {
    for (const { name, measure } of checks) {
      const previous = verdicts.get(name);
      if (previous && !previous.isWorse && !isExact) continue;
      const ratios = [...(previous?.ratios ?? []), await measure()];
      const before = accepted?.ratios[name];
      // Not `> tolerance`: a ratio that could not be measured is not a number, and fails.
      const isWorseNow = before !== undefined && !(worsening(ratios.at(-1) ?? Number.NaN, before) <= tolerance);
      const isWorse = isWorseNow && (previous?.isWorse ?? true);
      verdicts.set(name, { name, ratios, ratio: median(ratios), accepted: before, isWorse });
    }
  }
  return [...verdicts.values()];
}
