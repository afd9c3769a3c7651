import { Stack } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { NoPermission } from './parts/no-permission.tsx';
import { PlanIncludes } from './parts/plan-includes.tsx';
import { PlanUse } from './parts/plan-use.tsx';
import { readIfAllowed } from './parts/read-if-allowed.ts';
import { UsageByDay } from './parts/usage-by-day.tsx';

export const meta = () => [{ title: 'Plan and usage · Parley' }];

/** One page per list. Only the Enterprise plan allows more; past this, the page says “more than 100”. */
const max = 100;
const limit = { params: { query: { limit: max } } };

interface ListPage {
  data: unknown[];
  nextCursor: string | null;
}
const countOf = (list: ListPage | null, isCounted = (_row: never) => true) =>
  list && { used: (list.data as never[]).filter(isCounted).length, hasMore: list.nextCursor !== null };
export type UsageCount = ReturnType<typeof countOf>;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const months = lastMonths(new Date());
  const monthParam = new URL(request.url).searchParams.get('month') ?? '';
  const month = months.includes(monthParam) ? monthParam : months[0]!;
  const [entitlements, usage, bots, members, invitations, keys, webhooks] = await Promise.all([
    service.GET('/entitlements'),
    service.GET('/usage', { params: { query: { from: `${month}-01`, to: lastDay(month) } } }),
    service.GET('/bots', limit),
    service.GET('/members', limit),
    service.GET('/invitations', { params: { query: { limit: max, status: 'open' } } }),
    service.GET('/api-keys', limit),
    service.GET('/webhooks', limit),
  ]);
  const people = countOf(readIfAllowed(members, request));
  const invited = countOf(readIfAllowed(invitations, request));
  return {
    ...read(entitlements, request),
    months,
    month,
    usage: readIfAllowed(usage, request),
    counts: {
      bots: countOf(readIfAllowed(bots, request), ({ status }: { status: string }) => status !== 'archived'),
      members: people &&
        invited && {
          used: people.used + invited.used,
          hasMore: people.hasMore || invited.hasMore,
          invited: invited.used,
        },
      keys: countOf(
        readIfAllowed(keys, request),
        ({ status }: { status: string }) => status === 'active' || status === 'rotating',
      ),
      webhooks: countOf(readIfAllowed(webhooks, request)),
    },
  };
}

/** This month and the 12 before it, in UTC like the service's own counts. */
function lastMonths(now: Date): string[] {
  const first = (monthsAgo: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1));
  return Array.from({ length: 13 }, (_, monthsAgo) => first(monthsAgo).toISOString().slice(0, 7));
}
function lastDay(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

export default function Plan() {
  const { plan, entitlements, usage, counts, months, month } = useLoaderData<typeof loader>();
  return (
    <Stack gap="lg">
      <PlanUse entitlements={entitlements} usage={usage} counts={counts} />
      <PlanIncludes plan={plan} entitlements={entitlements} />
      {usage ? (
        <UsageByDay usage={usage} months={months} month={month} />
      ) : (
        <NoPermission title="Daily usage" subject="usage" permission="analytics.view" />
      )}
    </Stack>
  );
}
