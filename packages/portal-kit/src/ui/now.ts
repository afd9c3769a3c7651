import { useCallback, useSyncExternalStore } from 'react';

/** To the second, because React needs the same value when it reads twice. */
const readNow = () => Math.floor(Date.now() / 1_000) * 1_000;

/** The current time, updated at an interval. Undefined on the server and until hydration, so that both render the same. */
export function useNow(intervalMs: number): number | undefined {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const timer = setInterval(onChange, intervalMs);
      return () => clearInterval(timer);
    },
    [intervalMs],
  );
  return useSyncExternalStore<number | undefined>(subscribe, readNow, () => undefined);
}
