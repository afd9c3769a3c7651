import { portalContext, read } from '@parley/portal-kit/context';
import type { LoaderFunctionArgs } from 'react-router';
import { byDay, type DayFigures } from './figures.ts';
import { filtersOf, rangeOf } from './range.ts';

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

/** One row per day. Only numbers and dates, so there is no formula injection. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const range = rangeOf(request.url);
  const { botId } = filtersOf(request.url);
  const query = { ...range, ...(botId && { botId }) };
  const { days } = read(await service.GET('/insights', { params: { query } }), request);
  const lines = byDay(days, range).map((row) => columns.map((name) => row[name] ?? '').join(','));
  return new Response(`${[columns.join(','), ...lines].join('\r\n')}\r\n`, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="insights-${range.from}-to-${range.to}.csv"`,
    },
  });
}
