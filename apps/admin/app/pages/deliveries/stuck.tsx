import { Anchor, Button, Table, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, field, keepLast, Pager, RowLink, Rows, Section, Status, usePolling } from '@parley/portal-kit/ui';
import { Form, Link, useLoaderData, useLocation, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { deliveryPath, endpointPath, statusOf, type Delivery } from './labels.ts';

export const meta = () => [{ title: 'Undelivered events · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { pathname, searchParams } = new URL(request.url);
  const [tenantId, cursor] = [searchParams.get('tenantId')?.trim(), searchParams.get('cursor')];
  const query = {
    limit: 25,
    state: pathname.includes('exhausted') ? ('exhausted' as const) : ('held' as const),
    ...(tenantId && { tenantId }),
    ...(cursor && { cursor }),
  };
  return read(await service.GET('/admin/deliveries', { params: { query } }), request);
}
export const clientLoader = keepLast<typeof loader>();

const labels = {
  held: {
    title: 'On hold',
    description: 'Sent automatically when the endpoint recovers. Kept for 30 days.',
    empty: 'No deliveries on hold',
  },
  exhausted: {
    title: 'Failed',
    description: 'Failed after 13 attempts. Once the endpoint is healthy, you can resend them for up to 30 days.',
    empty: 'No failed deliveries',
  },
};

export default function Stuck() {
  const { data, nextCursor } = useLoaderData<typeof loader>();
  const { pathname } = useLocation();
  const [search, setSearch] = useSearchParams();
  usePolling(10_000, true);
  const { title, description, empty } = labels[pathname.includes('exhausted') ? 'exhausted' : 'held'];
  const tenantId = search.get('tenantId') ?? '';
  return (
    <Section
      title={title}
      description={description}
      actions={
        <Form
          role="search"
          key={tenantId}
          onSubmit={(event) => {
            event.preventDefault();
            const input = field(event.currentTarget, 'tenantId').trim();
            setSearch(input ? { tenantId: input } : {});
          }}
        >
          <TextInput
            name="tenantId"
            size="xs"
            aria-label="Filter by tenant ID"
            placeholder="Tenant ID (ten_…)"
            defaultValue={tenantId}
            rightSectionWidth={52}
            rightSection={
              <Button type="submit" size="compact-xs" variant="subtle">
                Filter
              </Button>
            }
          />
        </Form>
      }
    >
      {data.length === 0 ? (
        <Empty title={empty} drawing="check">
          {tenantId ? 'This tenant has none.' : 'Nothing needs your attention.'}
        </Empty>
      ) : (
        <Rows
          label={`${title} deliveries`}
          columns={[
            'Event',
            'Tenant',
            'Endpoint',
            'Status',
            'Last result',
            { label: 'Attempts', align: 'right' },
            { label: 'Created', align: 'right' },
          ]}
          minWidth={980}
        >
          {data.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

const Row = ({ delivery }: { delivery: Delivery }) => (
  <Table.Tr>
    <Table.Td>
      <RowLink to={deliveryPath(delivery)}>{delivery.eventType}</RowLink>
    </Table.Td>
    <Table.Td>
      <Anchor component={Link} to={`/tenants/${delivery.tenantId}/health`}>
        {delivery.tenantName}
      </Anchor>
    </Table.Td>
    <Table.Td>
      <Anchor component={Link} to={endpointPath({ tenantId: delivery.tenantId, id: delivery.webhookId })}>
        {delivery.host}
      </Anchor>
    </Table.Td>
    <Table.Td miw={120}>
      <Status tone={statusOf(delivery).tone}>{statusOf(delivery).label}</Status>
    </Table.Td>
    <Table.Td maw={320}>{delivery.hint ?? 'No attempts yet.'}</Table.Td>
    <Table.Td>{delivery.attempts}</Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      <Ago at={delivery.createdAt} />
    </Table.Td>
  </Table.Tr>
);
