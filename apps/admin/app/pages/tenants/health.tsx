import { Anchor, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Empty, Rows, Section, Status, TextLink, usePolling } from '@parley/portal-kit/ui';
import { Link, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { nextSteps } from '../../../../docs/src/errors/next-steps.ts';
import { ErrorPage } from '../../parts/error-page.tsx';
import { endpointPath, endpointStatusLabels, formatWaiting } from '../deliveries/labels.ts';
import { ImpersonationSection } from './parts/impersonation.tsx';
import { Errors } from './parts/errors.tsx';

export const meta = () => [{ title: 'Tenant health · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const path = { id: params['tenantId'] ?? '' };
  const [health, errors, impersonations, members] = await Promise.all([
    service.GET('/admin/tenants/{id}/health', { params: { path } }),
    service.GET('/admin/tenants/{id}/errors', { params: { path, query: { limit: 25, ...(cursor && { cursor }) } } }),
    service.GET('/admin/impersonations', { params: { query: { tenantId: path.id } } }),
    service.GET('/admin/tenants/{id}/members', { params: { path, query: { limit: 100 } } }),
  ]);
  const { data, nextCursor } = read(errors, request);
  return {
    tenantId: path.id,
    health: read(health, request),
    errors: data.map((error) => ({ ...error, nextStep: nextStepFor(error.reason) })),
    nextCursor,
    impersonations: impersonations.data?.data ?? [],
    members: members.data?.data ?? [],
  };
}

/** The next step from the documentation. */
const nextStepFor = (reason: string): string | null =>
  nextSteps[reason] ??
  (reason.endsWith('_not_found') ? 'Check the ID. The resource doesn’t exist or was deleted.' : null);

/** Tenant health for support. */
export default function Health() {
  const { tenantId, health, errors, nextCursor, impersonations, members } = useLoaderData<typeof loader>();
  usePolling(10_000, true);
  return (
    <Stack gap="lg" miw={0}>
      <ImpersonationSection tenantId={tenantId} members={members} impersonations={impersonations} />
      <Errors errors={errors} nextCursor={nextCursor} tenantId={tenantId} />
      <Bots bots={health.bots} />
      <Endpoints endpoints={health.endpoints} />
      <Keys keys={health.keys} />
      <Limits health={health} />
    </Stack>
  );
}

const botStatuses = {
  active: { tone: 'good', label: 'Active' },
  paused: { tone: 'idle', label: 'Paused' },
  archived: { tone: 'idle', label: 'Archived' },
} as const;

const Bots = ({ bots }: { bots: Schemas['SupportedBot'][] }) => (
  <Section title="Bots">
    {bots.length === 0 ? (
      <Empty title="No bots yet" drawing="bot">
        This tenant hasn’t created a bot.
      </Empty>
    ) : (
      <Rows
        label="Bots table"
        columns={['Bot', 'Status', 'Deployed to', { label: 'Last conversation', align: 'right' }, 'Knowledge sources']}
      >
        {bots.map(({ id, name, status, deployedTo, lastConversationAt, sources }) => (
          <Table.Tr key={id}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>
              <Status tone={botStatuses[status].tone}>{botStatuses[status].label}</Status>
            </Table.Td>
            <Table.Td>{deployedTo.join(', ') || 'not deployed'}</Table.Td>
            <Table.Td>
              <Ago at={lastConversationAt} />
            </Table.Td>
            <Table.Td>{describeSources(sources)}</Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    )}
  </Section>
);

function describeSources({ ready, syncing, waiting, failed }: Schemas['SupportedBot']['sources']): string {
  const counts = Object.entries({ ready, syncing, waiting, failed }).flatMap(([state, n]) =>
    n > 0 ? [`${n} ${state}`] : [],
  );
  return counts.join(', ') || 'none';
}

const Endpoints = ({ endpoints }: { endpoints: Schemas['SupportedEndpoint'][] }) => (
  <Section title="Webhook endpoints">
    {endpoints.length === 0 ? (
      <Empty title="No webhook endpoints" drawing="webhook">
        This tenant hasn’t added an endpoint.
      </Empty>
    ) : (
      <Rows
        label="Webhook endpoints table"
        columns={[
          'Endpoint',
          'Status',
          'Reason',
          { label: 'Pending', align: 'right' },
          { label: 'Last failure', align: 'right' },
        ]}
        minWidth={760}
      >
        {endpoints.map((endpoint) => (
          <Table.Tr key={endpoint.id}>
            <Table.Td>
              <Anchor component={Link} to={endpointPath(endpoint)}>
                {endpoint.host}
              </Anchor>
            </Table.Td>
            <Table.Td>
              <Status tone={endpointStatusLabels[endpoint.status].tone}>
                {endpointStatusLabels[endpoint.status].label}
              </Status>
            </Table.Td>
            <Table.Td maw={380}>{endpoint.why}</Table.Td>
            <Table.Td>{formatWaiting(endpoint.waiting)}</Table.Td>
            <Table.Td>
              <Ago at={endpoint.lastFailureAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    )}
  </Section>
);

const Keys = ({ keys }: { keys: Schemas['SupportedKey'][] }) => (
  <Section title="API keys">
    {keys.length === 0 ? (
      <Empty title="No API keys" drawing="key">
        Websites can’t load the widget without a public key.
      </Empty>
    ) : (
      <Rows
        label="API keys table"
        columns={[
          'Name',
          'Key',
          'Type',
          'Status',
          { label: 'Last used', align: 'right' },
          { label: 'Expires', align: 'right' },
        ]}
      >
        {keys.map(({ id, name, hint, keyType, lastUsedAt, expiresAt, revokedAt }) => (
          <Table.Tr key={id}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{hint}</Table.Td>
            <Table.Td>{keyType === 'public_widget' ? 'Public' : 'Server'}</Table.Td>
            <Table.Td>
              {revokedAt ? <Status tone="idle">Revoked</Status> : <Status tone="good">Active</Status>}
            </Table.Td>
            <Table.Td>
              <Ago at={lastUsedAt} />
            </Table.Td>
            <Table.Td>
              <Ago at={expiresAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    )}
  </Section>
);

const budgetLabels = {
  messages_this_month: { label: 'Messages this month', format: (n: number) => n.toLocaleString('en') },
  model_spend_today: { label: 'AI spend today', format: (n: number) => `$${n.toFixed(2)}` },
};

const Limits = ({ health: { budgets, unknownRuns } }: { health: Schemas['TenantHealth'] }) => (
  <Section title="Usage and actions">
    <Group gap="xl" align="flex-start">
      {budgets.map(({ name, used, reserved, allowed }) => {
        const { label, format } = budgetLabels[name];
        const percent = allowed > 0 ? Math.min(100, ((used + reserved) / allowed) * 100) : 0;
        return (
          <Stack key={name} gap={4} w={{ base: '100%', xs: 260 }}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            <Text>
              {format(used)} of {format(allowed)}
            </Text>
            <Progress
              value={percent}
              aria-label={label}
              color={percent >= 100 ? 'red' : percent >= 80 ? 'orange' : 'blue'}
            />
          </Stack>
        );
      })}
      <div>
        <Text size="xs" c="dimmed">
          Action runs with unknown result
        </Text>
        <Text>
          {unknownRuns === 0 ? 'None' : `${formatWaiting(unknownRuns)}. Members can resolve them under Developers.`}
        </Text>
      </div>
      <div>
        <Text size="xs" c="dimmed">
          Deliveries
        </Text>
        <TextLink to="/deliveries">View unhealthy endpoints</TextLink>
      </div>
    </Group>
  </Section>
);
