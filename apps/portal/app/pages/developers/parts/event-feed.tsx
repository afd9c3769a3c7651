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
import { askEvents, toEvents, type FeedEvent } from './feed.ts';
import { usePoll } from './poll.ts';
import { counted } from './webhook-words.ts';

const most = 500;

/** The newest on top; what comes later is put there, when asked or while it is followed. */
export function EventFeed({ initial, initialAfter }: { initial: FeedEvent[]; initialAfter: string | null }) {
  const [events, setEvents] = useState(initial);
  const [isFollowing, setFollowing] = useState(false);
  const [search, setSearch] = useSearchParams();
  const after = useRef(initialAfter);
  const more = useAction(
    async () => {
      const { data, nextCursor } = await call(askEvents(api, after.current ?? undefined, 100));
      after.current = nextCursor ?? after.current;
      if (data.length > 0) setEvents((before) => [...before, ...toEvents(data)].slice(-most));
      return data.length;
    },
    { isQuiet: true },
  );
  const { run } = more;
  usePoll(
    isFollowing,
    3_000,
    useCallback(() => run(), [run]),
  );

  const type = search.get('type') ?? '';
  const types = [...new Set(events.map((event) => event.type))].toSorted();
  const groups = [...new Set(types.filter((one) => one.includes('.')).map((one) => `${one.split('.')[0]}.*`))];
  const isMeant = (event: FeedEvent) =>
    !type || (type.endsWith('.*') ? event.type.startsWith(type.slice(0, -1)) : event.type === type);
  const shown = events.filter(isMeant).toReversed();
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
      title="What happened"
      actions={
        <Group gap="sm">
          <Switch
            label="Follow"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
            description="Looks every 3 seconds"
          />
          <Button size="xs" variant="default" loading={more.isRunning && !isFollowing} onClick={() => void run()}>
            Load newer
          </Button>
          <NativeSelect
            size="xs"
            aria-label="Type of event"
            value={type}
            onChange={(event) => filter(event.currentTarget.value)}
            data={[
              { value: '', label: 'Every type' },
              ...[...new Set([...(type ? [type] : []), ...groups, ...types])].map((one) => ({
                value: one,
                label: one,
              })),
            ]}
          />
        </Group>
      }
    >
      <ProblemText problem={more.problem} />
      <Text size="sm" c="dimmed" role="status">
        {type
          ? `${shown.length} of ${counted(events.length, 'event')} that are loaded`
          : counted(events.length, 'event')}
        {isFollowing && ', following'}
      </Text>
      {shown.length === 0 ? (
        <Empty title={type ? 'None of this type is loaded' : 'No events here'}>
          An event says that something happened, such as a new message. Follow the feed and write to your bot to see
          some.
        </Empty>
      ) : (
        <EventTable events={shown} />
      )}
    </Section>
  );
}

function EventTable({ events }: { events: FeedEvent[] }) {
  const [open, setOpen] = useState<FeedEvent>();
  return (
    <>
      <Rows label="Table of events" heads={['Type', 'When', 'JSON', 'By', 'Event', 'Conversation']}>
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
                aria-label={`Show the JSON of ${event.type}`}
                onClick={() => setOpen(event)}
              >
                Show
              </Button>
            </Table.Td>
            <Table.Td>{event.actor?.type.replaceAll('_', ' ') ?? '–'}</Table.Td>
            <Table.Td>
              <Id id={event.id} />
            </Table.Td>
            <Table.Td>
              {event.conversationId ? <TextLink to={`/conversations/${event.conversationId}`}>Open</TextLink> : '–'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
      <Dialog isOpen={open !== undefined} title={open?.type ?? ''} size="xl" onClose={() => setOpen(undefined)}>
        {open && <Snippet label="As a webhook gets it">{JSON.stringify(open, null, 2)}</Snippet>}
      </Dialog>
    </>
  );
}
