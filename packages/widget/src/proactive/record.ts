interface Stored {
  /** Time of the last page view. */
  at: number;
  isReturning: boolean;
  /** How often each message was shown. */
  shown: Record<string, number>;
}

/** A page view after this long belongs to a new visit. */
const visitMs = 30 * 60_000;

/**
 * What this browser has seen of a bot's proactive messages. The key has no colon at its end, unlike those of the chat, so
 * that it neither loads the chat on the next page nor counts as consent.
 */
export function openRecord(botId: string) {
  const key = `cb:${botId}`;
  let hasVisited = false;
  const read = (): Stored => {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Stored | null;
    return stored ?? { at: Date.now(), isReturning: false, shown: {} };
  };
  /** False if storage is blocked or full. */
  const write = (change: (stored: Stored) => Stored): boolean => {
    try {
      localStorage.setItem(key, JSON.stringify(change(read())));
      return true;
    } catch {
      return false;
    }
  };
  return {
    hasChatted: () => {
      try {
        return Object.keys(localStorage).some((name) => name.startsWith(`${key}:`));
      } catch {
        return false;
      }
    },
    /** Once per page, before anything is read. */
    visit: () =>
      hasVisited ||
      (hasVisited = write((stored) => ({
        ...stored,
        isReturning: stored.isReturning || Date.now() - stored.at > visitMs,
        at: Date.now(),
      }))),
    isReturning: () => read().isReturning,
    count: (id: string) => read().shown[id] ?? 0,
    add: (id: string) =>
      write((stored) => ({ ...stored, shown: { ...stored.shown, [id]: (stored.shown[id] ?? 0) + 1 } })),
  };
}
