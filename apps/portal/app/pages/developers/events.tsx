import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Page, Section, Snippet, trimmedField } from '@parley/portal-kit/ui';
import type { FormEvent } from 'react';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useLayoutData } from '../../parts/me.ts';
import { EventFeed } from './parts/event-feed.tsx';
import { fetchEvents, toEvents, fetchToEnd } from './parts/feed.ts';
import { curlOf } from './parts/snippets.ts';
import { TabError } from './parts/tab-error.tsx';

export const meta = () => [{ title: 'Events · Parley' }];
export const ErrorBoundary = TabError;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const after = searchParams.get('after') ?? undefined;
  if ((after !== undefined && !searchParams.has('newest')) || searchParams.has('oldest')) {
    const response = await fetchEvents(service, after, 50);
    if (response.response.status === 400) return { events: [], after: null, isAtEnd: true, isUnknown: true };
    const { data, nextCursor } = read(response, request);
    return { events: toEvents(data), after: nextCursor ?? after ?? null, isAtEnd: data.length < 50, isUnknown: false };
  }
  const { response, newest, after: lastCursor, isAtEnd } = await fetchToEnd(service, after);
  if (response) read(response, request);
  return { events: toEvents(newest), after: lastCursor ?? null, isAtEnd, isUnknown: false };
}

/** Reloads only when the starting point changes. The type filter works on the loaded events. */
export const shouldRevalidate = ({
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}: {
  currentUrl: URL;
  nextUrl: URL;
  defaultShouldRevalidate: boolean;
}) => (startOf(currentUrl) === startOf(nextUrl) && currentUrl.href !== nextUrl.href ? false : defaultShouldRevalidate);

const startOf = ({ searchParams }: URL) =>
  ['after', 'oldest', 'newest'].map((name) => searchParams.get(name) ?? '-').join(' ');

export default function Events() {
  const { events, after, isAtEnd, isUnknown } = useLoaderData<typeof loader>();
  const { apiUrl } = useLayoutData().site;
  const [search, setSearch] = useSearchParams();
  const start = search.has('oldest') ? 'oldest' : search.has('after') && !search.has('newest') ? 'after' : 'newest';
  const applyStart = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const cursor = trimmedField(new FormData(event.currentTarget), 'cursor');
    if (cursor) setSearch({ after: cursor });
  };
  return (
    <Page
      title="Events"
      description="Everything that happened in your organisation, in the same format as webhooks. Kept for 30 days."
    >
      <Stack gap="xs" component="section" aria-label="Start from">
        <Group align="flex-end" gap="md">
          <SegmentedControl
            aria-label="Start from"
            value={start}
            onChange={(value) =>
              setSearch(value === 'oldest' ? { oldest: '' } : value === 'after' ? { after: after ?? '' } : {})
            }
            data={[
              { value: 'newest', label: 'Newest' },
              { value: 'oldest', label: 'Oldest' },
              ...(start === 'after' ? [{ value: 'after', label: 'Cursor' }] : []),
            ]}
          />
          <form onSubmit={applyStart}>
            <Group gap="xs" align="flex-end">
              <TextInput
                name="cursor"
                label="Cursor"
                placeholder="A nextCursor you saved"
                defaultValue={start === 'after' ? (search.get('after') ?? '') : ''}
                maxLength={40}
                error={isUnknown && 'This cursor isn’t valid. Enter a nextCursor exactly as the API returned it.'}
              />
              <Button type="submit" variant="default">
                Go to cursor
              </Button>
            </Group>
          </form>
        </Group>
        {!isAtEnd && start === 'newest' && after && (
          <Group gap="xs">
            <Text>You have too many events to load in one step. These aren’t the newest yet.</Text>
            <Button size="compact-sm" variant="default" onClick={() => setSearch({ after, newest: '' })}>
              Load newer events
            </Button>
          </Group>
        )}
      </Stack>
      <EventFeed key={`${startOf({ searchParams: search } as URL)} ${after}`} initial={events} initialAfter={after} />
      {after && (
        <Section
          title="Poll the API"
          description="An alternative to webhooks. Save the nextCursor from each response and send it with the next request."
        >
          <Snippet label="Get newer events">
            {curlOf(apiUrl, { method: 'GET', path: `/events?after=${after}&limit=100` })}
          </Snippet>
        </Section>
      )}
    </Page>
  );
}
