import { Badge, Button, Code, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Empty,
  keepLast,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  TextLink,
  usePolling,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconEye, IconPencil, IconPlus } from '@tabler/icons-react';
import { Link, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../../parts/me.ts';
import { planWith, denialReason } from '../../../parts/rights.ts';
import { statusLabelOf } from '../../developers/runs/labels.ts';
import { useBot } from '../bot-data.ts';
import { endpointsOf } from './endpoints.ts';
import { effectOf, riskOf, type Action } from './labels.ts';

export const meta = () => [{ title: 'Actions · Parley' }];

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor') ?? undefined;
  const path = { id: params['botId'] ?? '' };
  const [response, endpoints] = await Promise.all([
    service.GET('/bots/{id}/actions', { params: { path, query: { limit: 25, ...(cursor && { cursor }) } } }),
    endpointsOf(service),
  ]);
  // If the plan has no actions, the page says so instead of failing.
  if (response.response.status === 403) return { actions: [], nextCursor: null, endpoints, isMissing: true };
  const { data, nextCursor } = read(response, request);
  return { actions: data, nextCursor, endpoints, isMissing: false };
}

export const clientLoader = keepLast<typeof loader>();

export default function Actions() {
  const { actions, nextCursor, endpoints, isMissing } = useLoaderData<typeof loader>();
  const { bot } = useBot();
  const reason =
    denialReason(useMe(), 'integration.manage', 'private_actions') ??
    (isMissing ? planWith('private_actions') : undefined) ??
    (bot.status === 'archived' ? 'This bot is archived. Restore it in Settings first.' : undefined);
  // Visitors can run actions at any time.
  usePolling(10_000, actions.length > 0);
  const add = (
    <WithReason reason={reason}>
      {reason ? (
        <Button disabled leftSection={<IconPlus size={16} aria-hidden />}>
          Add action
        </Button>
      ) : (
        <Button component={Link} to={`/bots/${bot.id}/actions/new`} leftSection={<IconPlus size={16} aria-hidden />}>
          Add action
        </Button>
      )}
    </WithReason>
  );
  const isFirst = actions.length === 0;
  return (
    <Section
      title="Actions"
      description="What the bot can do in your own system, through your webhook endpoints. Changes take effect the next time you publish."
      actions={isFirst ? undefined : add}
    >
      {reason && <Text>{reason}</Text>}
      {isFirst && !isMissing && <NoActions hasEndpoint={endpoints.length > 0} add={add} />}
      {!isFirst && <ActionTable actions={actions} endpoints={endpoints} />}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

const NoActions = ({ hasEndpoint, add }: { hasEndpoint: boolean; add: React.ReactNode }) => (
  <Empty
    title="No actions yet"
    drawing="bolt"
    action={
      hasEndpoint ? (
        add
      ) : (
        <Button component={Link} to="/developers/webhooks">
          Add endpoint
        </Button>
      )
    }
  >
    An action lets the bot do one thing in your system for a visitor, such as looking up an order.
    {!hasEndpoint && ' It calls a webhook endpoint, and you don’t have one yet.'}
  </Empty>
);

export const Risk = ({ risk }: Pick<Action, 'risk'>) => (
  <Badge
    color={risk === 'write' ? 'orange' : 'gray'}
    leftSection={risk === 'write' ? <IconPencil size={12} aria-hidden /> : <IconEye size={12} aria-hidden />}
  >
    {riskOf(risk)}
  </Badge>
);

interface TableProps {
  actions: Action[];
  endpoints: { id: string; label: string }[];
}

function ActionTable({ actions, endpoints }: TableProps) {
  const { bot } = useBot();
  return (
    <Rows
      label="Action list"
      columns={['Action', 'Risk', 'If there is no response', 'Calls', 'Last run']}
      minWidth={820}
    >
      {actions.map(({ id, title, name, risk, effect, webhookId, steps, isOffered, lastRun }) => (
        <Table.Tr key={id}>
          <Table.Td maw={280}>
            <RowLink to={`/bots/${bot.id}/actions/${id}`}>{title}</RowLink>
            <div>
              <Code>{name}</Code>
            </div>
            {!isOffered && (
              <Text size="xs" c="dimmed">
                Only used as a workflow step
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <Risk risk={risk} />
          </Table.Td>
          <Table.Td>{effectOf(effect)}</Table.Td>
          <Table.Td maw={260} style={{ wordBreak: 'break-word' }}>
            {steps
              ? `${steps.length} ${steps.length === 1 ? 'step' : 'steps in order'}`
              : (endpoints.find((endpoint) => endpoint.id === webhookId)?.label ?? 'Endpoint you don’t have access to')}
          </Table.Td>
          <Table.Td>
            {lastRun ? (
              <>
                <Status tone={statusLabelOf(lastRun).tone}>{statusLabelOf(lastRun).label}</Status>
                <Text size="xs">
                  <TextLink to={`/developers/runs/${lastRun.id}`}>
                    <Ago at={lastRun.createdAt} />
                  </TextLink>
                </Text>
              </>
            ) : (
              <Text size="sm" c="dimmed">
                Never run
              </Text>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
