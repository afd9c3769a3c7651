import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { csvOf } from '@parley/portal-kit/ui';
import type { LoaderFunctionArgs } from 'react-router';
import { filtersOf, rangeOf } from './range.ts';

type Row = Schemas['ConversationOutcome'];

const columns: [name: string, value: (row: Row) => string | number | boolean | null][] = [
  ['id', ({ id }) => id],
  ['started_at', ({ startedAt }) => startedAt],
  ['bot_id', ({ botId }) => botId],
  ['channel', ({ channel }) => channel],
  ['language', ({ language }) => language],
  ['outcome', ({ outcome }) => outcome],
  ['came_back', ({ cameBack }) => cameBack],
  ['messages', ({ messageCount }) => messageCount],
  ['rating', ({ rating }) => rating],
  ['comment', ({ comment }) => comment],
  ['last_message_at', ({ lastMessageAt }) => lastMessageAt],
  ['closed_at', ({ closedAt }) => closedAt],
  ['first_response_seconds', ({ firstResponseMs }) => inSeconds(firstResponseMs)],
  ['handling_seconds', ({ handlingMs }) => inSeconds(handlingMs)],
];
const inSeconds = (ms: number | null) => (ms === null ? null : Math.round(ms / 1_000));

const pageSize = 1_000;
/** Enough for most spreadsheets, and a limit to what one download costs. The menu says so. */
const maxPages = 100;

/** One row per conversation, written page by page as the browser reads it. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const range = rangeOf(request.url);
  const filters = { ...range, ...filtersOf(request.url), limit: pageSize };
  const load = async (cursor: string | null) => {
    const query = { ...filters, ...(cursor && { cursor }) };
    return read(await service.GET('/insights/conversations', { params: { query } }), request);
  };
  const toCsv = (rows: Row[]) =>
    rows.map((row) => `${csvOf(columns.map(([, value]) => String(value(row) ?? '')))}\r\n`).join('');
  const encoder = new TextEncoder();
  // Before the first byte, so that a refused request is still an error page.
  let page = await load(null);
  let pages = 1;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`${csvOf(columns.map(([name]) => name))}\r\n`)),
    pull: async (controller) => {
      controller.enqueue(encoder.encode(toCsv(page.data)));
      if (page.nextCursor === null || pages++ >= maxPages) return controller.close();
      page = await load(page.nextCursor);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="conversations-${range.from}-to-${range.to}.csv"`,
    },
  });
}
