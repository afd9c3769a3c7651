/** What outlasts the page, under names of this bot. In memory until the visitor agrees, and where a page has no storage. */
export function createKeep(botId: string, mayStore: boolean) {
  const prefix = `cb:${botId}:`;
  const memory = new Map<string, string>();
  const stored = () => {
    try {
      return Object.keys(localStorage);
    } catch {
      return undefined; // a page without storage
    }
  };
  // Whoever agreed on an earlier page is not asked again.
  let isLasting = Boolean(mayStore ? stored() : stored()?.some((name) => name.startsWith(prefix)));

  const lasting = <T>(work: (storage: Storage) => T): T | undefined => {
    try {
      return isLasting ? work(localStorage) : undefined;
    } catch {
      isLasting = false; // blocked, or full: this page goes on without
      return undefined;
    }
  };
  const names = () => [...new Set([...memory.keys(), ...((isLasting && stored()) || [])])];

  const keep = {
    isLasting: () => isLasting,
    get: (name: string) =>
      memory.get(prefix + name) ?? lasting((storage) => storage.getItem(prefix + name)) ?? undefined,
    set(name: string, value: string) {
      const isStored = lasting((storage) => (storage.setItem(prefix + name, value), true));
      if (!isStored) memory.set(prefix + name, value);
    },
    remove(name: string) {
      memory.delete(prefix + name);
      lasting((storage) => storage.removeItem(prefix + name));
    },
    /** What comes after this in a name, in order. */
    under: (start: string) =>
      names()
        .filter((name) => name.startsWith(prefix + start))
        .map((name) => name.slice((prefix + start).length))
        .sort(),
    clear: () => keep.under('').forEach(keep.remove),
    /** The visitor agreed, or took it back. */
    agree(isAgreed: boolean) {
      const before = keep.under('').map((name) => [name, keep.get(name) ?? ''] as const);
      if (!isAgreed) keep.clear();
      memory.clear();
      isLasting = isAgreed;
      for (const [name, value] of before) keep.set(name, value);
    },
  };
  return keep;
}
export type Keep = ReturnType<typeof createKeep>;
