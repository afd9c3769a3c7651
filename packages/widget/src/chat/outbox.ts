import type { ChatStorage } from './storage.ts';

/** A message that is not yet in the log. Its id is sent with every attempt, so that it is accepted once. */
export interface Outgoing {
  id: string;
  text: string;
  state: 'waiting' | 'sent' | 'failed';
  error?: string | undefined;
}

const newId = () => `${Date.now().toString(36).padStart(9, '0')}-${crypto.randomUUID()}`;

/**
 * Messages are stored when written, each under its own key, so that tabs never overwrite one another. The key contains
 * the user, so that one user's messages are never sent as another's. Until the user is known, they stay in memory.
 */
export function createOutbox(chatStorage: ChatStorage, owner: () => string | undefined) {
  const items = new Map<string, Outgoing>();
  const unstored = new Set<string>();
  const keyOf = (id: string) => `out:${owner()}:${id}`;

  const store = () => {
    if (owner() === undefined) return;
    for (const id of unstored) chatStorage.set(keyOf(id), items.get(id)?.text ?? '');
    unstored.clear();
  };
  /** Picks up changes by other tabs, and messages an earlier page could not send. */
  const syncTabs = () => {
    if (owner() === undefined) return;
    store();
    const stored = chatStorage.keysWithPrefix(keyOf(''));
    for (const id of stored)
      if (!items.has(id)) items.set(id, { id, text: chatStorage.get(keyOf(id)) ?? '', state: 'waiting' });
    for (const [id, { state }] of items) if (state === 'waiting' && !stored.includes(id)) items.delete(id);
  };
  const all = () => [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const change = (id: string, change: Partial<Outgoing>) => {
    const item = items.get(id);
    if (item) Object.assign(item, change);
  };

  return {
    all,
    syncTabs,
    next: () => all().find(({ state }) => state === 'waiting'),
    add(text: string) {
      const id = newId();
      items.set(id, { id, text, state: 'waiting' });
      unstored.add(id);
      store();
    },
    /** Accepted: shown until the log contains it, and not sent again. */
    sent(id: string) {
      chatStorage.remove(keyOf(id));
      change(id, { state: 'sent' });
    },
    fail: (id: string, error: string) => change(id, { state: 'failed', error }),
    retry: (id: string) => change(id, { state: 'waiting', error: undefined }),
    /** On a change of user: stored messages stay for their owner. */
    clear() {
      items.clear();
      unstored.clear();
    },
    drop(id: string) {
      chatStorage.remove(keyOf(id));
      unstored.delete(id);
      items.delete(id);
    },
  };
}
export type Outbox = ReturnType<typeof createOutbox>;
