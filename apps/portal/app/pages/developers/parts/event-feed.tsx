import { Button, Group, NativeSelect, Switch, Table, Text } from '@mantine/core';
import {
  Ago,
  api,
  call,
  Dialog,
  Empty,
  Id,
  ProblemText,
  Rows,
  Section,
  Snippet,
  TextLink,
  useAction,
} from '@parley/portal-kit/ui';
import { useCallback, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { fetchEvents, toEvents, type FeedEvent } from './feed.ts';
import { usePoll } from './poll.ts';
import { pluralize } from './webhook-labels.ts';

const max = 500;

/** Newest first. Newer events are added on request, or automatically with live updates. */
export function EventFeed({ initial, initialAfter }: { initial: FeedEvent[]; initialAfter: string | null }) {
  const [events, setEvents] = useState(initial);
  const [isFollowing, setFollowing] = useState(false);
  const [search, setSearch] = useSearchParams();
  const after = useRef(initialAfter);
  const loadNewer = useAction(
    async () => {
      const { data, nextCursor } = await call(fetchEvents(api, after.current ?? undefined, 100));
      after.current = nextCursor ?? after.current;
      if (data.length > 0) setEvents((before) => [...before, ...toEvents(data)].slice(-max));
      return data.length;
    },
    { isQuiet: true },
  );
  const { run } = loadNewer;
  usePoll(
    isFollowing,
    3_000,
    useCallback(() => run(), [run]),
  );

  const type = search.get('type') ?? '';
  const types = [...new Set(events.map((event) => event.type))].toSorted();
  const groups = [...new Set(types.filter((one) => one.includes('.')).map((one) => `${one.split('.')[0]}.*`))];
  const matchesFilter = (event: FeedEvent) =>
    !type || (type.endsWith('.*') ? event.type.startsWith(type.slice(0, -1)) : event.type === type);
  const visible = events.filter(matchesFilter).toReversed();
  const filter = (value: string) =>
    setSearch(
      (before) => {
        if (value) before.set('type', value);
        else before.delete('type');
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <Section
      title="Event log"
      actions={
        <Group gap="sm">
          <Switch
            label="Live updates"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
            description="Every 3 seconds"
          />
          <Button size="xs" variant="default" loading={loadNewer.isRunning && !isFollowing} onClick={() => void run()}>
            Load newer
          </Button>
          <NativeSelect
            size="xs"
            aria-label="Event type"
            value={type}
            onChange={(event) => filter(event.currentTarget.value)}
            data={[
              { value: '', label: 'All types' },
              ...[...new Set([...(type ? [type] : []), ...groups, ...types])].map((one) => ({
                value: one,
                label: one,
              })),
            ]}
          />
        </Group>
      }
    >
      <ProblemText problem={loadNewer.problem} />
      <Text size="sm" c="dimmed" role="status">
        {type ? `${visible.length} of ${pluralize(events.length, 'loaded event')}` : pluralize(events.length, 'event')}
        {isFollowing && ', updating live'}
      </Text>
      {visible.length === 0 ? (
        <Empty title={type ? 'No loaded events of this type' : 'No events yet'} drawing="list">
          Events appear here when something happens, such as a new message. Turn on live updates and send your bot a
          message to see some.
        </Empty>
      ) : (
        <EventTable events={visible} />
      )}
    </Section>
  );
}

function EventTable({ events }: { events: FeedEvent[] }) {
  const [open, setOpen] = useState<FeedEvent>();
  return (
    <>
      <Rows
        label="Event list"
        columns={['Type', { label: 'Created', align: 'right' }, 'Payload', 'Actor', 'Event ID', 'Conversation']}
      >
        {events.map((event) => (
          <Table.Tr key={event.id}>
            <Table.Td fw={600}>{event.type}</Table.Td>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              <Ago at={event.createdAt} />
            </Table.Td>
            <Table.Td>
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`View ${event.type} payload`}
                onClick={() => setOpen(event)}
              >
                View
              </Button>
            </Table.Td>
            <Table.Td>{event.actor?.type.replaceAll('_', ' ') ?? '–'}</Table.Td>
            <Table.Td>
              <Id id={event.id} />
            </Table.Td>
            <Table.Td>
              {event.conversationId ? <TextLink to={`/conversations/${event.conversationId}`}>View</TextLink> : '–'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      <Dialog isOpen={open !== undefined} title={open?.type ?? ''} size="xl" onClose={() => setOpen(undefined)}>
        {open && <Snippet label="Event payload">{JSON.stringify(open, null, 2)}</Snippet>}
      </Dialog>
    </>
  );
}
