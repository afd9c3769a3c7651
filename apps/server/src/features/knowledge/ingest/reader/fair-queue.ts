/**
 * Limits concurrency fairly between owners: no owner occupies all slots, and waiting owners take turns, however many
 * documents each has.
 */
export function createFairQueue(slots: number) {
  const maxPerOwner = Math.max(1, slots - 1);
  const activeSlots = new Map<string, number>();
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let busy = 0;

  const canStart = (owner: string) => busy < slots && (activeSlots.get(owner) ?? 0) < maxPerOwner;
  const occupy = (owner: string) => {
    busy++;
    activeSlots.set(owner, (activeSlots.get(owner) ?? 0) + 1);
  };
  const startNext = () => {
    for (const [owner, queue] of waiting) {
      if (!canStart(owner)) continue;
      const start = queue.shift();
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue); // moves to the end, so that others go first
      occupy(owner);
      start?.();
      return;
    }
  };

  return {
    async take(owner: string): Promise<void> {
      if (canStart(owner)) return occupy(owner);
      await new Promise<void>((start) => {
        const queue = waiting.get(owner) ?? [];
        queue.push(start);
        waiting.set(owner, queue);
      });
    },
    release(owner: string): void {
      busy--;
      const left = (activeSlots.get(owner) ?? 1) - 1;
      if (left > 0) activeSlots.set(owner, left);
      else activeSlots.delete(owner);
      startNext();
    },
  };
}
