import { useEffect, useRef } from 'react';
import { useRevalidator } from 'react-router';

/** Reloads the page's data at an interval while active and while the tab is visible. */
export function usePolling(intervalMs: number, isActive: boolean): void {
  const { revalidate, state } = useRevalidator();
  const isBusy = useRef(false);
  isBusy.current = state !== 'idle';
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isBusy.current) void revalidate();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, isActive, revalidate]);
}
