import { useSyncExternalStore } from 'react';
import { isRouteErrorResponse } from 'react-router';

// Pages that look again and again must not fall over because the service is away for a moment: they keep what they have,
// with whatever somebody is writing in them, and say that it may be old.

let isAway = false;
const listeners = new Set<() => void>();
const notify = (next: boolean) => {
  if (isAway === next) return;
  isAway = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the last look found nobody. */
export const useIsAway = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => isAway,
    () => false,
  );

/** A restart, a lost line, a server that is too busy: over by itself. */
const isPassing = (error: unknown) =>
  isRouteErrorResponse(error) ? error.status >= 500 || error.status === 429 : error instanceof TypeError;

interface Asked {
  request: Request;
  serverLoader(): Promise<unknown>;
}

/** For a route that is read again by itself: `export const clientLoader = keepLast<typeof loader>()`. */
export function keepLast<L extends (...args: never[]) => unknown>() {
  type Data = Awaited<ReturnType<L>>;
  let last: { address: string; data: Data } | undefined;
  const clientLoader = async ({ request, serverLoader }: Asked): Promise<Data> => {
    const address = request.url;
    try {
      const data = (await serverLoader()) as Data;
      last = { address, data };
      notify(false);
      return data;
    } catch (error) {
      if (last?.address !== address || !isPassing(error)) throw error;
      notify(true);
      return last.data;
    }
  };
  // What the page was rendered with is the first that is kept; it is not fetched again.
  clientLoader.hydrate = true as const;
  return clientLoader;
}
