/** Condition variable: `wakeAll` resumes all waiters, and each checks its own condition. */
export function createWakeup() {
  let listeners: (() => void)[] = [];
  return {
    wakeAll() {
      const waiting = listeners;
      listeners = [];
      for (const wake of waiting) wake();
    },
    /** Until `wakeAll`, or for `ms`. */
    wait: (ms?: number) =>
      new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        listeners.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
export type Wakeup = ReturnType<typeof createWakeup>;
