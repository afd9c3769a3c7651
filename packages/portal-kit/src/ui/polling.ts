import { useEffect, useRef } from 'react';
import { useRevalidator } from 'react-router';

/** Reads the page's data again and again while something is under way, and only while somebody looks. */
export function usePolling(everyMs: number, isWanted: boolean): void {
  const { revalidate, state } = useRevalidator();
  const isBusy = useRef(false);
  isBusy.current = state !== 'idle';
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isBusy.current) void revalidate();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isWanted, revalidate]);
}
