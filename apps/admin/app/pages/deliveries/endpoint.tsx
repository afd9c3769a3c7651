import { Alert, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  DetailColumns,
  Empty,
  Facts,
  FilterChips,
  Id,
  keepLast,
  Page,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  TextLink,
  usePolling,
} from '@parley/portal-kit/ui';
import { useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { Replays } from './replays.tsx';
import {
  deliveryPath,
  deliveryStatuses,
  deliveryStatusLabels,
  isDeliveryStatus,
  statusOf,
  endpointStatusLabels,
  formatWaiting,
  type Delivery,
} from './labels.ts';

export const meta = () => [{ title: 'Endpoint · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const [status, cursor] = [searchParams.get('status'), searchParams.get('cursor')];
  const path = { id: params['tenantId'] ?? '', webhookId: params['webhookId'] ?? '' };
  const query = { limit: 25, ...(isDeliveryStatus(status) && { status }), ...(cursor && { cursor }) };
  const [endpoint, log] = await Promise.all([
    service.GET('/admin/tenants/{id}/webhooks/{webhookId}', { params: { path } }),
    service.GET('/admin/tenants/{id}/webhooks/{webhookId}/deliveries', { params: { path, query } }),
  ]);
  return { ...read(endpoint, request), log: read(log, request) };
}
export const clientLoader = keepLast<typeof loader>();

export default function EndpointPage() {
  const { endpoint, log } = useLoaderData<typeof loader>();
  usePolling(3_000, true);
  const { tone, label } = endpointStatusLabels[endpoint.status];
  return (
    <Page
      title={endpoint.host}
      breadcrumb={[{ to: '/deliveries', label: 'All unhealthy endpoints' }]}
      state={<Status tone={tone}>{label}</Status>}
      description={
        <>
          A webhook endpoint of <TextLink to={`/tenants/${endpoint.tenantId}/health`}>{endpoint.tenantName}</TextLink>.
          The rest of the URL is hidden because it may contain a secret.
        </>
      }
    >
      <Alert
        color={tone === 'good' ? 'green' : tone === 'idle' ? 'gray' : 'orange'}
        title={tone === 'good' ? 'Healthy' : 'What’s wrong'}
        role="status"
      >
        {endpoint.why}
      </Alert>
      <DetailColumns
        facts={
          <Section title="Health">
            <Facts
              facts={[
                ['Endpoint ID', <Id key="id" id={endpoint.id} />],
                ['Unhealthy since', <Ago key="since" at={endpoint.since} fallback="–" />],
                ['Consecutive failures', endpoint.consecutiveFailures],
                ['Last success', <Ago key="success" at={endpoint.lastSuccessAt} />],
                ['Last failure', <Ago key="failure" at={endpoint.lastFailureAt} />],
                ['Pending deliveries', formatWaiting(endpoint.waiting)],
                ['Oldest pending', <Ago key="oldest" at={endpoint.oldestWaitingAt} fallback="–" />],
                ['Next automatic retry', <Ago key="probe" at={endpoint.nextProbeAt} fallback="none scheduled" />],
                ['Events', endpoint.eventTypes.join(', ')],
              ]}
            />
          </Section>
        }
      >
        <Replays endpoint={endpoint} />
        <Log log={log.data} nextCursor={log.nextCursor} />
      </DetailColumns>
    </Page>
  );
}

const filters = [
  {
    name: 'status',
    label: 'Status',
    options: deliveryStatuses.map((value) => ({ value, label: deliveryStatusLabels[value].label })),
  },
];

function Log({ log, nextCursor }: { log: Delivery[]; nextCursor: string | null }) {
  const [search] = useSearchParams();
  const status = search.get('status') ?? '';
  return (
    <Section
      title="Deliveries"
      description="Newest first. Kept for 30 days."
      actions={<FilterChips filters={filters} />}
    >
      {log.length === 0 ? (
        <Empty title={status ? 'No deliveries with this status' : 'No deliveries yet'} drawing="webhook">
          Events sent to this endpoint appear here with their attempts.
        </Empty>
      ) : (
        <Rows
          label="Deliveries table"
          columns={[
            'Event',
            'Status',
            'Details',
            { label: 'Attempts', align: 'right' },
            { label: 'Created', align: 'right' },
          ]}
          minWidth={760}
        >
          {log.map((delivery) => (
            <Table.Tr key={delivery.id}>
              <Table.Td>
                <RowLink to={deliveryPath(delivery)}>{delivery.eventType}</RowLink>
                {delivery.isReplay && (
                  <Text size="xs" c="dimmed">
                    Resent
                  </Text>
                )}
              </Table.Td>
              <Table.Td miw={120}>
                <Status tone={statusOf(delivery).tone}>{statusOf(delivery).label}</Status>
              </Table.Td>
              <Table.Td maw={420}>{delivery.hint ?? 'No attempts yet.'}</Table.Td>
              <Table.Td>{delivery.attempts}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Ago at={delivery.createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}
