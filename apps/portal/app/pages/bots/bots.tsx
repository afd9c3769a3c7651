import './bots.css';
import { Badge, Button, Group, SegmentedControl, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Avatar,
  Empty,
  FilterChips,
  Page,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  TextLink,
  useChangedSearch,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { CreateBot } from './create-bot.tsx';
import { statusTones, statusLabels, type Bot } from './bot-data.ts';

export const meta = () => [{ title: 'Bots · Parley' }];

const statuses = ['active', 'paused', 'archived'] as const;
type BotStatus = (typeof statuses)[number];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const status = statuses.find((one) => one === searchParams.get('status'));
  const cursor = searchParams.get('cursor') ?? undefined;
  const workspaceId = searchParams.get('workspaceId') ?? undefined;
  const query = {
    limit: 25,
    ...(status && { status }),
    ...(workspaceId && { workspaceId }),
    ...(cursor && { cursor }),
  };
  const count = (of: BotStatus) => service.GET('/bots', { params: { query: { status: of, limit: 100 } } });
  const [bots, active, paused, environmentNames, workspaces] = await Promise.all([
    service.GET('/bots', { params: { query } }),
    count('active'),
    count('paused'),
    service.GET('/environments', { params: { query: { limit: 100 } } }),
    service.GET('/workspaces', { params: { query: { limit: 100 } } }),
  ]);
  const { data, nextCursor } = read(bots, request);
  return {
    bots: data,
    nextCursor,
    used: read(active, request).data.length + read(paused, request).data.length,
    environmentNames: Object.fromEntries(read(environmentNames, request).data.map(({ id, name }) => [id, name])),
    workspaces: read(workspaces, request).data.map(({ id, name }) => ({ id, name })),
  };
}

export default function Bots() {
  const { bots, nextCursor, used, environmentNames, workspaces } = useLoaderData<typeof loader>();
  const [search, setSearch] = useSearchParams();
  const changed = useChangedSearch();
  const [isCreating, setCreating] = useState(false);
  const me = useMe();
  const max = me.entitlements['bots.max'];
  const isFull = used >= max;
  const limitReason = `Your plan includes ${max} ${max === 1 ? 'bot' : 'bots'}, and you have ${used}. Archive one, or upgrade the plan.`;
  const reason = denialReason(me, 'bot.manage') ?? (isFull ? limitReason : undefined);
  const status = search.get('status') ?? 'all';
  const isFirst = bots.length === 0 && search.size === 0;
  return (
    <Page
      title="Bots"
      description="Bots answer your visitors’ questions from the knowledge you add."
      actions={
        !isFirst && (
          <WithReason reason={reason}>
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              disabled={reason !== undefined}
              onClick={() => setCreating(true)}
            >
              Create bot
            </Button>
          </WithReason>
        )
      }
    >
      {isFirst ? (
        <Section>
          <Empty
            title="No bots yet"
            drawing="bot"
            action={
              <Button component={Link} to="/setup">
                Set up your first bot
              </Button>
            }
          >
            A bot answers your visitors’ questions from your own content. Setup takes a few minutes.
          </Empty>
        </Section>
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <SegmentedControl
              aria-label="Filter by status"
              value={status}
              data={[
                { value: 'all', label: 'All' },
                ...statuses.map((value) => ({ value, label: statusLabels[value] })),
              ]}
              onChange={(value) =>
                setSearch(changed({ status: value === 'all' ? undefined : value }), { replace: true })
              }
            />
            {workspaces.length > 1 && (
              <FilterChips
                filters={[
                  {
                    name: 'workspaceId',
                    label: 'Workspace',
                    options: workspaces.map(({ id, name }) => ({ value: id, label: name })),
                  },
                ]}
              />
            )}
            <Text c="dimmed">
              {used} of {max} bots used
            </Text>
          </Group>
          {isFull && (
            <Text>
              {limitReason} <TextLink to="/organisation/plans">Compare plans</TextLink>
            </Text>
          )}
          <Section>
            {bots.length === 0 ? (
              <Empty title="No bots found" drawing="search">
                {search.has('cursor') ? 'There are no more bots.' : 'No bot matches these filters.'}{' '}
                <TextLink to="/bots">Show all bots</TextLink>
              </Empty>
            ) : (
              <BotTable bots={bots} environmentNames={environmentNames} workspaces={workspaces} />
            )}
          </Section>
          <Pager nextCursor={nextCursor} />
        </>
      )}
      <CreateBot isOpen={isCreating} workspaces={workspaces} onClose={() => setCreating(false)} />
    </Page>
  );
}

interface BotTableProps {
  bots: Bot[];
  environmentNames: Record<string, string>;
  workspaces: { id: string; name: string }[];
}

const BotTable = ({ bots, environmentNames, workspaces }: BotTableProps) => (
  <Rows
    label="Bots"
    columns={[
      'Name',
      'Status',
      ...(workspaces.length > 1 ? ['Workspace'] : []),
      'Deployed to',
      'Allowed sites',
      { label: 'Created', align: 'right' },
    ]}
    minWidth={760}
  >
    {bots.map((bot) => (
      <Table.Tr key={bot.id}>
        <Table.Td>
          <Group gap="sm" wrap="nowrap">
            <Avatar kind="bot" name={bot.name} id={bot.id} size={32} />
            <div>
              <RowLink to={`/bots/${bot.id}`}>{bot.name}</RowLink>
              {bot.draft.title && bot.draft.title !== bot.name && (
                <Text size="xs" c="dimmed">
                  {bot.draft.title}
                </Text>
              )}
            </div>
          </Group>
        </Table.Td>
        <Table.Td>
          <Status tone={statusTones[bot.status]}>{statusLabels[bot.status]}</Status>
        </Table.Td>
        {workspaces.length > 1 && <Table.Td>{workspaces.find(({ id }) => id === bot.workspaceId)?.name}</Table.Td>}
        <Table.Td>
          <Group gap={4}>
            {Object.keys(bot.deployments).map((id) => (
              <Badge key={id} color="gray">
                {environmentNames[id] ?? 'another environment'}
              </Badge>
            ))}
            {Object.keys(bot.deployments).length === 0 && (
              <Text size="sm" c="dimmed">
                Not deployed
              </Text>
            )}
          </Group>
        </Table.Td>
        <Table.Td>
          <Sites origins={bot.allowedOrigins} />
        </Table.Td>
        <Table.Td>
          <Ago at={bot.createdAt} />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

const Sites = ({ origins }: { origins: string[] }) =>
  origins.length === 0 ? (
    <Text size="sm" c="dimmed">
      None
    </Text>
  ) : (
    <Text size="sm" title={origins.join('\n')}>
      {origins
        .slice(0, 2)
        .map((origin) => origin.replace('https://', ''))
        .join(', ')}
      {origins.length > 2 && ` and ${origins.length - 2} more`}
    </Text>
  );
