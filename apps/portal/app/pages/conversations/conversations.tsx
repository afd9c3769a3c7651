import { ScrollArea, Text, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import { api, call, Empty, keepLast, Pager, TextLink, useSelection } from '@parley/portal-kit/ui';
import { useEffect } from 'react';
import { Outlet, useLoaderData, useNavigate, useParams, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useInbox } from '../../parts/inbox/inbox.tsx';
import { useLiveData } from '../../parts/inbox/live-data.ts';
import { useMe } from '../../parts/me.ts';
import { hasPermission, rolesWith } from '../../parts/rights.ts';
import { BulkActions } from './bulk-actions.tsx';
import { useBots, useTeams } from './choices.ts';
import { Filters } from './filters.tsx';
import { InboxHeader } from './inbox-header.tsx';
import { Row } from './row.tsx';
import { queryOf } from './views.ts';
import classes from './conversations.module.css';

export const meta = () => [{ title: 'Inbox · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const search = new URL(request.url).searchParams;
  const list = await service.GET('/conversations', { params: { query: listQuery(search) } });
  return { page: read(list, request) };
}

const listQuery = (search: URLSearchParams) => {
  const cursor = search.get('cursor');
  return { limit: 25, sort: 'waiting' as const, ...queryOf(search), ...(cursor && { cursor }) };
};

export const clientLoader = keepLast<typeof loader>();

type Page = Awaited<ReturnType<typeof loader>>['page'];

/** List, transcript and contact side by side on wide screens, one at a time on phones. */
export default function Conversations() {
  const loaded = useLoaderData<typeof loader>();
  const { conversationId } = useParams();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const page = useLivePage(loaded.page, search);
  const bots = useBots() ?? [];
  const teams = useTeams();
  const canChange = hasPermission(useMe(), 'conversation.reply');
  const selection = useSelection(page.data.map(({ id }) => id));
  const to = (id: string) => `/conversations/${id}?${search.toString()}`;
  const step = (by: number) => {
    const at = page.data.findIndex(({ id }) => id === conversationId);
    const next = page.data[at < 0 ? 0 : at + by];
    if (next) void navigate(to(next.id));
  };
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['x', () => canChange && conversationId && selection.toggle(conversationId)],
  ]);

  return (
    <div className={classes['panes']} data-open={conversationId !== undefined}>
      {/* Also shown on phones, where the conversation replaces the list. */}
      <VisuallyHidden component="h1">Inbox</VisuallyHidden>
      <section className={classes['list']} aria-label="List of conversations">
        <InboxHeader />
        <Filters contactName={page.data[0]?.person.name ?? ''} />
        <ScrollArea
          className={classes['rows'] ?? ''}
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Conversations' }}
        >
          {page.data.length === 0 ? (
            <NoConversations isFiltered={[...search.keys()].length > 0} view={search.get('view')} />
          ) : (
            <ul className={classes['rowList']}>
              {page.data.map((conversation) => (
                <Row
                  key={conversation.id}
                  conversation={conversation}
                  botName={bots.length > 1 ? bots.find(({ id }) => id === conversation.botId)?.name : undefined}
                  teamName={teams && (teams.find(({ id }) => id === conversation.teamId)?.name ?? 'A team')}
                  to={to(conversation.id)}
                  isActive={conversation.id === conversationId}
                  selection={canChange ? selection : undefined}
                />
              ))}
            </ul>
          )}
          <Pager nextCursor={page.nextCursor} />
          <Text size="xs" c="dimmed" mt="xs" px="xs" visibleFrom="md">
            {canChange
              ? 'Shortcuts: J/K to move, X to select, / to search, R to reply, N for a note, E to close'
              : `Shortcuts: J/K to move, / to search. Only ${rolesWith('conversation.reply')} can select and change conversations.`}
          </Text>
        </ScrollArea>
        {canChange && <BulkActions selection={selection} />}
      </section>
      <Outlet />
    </div>
  );
}

const reloadMs = 1_000;

/** The first page shows changes as they happen. A later page stays as it is while it is read. */
function useLivePage(loaded: Page, search: URLSearchParams): Page {
  const { onChange } = useInbox();
  const readAgain = () => call(api.GET('/conversations', { params: { query: listQuery(search) } }));
  const [page, reload] = useLiveData(loaded, readAgain, reloadMs);
  const isLive = !search.has('cursor');
  useEffect(() => (isLive ? onChange(reload) : undefined), [isLive, onChange, reload]);
  return page;
}

const NoConversations = ({ isFiltered, view }: { isFiltered: boolean; view: string | null }) => {
  if (view === 'waiting' || view === 'unassigned')
    return (
      <Empty title="No one is waiting" drawing="check">
        Visitors who ask for a person, or wait for a reply, appear here.
      </Empty>
    );
  if (view === 'mine')
    return (
      <Empty
        title="Nothing assigned to you"
        drawing="check"
        action={<TextLink to="/conversations?view=unassigned">See who is waiting</TextLink>}
      >
        Conversations that you take over or are given appear here.
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title="No results" drawing="search" action={<TextLink to="/conversations">Clear filters</TextLink>}>
        No conversations match your search and filters.
      </Empty>
    );
  return (
    <Empty
      title="No conversations yet"
      drawing="messages"
      action={<TextLink to="/setup">Add your bot to your website</TextLink>}
    >
      Conversations between visitors and your bot appear here as they happen.
    </Empty>
  );
};
