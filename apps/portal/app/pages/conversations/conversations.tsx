import { ScrollArea, Text, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import { Empty, keepLast, Pager, TextLink, useSelection } from '@parley/portal-kit/ui';
import { useEffect, useEffectEvent } from 'react';
import {
  Outlet,
  useLoaderData,
  useNavigate,
  useParams,
  useRevalidator,
  useSearchParams,
  type LoaderFunctionArgs,
} from 'react-router';
import { environmentOptions } from '../../parts/environments.ts';
import { useInbox } from '../../parts/inbox/inbox.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { Filters } from './filters.tsx';
import { InboxHeader } from './inbox-header.tsx';
import { Row } from './row.tsx';
import { queryOf } from './views.ts';
import classes from './conversations.module.css';

export const meta = () => [{ title: 'Inbox · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const search = new URL(request.url).searchParams;
  const cursor = search.get('cursor');
  const query = { limit: 25, sort: 'waiting' as const, ...queryOf(search), ...(cursor && { cursor }) };
  const [list, bots, environments, tags, savedViews, agents, teams] = await Promise.all([
    service.GET('/conversations', { params: { query } }),
    service.GET('/bots', { params: { query: { limit: 100 } } }),
    environmentOptions(service),
    service.GET('/inbox/tags'),
    service.GET('/inbox/views'),
    service.GET('/agents'),
    service.GET('/teams', { params: { query: { limit: 100 } } }),
  ]);
  return {
    page: read(list, request),
    bots: (bots.data?.data ?? []).map(({ id, name }) => ({ id, name })),
    environments,
    tags: (tags.data?.data ?? []).map(({ tag }) => tag),
    savedViews: savedViews.data?.data ?? [],
    agents: agents.data?.data ?? [],
    teams: teams.data?.data ?? [],
  };
}

export const clientLoader = keepLast<typeof loader>();

/** List, transcript and contact side by side on wide screens, one at a time on phones. */
export default function Conversations() {
  const { page, bots, environments, tags, savedViews, agents, teams } = useLoaderData<typeof loader>();
  const { conversationId } = useParams();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const selection = useSelection(page.data.map(({ id }) => id));
  useReloadOnChange(!search.has('cursor'));
  const to = (id: string) => `/conversations/${id}?${search.toString()}`;
  const step = (by: number) => {
    const at = page.data.findIndex(({ id }) => id === conversationId);
    const next = page.data[at < 0 ? 0 : at + by];
    if (next) void navigate(to(next.id));
  };
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['x', () => conversationId && selection.toggle(conversationId)],
  ]);

  return (
    <div className={classes['panes']} data-open={conversationId !== undefined}>
      {/* Also shown on phones, where the conversation replaces the list. */}
      <VisuallyHidden component="h1">Inbox</VisuallyHidden>
      <section className={classes['list']} aria-label="List of conversations">
        <InboxHeader savedViews={savedViews} />
        <Filters bots={bots} environments={environments} tags={tags} agents={agents} teams={teams} />
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
                  to={to(conversation.id)}
                  isActive={conversation.id === conversationId}
                  selection={selection}
                />
              ))}
            </ul>
          )}
          <Pager nextCursor={page.nextCursor} />
          <Text size="xs" c="dimmed" mt="xs" px="xs" visibleFrom="md">
            Shortcuts: J/K to move, X to select, / to search, R to reply, N for a note
          </Text>
        </ScrollArea>
        <BulkActions selection={selection} tags={tags} />
      </section>
      <Outlet />
    </div>
  );
}

/** The first page shows changes as they happen. A later page stays as it is while it is read. */
function useReloadOnChange(isActive: boolean): void {
  const { onChange } = useInbox();
  const { revalidate, state } = useRevalidator();
  const reload = useEffectEvent(() => {
    if (document.visibilityState === 'visible' && state === 'idle') void revalidate();
  });
  useEffect(() => (isActive ? onChange(() => reload()) : undefined), [isActive, onChange]);
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
