import { api, useMenuCount } from '@parley/portal-kit/ui';

/** Of endpoints that don't receive events, until they recover or someone acts. */
export const unhealthyStatuses = ['failing', 'broken', 'disabled'] as const;
const refreshMs = 5 * 60_000;

async function countFailing(): Promise<number | undefined> {
  const pages = await Promise.all(
    unhealthyStatuses.map((status) => api.GET('/webhooks', { params: { query: { status, limit: 100 } } })),
  );
  const found = pages.flatMap(({ data }) => (data ? [data.data.length] : []));
  return found.length === pages.length ? found.reduce((sum, n) => sum + n, 0) : undefined;
}

/** How many endpoints don't receive events, for the menu. */
export const useFailingEndpoints = (isAllowed: boolean): number => useMenuCount(isAllowed, refreshMs, countFailing);
