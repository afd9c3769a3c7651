import { useEffect, useEffectEvent, useState } from 'react';

/**
 * A count for the menu. Read by the browser at an interval while the tab is visible, so that no page waits for it.
 * `read` returns undefined if the API is overloaded or away, which says nothing: the last count stays.
 */
export function useMenuCount(isAllowed: boolean, refreshMs: number, read: () => Promise<number | undefined>): number {
  const [count, setCount] = useState(0);
  const readIfVisible = useEffectEvent(() => {
    if (document.visibilityState !== 'visible') return;
    void read()
      .catch(() => undefined)
      .then((next) => next !== undefined && setCount(next));
  });
  useEffect(() => {
    if (!isAllowed) return undefined;
    readIfVisible();
    const timer = setInterval(() => readIfVisible(), refreshMs);
    return () => clearInterval(timer);
  }, [isAllowed, refreshMs]);
  return count;
}
