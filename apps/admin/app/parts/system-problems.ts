import { api, useMenuCount } from '@parley/portal-kit/ui';

const refreshMs = 60_000;

async function countProblems(): Promise<number | undefined> {
  const { data } = await api.GET('/admin/system');
  return data && [...data.parts, ...(data.queues ?? [])].filter(({ verdict }) => verdict !== 'ok').length;
}

/** How many components and queues need an operator, for the menu. */
export const useSystemProblems = (isAllowed: boolean): number => useMenuCount(isAllowed, refreshMs, countProblems);
