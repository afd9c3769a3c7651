import type { Service } from '@parley/portal-kit/service';

/** The fields of the event payload shown in the list. The rest is in the JSON. */
export interface FeedEvent {
  id: string;
  type: string;
  createdAt: string;
  conversationId?: string | null;
  actor?: { type: string; id: string };
}

export const toEvents = (data: readonly Record<string, unknown>[]): FeedEvent[] => data as unknown as FeedEvent[];

export type EventsResponse = Awaited<ReturnType<typeof fetchEvents>>;
export const fetchEvents = (service: Service, after: string | undefined, limit: number) =>
  service.GET('/events', { params: { query: { limit, ...(after && { after }) } } });

const pageSize = 100;
const maxPages = 20;

/** The feed is oldest first, so the newest events are found by paging to the end, at most `maxPages` pages per call. */
export async function fetchToEnd(service: Service, from: string | undefined) {
  let after = from;
  let newest: Record<string, unknown>[] = [];
  for (let page = 0; page < maxPages; page++) {
    const response = await fetchEvents(service, after, pageSize);
    if (!response.data) return { response, newest, after, isAtEnd: false };
    const { data, nextCursor } = response.data;
    newest = [...newest, ...data].slice(-pageSize);
    after = nextCursor ?? after;
    if (data.length < pageSize) return { response, newest, after, isAtEnd: true };
  }
  return { response: undefined, newest, after, isAtEnd: false };
}
