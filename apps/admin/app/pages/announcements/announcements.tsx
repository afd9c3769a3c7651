import { Button, Group, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  api,
  call,
  Empty,
  Page,
  Pager,
  ProblemText,
  Rows,
  Section,
  Status,
  useAction,
} from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { AnnouncementForm } from './announcement-form.tsx';
import { kindLabel, planLabel, type Announcement } from './labels.ts';

export const meta = () => [{ title: 'Announcements · Parley admin' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const query = { limit: 25, ...(cursor && { cursor }) };
  return read(await service.GET('/admin/announcements', { params: { query } }), request);
}

export default function Announcements() {
  const { data, nextCursor } = useLoaderData<typeof loader>();
  const reason = denialReason(useMe(), 'platform.system.manage');
  const [isOpen, setOpen] = useState(false);
  const [changing, setChanging] = useState<Announcement>();
  const end = useAction((id: Announcement['id']) =>
    call(api.POST('/admin/announcements/{id}/end', { params: { path: { id } } })),
  );
  const write = (
    <Button disabled={!!reason} onClick={() => setOpen(true)}>
      New announcement
    </Button>
  );
  return (
    <Page
      title="Announcements"
      description="Messages shown at the top of every page in the customer portal."
      actions={data.length > 0 && write}
    >
      {reason && <Text c="dimmed">{reason}</Text>}
      <ProblemText problem={end.problem} />
      <Section>
        {data.length === 0 ? (
          <Empty title="No announcements yet" drawing="messages" action={write}>
            Tell customers about incidents, planned maintenance or product news.
          </Empty>
        ) : (
          <Rows
            label="Announcements"
            columns={['Title', 'Type', 'Audience', 'Status', 'Starts', 'Ends', 'Actions']}
            minWidth={820}
            hasActions
          >
            {data.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td maw={320} style={{ overflowWrap: 'anywhere' }}>
                  {one.title}
                </Table.Td>
                <Table.Td>{kindLabel(one.kind)}</Table.Td>
                <Table.Td>{planLabel(one.plan)}</Table.Td>
                <Table.Td miw={120}>
                  <State announcement={one} />
                </Table.Td>
                <Table.Td>
                  <Ago at={one.startsAt} />
                </Table.Td>
                <Table.Td>
                  <Ago at={one.endsAt} fallback="no end date" />
                </Table.Td>
                <Table.Td>
                  {!reason && one.state !== 'ended' && (
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={`Edit ${one.title}`}
                        onClick={() => setChanging(one)}
                      >
                        Edit
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`End ${one.title} now`}
                        loading={end.isRunning}
                        onClick={() => void end.run(one.id)}
                      >
                        End now
                      </Button>
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
      <AnnouncementForm
        key={changing?.id ?? 'new'}
        isOpen={isOpen || changing !== undefined}
        before={changing}
        onClose={() => {
          setOpen(false);
          setChanging(undefined);
        }}
      />
    </Page>
  );
}

function State({ announcement: { state } }: { announcement: Announcement }) {
  if (state === 'shown') return <Status tone="good">Live</Status>;
  return <Status tone="idle">{state === 'planned' ? 'Scheduled' : 'Ended'}</Status>;
}
