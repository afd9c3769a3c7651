import type { Keep } from './keep.ts';

/** A message that the service has not yet confirmed. Its id goes with every attempt, so that it is taken once. */
export interface Outgoing {
  id: string;
  text: string;
  state: 'waiting' | 'sent' | 'failed';
  error?: string | undefined;
}

const newId = () => `${Date.now().toString(36).padStart(9, '0')}-${crypto.randomUUID()}`;

/**
 * Kept from the moment it was written, each under a name of its own: tabs never overwrite one another. Whose it is is part
 * of the name, so that nobody sends what somebody else wrote in the same browser; until that is known it stays in memory.
 */
export function createOutbox(keep: Keep, whose: () => string | undefined) {
  const items = new Map<string, Outgoing>();
  const unstored = new Set<string>();
  const nameOf = (id: string) => `out:${whose()}:${id}`;

  const store = () => {
    if (whose() === undefined) return;
    for (const id of unstored) keep.set(nameOf(id), items.get(id)?.text ?? '');
    unstored.clear();
  };
  /** What other tabs wrote or sent meanwhile, and what an earlier page could not send. */
  const look = () => {
    if (whose() === undefined) return;
    store();
    const stored = keep.under(nameOf(''));
    for (const id of stored)
      if (!items.has(id)) items.set(id, { id, text: keep.get(nameOf(id)) ?? '', state: 'waiting' });
    for (const [id, { state }] of items) if (state === 'waiting' && !stored.includes(id)) items.delete(id);
  };
  const all = () => [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const change = (id: string, change: Partial<Outgoing>) => {
    const item = items.get(id);
    if (item) Object.assign(item, change);
  };

  return {
    all,
    look,
    next: () => all().find(({ state }) => state === 'waiting'),
    add(text: string) {
      const id = newId();
      items.set(id, { id, text, state: 'waiting' });
      unstored.add(id);
      store();
    },
    /** Accepted: it is ours to show until the log brings it, and nobody's to send again. */
    sent(id: string) {
      keep.remove(nameOf(id));
      change(id, { state: 'sent' });
    },
    fail: (id: string, error: string) => change(id, { state: 'failed', error }),
    retry: (id: string) => change(id, { state: 'waiting', error: undefined }),
    /** Of somebody else: what they wrote stays theirs. */
    clear() {
      items.clear();
      unstored.clear();
    },
    drop(id: string) {
      keep.remove(nameOf(id));
      unstored.delete(id);
      items.delete(id);
    },
  };
}
export type Outbox = ReturnType<typeof createOutbox>;
