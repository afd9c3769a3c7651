/** What is due is found again within a minute, so a step that keeps failing fails again before this. */
const keepMs = 150_000;

/**
 * Since when steps fail for endpoints. Such an endpoint is dropped from memory, so that it doesn't hold up others, and what is
 * due to it still waits.
 */
export function createFailingSteps(now = () => Date.now()) {
  const failing = new Map<string, { since: number; lastAt: number }>();
  return {
    failed: (webhookId: string, dueAt: number) => {
      const since = failing.get(webhookId)?.since ?? Math.min(dueAt, now());
      failing.set(webhookId, { since, lastAt: now() });
    },
    succeeded: (webhookId: string) => void failing.delete(webhookId),
    /** Since when the first of them waits; Infinity if there is none. */
    since: (): number => {
      let oldest = Infinity;
      for (const [webhookId, { since, lastAt }] of failing) {
        if (now() - lastAt > keepMs) failing.delete(webhookId);
        else oldest = Math.min(oldest, since);
      }
      return oldest;
    },
  };
}
