/** Storage with keys of this bot. In memory until the visitor consents, and where localStorage is unavailable. */
export function createStorage(botId: string, mayStore: boolean) {
  const prefix = `cb:${botId}:`;
  const memory = new Map<string, string>();
  const storedKeys = () => {
    try {
      return Object.keys(localStorage);
    } catch {
      return undefined; // storage is blocked
    }
  };
  // Consent given on an earlier page is still valid.
  let isPersistent = Boolean(mayStore ? storedKeys() : storedKeys()?.some((name) => name.startsWith(prefix)));

  const withStorage = <T>(work: (storage: Storage) => T): T | undefined => {
    try {
      return isPersistent ? work(localStorage) : undefined;
    } catch {
      isPersistent = false; // blocked or full: continue in memory
      return undefined;
    }
  };
  const keys = () => [...new Set([...memory.keys(), ...((isPersistent && storedKeys()) || [])])];

  const chatStorage = {
    isPersistent: () => isPersistent,
    get: (name: string) =>
      memory.get(prefix + name) ?? withStorage((storage) => storage.getItem(prefix + name)) ?? undefined,
    set(name: string, value: string) {
      const isStored = withStorage((storage) => (storage.setItem(prefix + name, value), true));
      if (!isStored) memory.set(prefix + name, value);
    },
    remove(name: string) {
      memory.delete(prefix + name);
      withStorage((storage) => storage.removeItem(prefix + name));
    },
    /** Sorted key suffixes after this prefix. */
    keysWithPrefix: (start: string) =>
      keys()
        .filter((name) => name.startsWith(prefix + start))
        .map((name) => name.slice((prefix + start).length))
        .sort(),
    /** Also the count of proactive messages, whose key has no colon. */
    clear() {
      chatStorage.keysWithPrefix('').forEach(chatStorage.remove);
      withStorage((storage) => storage.removeItem(prefix.slice(0, -1)));
    },
    /** Sets or withdraws consent. */
    setConsent(isGiven: boolean) {
      const entries = chatStorage.keysWithPrefix('').map((name) => [name, chatStorage.get(name) ?? ''] as const);
      if (!isGiven) chatStorage.clear();
      memory.clear();
      isPersistent = isGiven;
      for (const [name, value] of entries) chatStorage.set(name, value);
    },
  };
  return chatStorage;
}
export type ChatStorage = ReturnType<typeof createStorage>;
