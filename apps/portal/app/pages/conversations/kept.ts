import type { Message } from './states.ts';

/** What a page has read of a conversation, oldest first, and from where the earlier ones are read. */
export interface Kept {
  messages: Message[];
  before: number | null;
}

/** By place, once each: what is read again may be the same, or have been erased meanwhile. */
function merge(one: readonly Message[], other: readonly Message[]): Message[] {
  const bySeq = new Map([...one, ...other].map((message) => [message.seq, message]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

/** The newest page, read anew. Where more has happened than it holds, what was kept would leave a gap, and is let go. */
export function withNewest(kept: Kept, newest: readonly Message[], before: number | null): Kept {
  const last = kept.messages.at(-1)?.seq;
  const isGap = last !== undefined && before !== null && newest.every(({ seq }) => seq > last);
  return isGap || last === undefined
    ? { messages: merge([], newest), before }
    : { messages: merge(kept.messages, newest), before: kept.before };
}

export const withEarlier = (kept: Kept, earlier: readonly Message[], before: number | null): Kept => ({
  messages: merge(earlier, kept.messages),
  before,
});
