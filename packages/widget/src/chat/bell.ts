/** For whoever waits until something may have changed. Ringing wakes all of them; each looks for itself. */
export function createBell() {
  let wakers: (() => void)[] = [];
  return {
    ring() {
      const woken = wakers;
      wakers = [];
      for (const wake of woken) wake();
    },
    /** Until it rings, or for so long. */
    wait: (ms?: number) =>
      new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        wakers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
export type Bell = ReturnType<typeof createBell>;
