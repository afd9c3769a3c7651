import type { InboxCounts } from '../../parts/inbox/follow.ts';

interface View {
  id: string;
  label: string;
  filters: Record<string, string>;
  count?: (counts: InboxCounts) => number;
}

/** The views that everyone has. In all of them, those waiting longest come first. */
export const views: readonly View[] = [
  { id: 'all', label: 'All', filters: {} },
  { id: 'waiting', label: 'Waiting', filters: { isWaiting: 'true' }, count: ({ waiting }) => waiting },
  {
    id: 'mine',
    label: 'Mine',
    filters: { assigneeId: 'me', isOpen: 'true', isSnoozed: 'false' },
    count: ({ mine }) => mine,
  },
  {
    id: 'unassigned',
    label: 'Unassigned',
    filters: { isWaiting: 'true', isUnassigned: 'true' },
    count: ({ unassigned }) => unassigned,
  },
  { id: 'snoozed', label: 'Snoozed', filters: { isSnoozed: 'true' } },
];

/** What may be in the URL of the inbox and in a saved view. */
export const filterNames = [
  'view',
  'q',
  'state',
  'botId',
  'environmentId',
  'assigneeId',
  'teamId',
  'contactId',
  'tag',
  'rating',
  'channel',
  'language',
  'since',
  'until',
  'includeTests',
] as const;

/** The API's query for a URL of the inbox. */
export function queryOf(search: URLSearchParams): Record<string, string> {
  const view = views.find(({ id }) => id === search.get('view'));
  const query: Record<string, string> = { ...view?.filters };
  for (const name of filterNames) {
    const value = search.get(name);
    if (!value || name === 'view') continue;
    if (name === 'since') query[name] = `${value}T00:00:00Z`;
    else query[name] = name === 'until' ? `${value}T23:59:59Z` : value;
  }
  return query;
}
