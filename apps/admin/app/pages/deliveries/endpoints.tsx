import { Anchor, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import {
  Ago,
  Empty,
  FilterChips,
  keepLast,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  usePolling,
} from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { endpointPath, isUnhealthy, endpointStatusLabels, unhealthy, formatWaiting, type Endpoint } from './labels.ts';

export const meta = () => [{ title: 'Unhealthy endpoints · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const [status, cursor] = [searchParams.get('status'), searchParams.get('cursor')];
  const query = { limit: 25, ...(isUnhealthy(status) && { status }), ...(cursor && { cursor }) };
  return read(await service.GET('/admin/endpoints', { params: { query } }), request);
}
export const clientLoader = keepLast<typeof loader>();

const filters = [
  {
    name: 'status',
    label: 'Status',
    options: unhealthy.map((value) => ({ value, label: endpointStatusLabels[value].label })),
  },
];

export default function Endpoints() {
  const { data, nextCursor } = useLoaderData<typeof loader>();
  const [search] = useSearchParams();
  usePolling(10_000, true);
  const status = search.get('status') ?? '';
  return (
    <Section title="Unhealthy endpoints" actions={<FilterChips filters={filters} />}>
      {data.length === 0 ? (
        <Empty title={status ? 'No endpoints with this status' : 'All endpoints healthy'} drawing="check">
          Endpoints appear here after five failures in a row, or when they are disabled or paused.
        </Empty>
      ) : (
        <Rows
          label="Unhealthy endpoints table"
          columns={[
            'Endpoint',
            'Tenant',
            'Status',
            'Reason',
            { label: 'Pending', align: 'right' },
            { label: 'Last failure', align: 'right' },
          ]}
          minWidth={980}
        >
          {data.map((endpoint) => (
            <Row key={endpoint.id} endpoint={endpoint} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

const Row = ({ endpoint }: { endpoint: Endpoint }) => (
  <Table.Tr>
    <Table.Td>
      <RowLink to={endpointPath(endpoint)}>{endpoint.host}</RowLink>
    </Table.Td>
    <Table.Td>
      <Anchor component={Link} to={`/tenants/${endpoint.tenantId}/health`}>
        {endpoint.tenantName}
      </Anchor>
    </Table.Td>
    <Table.Td miw={120}>
      <Status tone={endpointStatusLabels[endpoint.status].tone}>{endpointStatusLabels[endpoint.status].label}</Status>
      {endpoint.since && (
        <Text size="xs" c="dimmed" mt={2}>
          since <Ago at={endpoint.since} />
        </Text>
      )}
    </Table.Td>
    <Table.Td maw={380}>{endpoint.why}</Table.Td>
    <Table.Td>
      {formatWaiting(endpoint.waiting)}
      {endpoint.oldestWaitingAt && (
        <Text size="xs" c="dimmed">
          oldest <Ago at={endpoint.oldestWaitingAt} />
        </Text>
      )}
    </Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      <Ago at={endpoint.lastFailureAt} />
      {endpoint.lastFailureStatus !== null && (
        <Text size="xs" c="dimmed">
          HTTP {endpoint.lastFailureStatus}
        </Text>
      )}
    </Table.Td>
  </Table.Tr>
);
