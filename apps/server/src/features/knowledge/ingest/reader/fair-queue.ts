/**
 * Gives out a few slots, fairly between owners: no owner holds all of them, and those who wait take turns, however many
 * documents each of them brings.
 */
export function createFairQueue(slots: number) {
  const maxPerOwner = Math.max(1, slots - 1);
  const held = new Map<string, number>();
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let busy = 0;

  const mayHold = (owner: string) => busy < slots && (held.get(owner) ?? 0) < maxPerOwner;
  const hold = (owner: string) => {
    busy++;
    held.set(owner, (held.get(owner) ?? 0) + 1);
  };
  const startNext = () => {
    for (const [owner, queue] of waiting) {
      if (!mayHold(owner)) continue;
      const start = queue.shift();
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue); // to the end: others go first
      hold(owner);
      start?.();
      return;
    }
  };

  return {
    async take(owner: string): Promise<void> {
      if (mayHold(owner)) return hold(owner);
      await new Promise<void>((start) => {
        const queue = waiting.get(owner) ?? [];
        queue.push(start);
        waiting.set(owner, queue);
      });
    },
    release(owner: string): void {
      busy--;
      const left = (held.get(owner) ?? 1) - 1;
      if (left > 0) held.set(owner, left);
      else held.delete(owner);
      startNext();
    },
  };
}
