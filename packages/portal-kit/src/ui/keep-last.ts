import { useSyncExternalStore } from 'react';
import { isRouteErrorResponse } from 'react-router';

// Polling pages must not break when the service is briefly unreachable. They keep the last data, with any unsaved input,
// and show that it may be outdated.

let isOffline = false;
const listeners = new Set<() => void>();
const setOffline = (next: boolean) => {
  if (isOffline === next) return;
  isOffline = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the last poll failed. */
export const useIsOffline = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => isOffline,
    () => false,
  );

/** A restart, a lost connection or overload: temporary. */
const isTransient = (error: unknown) =>
  isRouteErrorResponse(error) ? error.status >= 500 || error.status === 429 : error instanceof TypeError;

interface ClientLoaderArgs {
  request: Request;
  serverLoader(): Promise<unknown>;
}

/** For routes that poll: `export const clientLoader = keepLast<typeof loader>()`. */
export function keepLast<L extends (...args: never[]) => unknown>() {
  type Data = Awaited<ReturnType<L>>;
  let last: { url: string; data: Data } | undefined;
  const clientLoader = async ({ request, serverLoader }: ClientLoaderArgs): Promise<Data> => {
    const url = request.url;
    try {
      const data = (await serverLoader()) as Data;
      last = { url, data };
      setOffline(false);
      return data;
    } catch (error) {
      if (last?.url !== url || !isTransient(error)) throw error;
      setOffline(true);
      return last.data;
    }
  };
  // Start with the data from server rendering, without fetching it again.
  clientLoader.hydrate = true as const;
  return clientLoader;
}
