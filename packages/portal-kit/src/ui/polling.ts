import { useEffect, useEffectEvent } from 'react';
import { useRevalidator } from 'react-router';

/** Reloads the page's data at an interval while active and while the tab is visible. */
export function usePolling(intervalMs: number, isActive: boolean): void {
  const { revalidate, state } = useRevalidator();
  const poll = useEffectEvent(() => {
    if (document.visibilityState === 'visible' && state === 'idle') void revalidate();
  });
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => poll(), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, isActive]);
}
