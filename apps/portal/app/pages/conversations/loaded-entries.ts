import type { TimelineEntry } from './states.ts';

/** Loaded entries, oldest first, and the cursor for earlier ones. */
export interface LoadedEntries {
  entries: TimelineEntry[];
  before: number | null;
}

/** Merges by `seq`. A entry read again replaces the old one, because it may have been erased. */
function merge(one: readonly TimelineEntry[], other: readonly TimelineEntry[]): TimelineEntry[] {
  const bySeq = new Map([...one, ...other].map((entry) => [entry.seq, entry]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

/** Adds the newest page. If it does not connect to the loaded entries, those are dropped to avoid a gap. */
export function withNewest(
  loaded: LoadedEntries,
  newest: readonly TimelineEntry[],
  before: number | null,
): LoadedEntries {
  const last = loaded.entries.at(-1)?.seq;
  const isGap = last !== undefined && before !== null && newest.every(({ seq }) => seq > last);
  return isGap || last === undefined
    ? { entries: merge([], newest), before }
    : { entries: merge(loaded.entries, newest), before: loaded.before };
}

export const withEarlier = (
  loaded: LoadedEntries,
  earlier: readonly TimelineEntry[],
  before: number | null,
): LoadedEntries => ({
  entries: merge(earlier, loaded.entries),
  before,
});
