import type { Message } from './states.ts';

/** Loaded messages, oldest first, and the cursor for earlier ones. */
export interface LoadedMessages {
  messages: Message[];
  before: number | null;
}

/** Merges by `seq`. A message read again replaces the old one, because it may have been erased. */
function merge(one: readonly Message[], other: readonly Message[]): Message[] {
  const bySeq = new Map([...one, ...other].map((message) => [message.seq, message]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

/** Adds the newest page. If it does not connect to the loaded messages, those are dropped to avoid a gap. */
export function withNewest(loaded: LoadedMessages, newest: readonly Message[], before: number | null): LoadedMessages {
  const last = loaded.messages.at(-1)?.seq;
  const isGap = last !== undefined && before !== null && newest.every(({ seq }) => seq > last);
  return isGap || last === undefined
    ? { messages: merge([], newest), before }
    : { messages: merge(loaded.messages, newest), before: loaded.before };
}

export const withEarlier = (
  loaded: LoadedMessages,
  earlier: readonly Message[],
  before: number | null,
): LoadedMessages => ({
  messages: merge(earlier, loaded.messages),
  before,
});
