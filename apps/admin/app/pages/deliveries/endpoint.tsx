import { Alert, Anchor, NativeSelect, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Empty,
  Id,
  keepLast,
  Page,
  Pager,
  Rows,
  Section,
  Status,
  TextLink,
  usePolling,
} from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { Facts } from '../../parts/facts.tsx';
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
      description={
        <>
          A webhook endpoint of <TextLink to={`/tenants/${endpoint.tenantId}/health`}>{endpoint.tenantName}</TextLink>.
          The rest of the URL is hidden because it may contain a secret.
        </>
      }
      actions={<Status tone={tone}>{label}</Status>}
    >
      <div>
        <TextLink to="/deliveries">All unhealthy endpoints</TextLink>
      </div>
      <Alert
        color={tone === 'good' ? 'green' : tone === 'idle' ? 'gray' : 'orange'}
        title={tone === 'good' ? 'Healthy' : 'What’s wrong'}
        role="status"
      >
        {endpoint.why}
      </Alert>
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
      <Replays endpoint={endpoint} />
      <Log log={log.data} nextCursor={log.nextCursor} />
    </Page>
  );
}

function Log({ log, nextCursor }: { log: Delivery[]; nextCursor: string | null }) {
  const [search, setSearch] = useSearchParams();
  const status = search.get('status') ?? '';
  return (
    <Section
      title="Deliveries"
      description="Newest first. Kept for 30 days."
      actions={
        <NativeSelect
          size="xs"
          aria-label="Delivery status"
          value={status}
          onChange={(event) =>
            setSearch(event.currentTarget.value ? { status: event.currentTarget.value } : {}, {
              preventScrollReset: true,
            })
          }
          data={[
            { value: '', label: 'All statuses' },
            ...deliveryStatuses.map((value) => ({ value, label: deliveryStatusLabels[value].label })),
          ]}
        />
      }
    >
      {log.length === 0 ? (
        <Empty title={status ? 'No deliveries with this status' : 'No deliveries yet'}>
          Events sent to this endpoint appear here with their attempts.
        </Empty>
      ) : (
        <Rows label="Deliveries table" columns={['Event', 'Status', 'Details', 'Attempts', 'Created']} minWidth={760}>
          {log.map((delivery) => (
            <Table.Tr key={delivery.id}>
              <Table.Td>
                <Anchor component={Link} to={deliveryPath(delivery)}>
                  {delivery.eventType}
                </Anchor>
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
