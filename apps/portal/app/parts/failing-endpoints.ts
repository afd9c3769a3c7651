import { api } from '@parley/portal-kit/ui';
import { useEffect, useState } from 'react';

const statuses = ['failing', 'broken', 'disabled'] as const;
const refreshMs = 5 * 60_000;

/** How many endpoints don't receive events, for the menu. Read by the browser, so that no page waits for it. */
export function useFailingEndpoints(isAllowed: boolean): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!isAllowed) return undefined;
    const read = async () => {
      const pages = await Promise.all(
        statuses.map((status) => api.GET('/webhooks', { params: { query: { status, limit: 100 } } })),
      );
      setCount(pages.flatMap(({ data }) => data?.data ?? []).length);
    };
    const readIfVisible = () => void (document.visibilityState === 'visible' && read().catch(() => undefined));
    readIfVisible();
    const timer = setInterval(readIfVisible, refreshMs);
    return () => clearInterval(timer);
  }, [isAllowed]);
  return count;
}
