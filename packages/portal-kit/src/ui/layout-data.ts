import { createContext } from 'react';

const maxAgeMs = 5_000;

interface ClientLoaderArgs {
  serverLoader(): Promise<unknown>;
}
interface Navigation {
  currentUrl: URL;
  nextUrl: URL;
}

/** Marks the layout's data as outdated, so that the next reload includes it. */
export const ExpireLayoutData = createContext<() => void>(() => {});

/**
 * For the loader of a layout. The user's profile rarely changes, so it is not reloaded with each poll: only after an
 * action, and on navigation when it is older than `maxAgeMs`, so that a changed role takes effect.
 */
export function layoutData<L extends (...args: never[]) => unknown>() {
  type Data = Awaited<ReturnType<L>>;
  let loadedAt = Date.now();
  let isExpired = false;
  return {
    clientLoader: async ({ serverLoader }: ClientLoaderArgs): Promise<Data> => {
      const data = (await serverLoader()) as Data;
      loadedAt = Date.now();
      isExpired = false;
      return data;
    },
    /** React Router asks more than once per reload, so that asking must not change anything. */
    shouldRevalidate: ({ currentUrl, nextUrl }: Navigation): boolean =>
      isExpired || (currentUrl.pathname !== nextUrl.pathname && Date.now() - loadedAt > maxAgeMs),
    expire: () => {
      isExpired = true;
    },
  };
}
