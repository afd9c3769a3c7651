import { portalContext, read } from '@parley/portal-kit/context';
import type { LoaderFunctionArgs } from 'react-router';
import { byDay, type DayFigures } from './figures.ts';
import { rangeOf } from './range.ts';

const columns: (keyof DayFigures)[] = [
  'day',
  'conversations',
  'handedOff',
  'answered',
  'unanswered',
  'closed',
  'messages',
  'ratings',
  'ratingAverage',
  'responseSeconds',
  'spend',
];

/** The chart data, one row per day. Only numbers and dates, so there is no formula injection. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { from, to, botId } = rangeOf(request.url);
  const { days } = read(
    await service.GET('/insights', { params: { query: { from, to, ...(botId && { botId }) } } }),
    request,
  );
  const lines = byDay(days, from, to).map((row) => columns.map((name) => row[name] ?? '').join(','));
  return new Response(`${[columns.join(','), ...lines].join('\r\n')}\r\n`, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="insights-${from}-to-${to}.csv"`,
    },
  });
}
