import { Box, Group, NavLink, ScrollArea, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, keepLast, Pager, Status, TextLink, usePolling } from '@parley/portal-kit/ui';
import {
  Link,
  Outlet,
  useLoaderData,
  useNavigate,
  useParams,
  useSearchParams,
  type LoaderFunctionArgs,
} from 'react-router';
import { Filters } from './filters.tsx';
import { stripMarkdown, stateLabels, type Conversation, type State } from './states.ts';
import classes from './conversations.module.css';

export const meta = () => [{ title: 'Conversations · Parley' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const searchParams = Object.fromEntries(new URL(request.url).searchParams);
  const { q, state, botId, assigneeId, rating, since, until, includeTests, cursor } = searchParams;
  const query = {
    limit: 25,
    ...(q && { q }),
    ...(state && { state: state as State }),
    ...(botId && { botId }),
    ...(assigneeId && { assigneeId }),
    ...(rating && { rating: Number(rating) }),
    ...(since && { since: `${since}T00:00:00Z` }),
    ...(until && { until: `${until}T23:59:59Z` }),
    ...(includeTests && { includeTests }),
    ...(cursor && { cursor }),
  };
  const [list, bots] = await Promise.all([
    service.GET('/conversations', { params: { query } }),
    service.GET('/bots', { params: { query: { limit: 100 } } }),
  ]);
  return { page: read(list, request), bots: (bots.data?.data ?? []).map(({ id, name }) => ({ id, name })) };
}

export const clientLoader = keepLast<typeof loader>();

/** List, transcript and contact side by side on wide screens, one at a time on phones. */
export default function Conversations() {
  const { page, bots } = useLoaderData<typeof loader>();
  const { conversationId } = useParams();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  usePolling(4_000, !search.has('cursor'));
  const to = (id: string) => `/conversations/${id}?${search.toString()}`;
  const step = (by: number) => {
    const at = page.data.findIndex(({ id }) => id === conversationId);
    const next = page.data[at < 0 ? 0 : at + by];
    if (next) void navigate(to(next.id));
  };
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
  ]);
  const nameOf = (id: string) => bots.find((bot) => bot.id === id)?.name ?? 'Bot';

  return (
    <div className={classes['panes']} data-open={conversationId !== undefined}>
      {/* Also shown on phones, where the conversation replaces the list. */}
      <VisuallyHidden component="h1">Conversations</VisuallyHidden>
      <section className={classes['list']} aria-label="List of conversations">
        <Text fz={20} fw={650} mb="xs" aria-hidden>
          Conversations
        </Text>
        <Filters bots={bots} />
        <ScrollArea
          className={classes['rows'] ?? ''}
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Conversations' }}
        >
          {page.data.length === 0 ? (
            <NoConversations isFiltered={[...search.keys()].length > 0} />
          ) : (
            <Stack gap={2} py="xs">
              {page.data.map((conversation) => (
                <Row
                  key={conversation.id}
                  conversation={conversation}
                  botName={nameOf(conversation.botId)}
                  to={to(conversation.id)}
                  isActive={conversation.id === conversationId}
                />
              ))}
            </Stack>
          )}
          <Pager nextCursor={page.nextCursor} />
          <Text size="xs" c="dimmed" mt="xs" visibleFrom="md">
            Shortcuts: J/K to move, / to search, R to reply, N for a note
          </Text>
        </ScrollArea>
      </section>
      <Outlet />
    </div>
  );
}

interface RowProps {
  conversation: Conversation;
  botName: string;
  to: string;
  isActive: boolean;
}
const Row = ({
  conversation: { state, preview, lastMessageAt, waitingSince, rating, isTest },
  botName,
  to,
  isActive,
}: RowProps) => (
  <NavLink
    component={Link}
    to={to}
    active={isActive}
    {...(isActive && { 'aria-current': 'true' })}
    label={
      <Text truncate fw={state === 'waiting_human' ? 700 : 500}>
        {stripMarkdown(preview) || 'No messages yet'}
      </Text>
    }
    description={
      <Box component="span">
        <Group gap={6} component="span" display="flex">
          {state !== 'bot' && <Status tone={stateLabels[state].tone}>{stateLabels[state].label}</Status>}
          {isTest && <Status tone="idle">Test</Status>}
          {rating !== null && <span>Rated {rating} out of 5</span>}
        </Group>
        {botName} · <Ago at={waitingSince ?? lastMessageAt} />
      </Box>
    }
  />
);

const NoConversations = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No results" action={<TextLink to="/conversations">Clear filters</TextLink>}>
      No conversations match your search and filters.
    </Empty>
  ) : (
    <Empty title="No conversations yet" action={<TextLink to="/setup">Add your bot to your website</TextLink>}>
      Conversations between visitors and your bot appear here as they happen.
    </Empty>
  );
