import { Anchor, Group, NativeSelect, Progress, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Empty, keepLast, Rows, Section, usePolling } from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { number } from './labels.ts';

export const meta = () => [{ title: 'Busiest tenants · Parley admin' }];
export const ErrorBoundary = ErrorPage;

const measures = [
  { value: 'messages', label: 'Messages' },
  { value: 'deliveries', label: 'Webhook attempts' },
  { value: 'model_spend', label: 'AI spend' },
] as const;
type Measure = (typeof measures)[number]['value'];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const asked = new URL(request.url).searchParams;
  const hours = asked.get('hours') === '1' ? 1 : 24;
  const by = measures.find(({ value }) => value === asked.get('by'))?.value ?? 'messages';
  const { service } = context.get(portalContext);
  return {
    ...read(await service.GET('/admin/busiest-tenants', { params: { query: { hours, by } } }), request),
    hours,
    by,
  };
}
export const clientLoader = keepLast<typeof loader>();

export default function BusiestTenantsPage() {
  const { tenants, hours, by } = useLoaderData<typeof loader>();
  const [search, setSearch] = useSearchParams();
  usePolling(10_000, true);
  const choose = (name: string, value: string) => {
    search.set(name, value);
    setSearch(search);
  };
  return (
    <Section
      title="Busiest tenants"
      description="Who causes most of the load, with a delay of a few seconds. When everything is slow, look here before you add machines: a limit for one tenant may be enough."
      actions={
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Measure"
            value={by}
            onChange={({ currentTarget: { value } }) => choose('by', value)}
            data={[...measures]}
          />
          <NativeSelect
            size="xs"
            aria-label="Time range"
            value={String(hours)}
            onChange={({ currentTarget: { value } }) => choose('hours', value)}
            data={[
              { value: '1', label: 'This hour' },
              { value: '24', label: 'Last 24 hours' },
            ]}
          />
        </Group>
      }
    >
      <Tenants tenants={tenants} by={by} />
    </Section>
  );
}

const amount = (by: Measure, value: number) => (by === 'model_spend' ? `$${value.toFixed(2)}` : number(value));

function Tenants({ tenants, by }: Pick<Schemas['BusiestTenants'], 'tenants'> & { by: Measure }) {
  if (!tenants) return <Text>Not available: Valkey, which counts these, isn’t responding.</Text>;
  const [busiest] = tenants;
  if (!busiest)
    return (
      <Empty title="Nothing counted in this time" drawing="chart">
        Tenants appear within seconds of a visitor’s message, a webhook or an AI reply. Choose a longer time, or another
        measure.
      </Empty>
    );
  const label = measures.find(({ value }) => value === by)?.label ?? '';
  return (
    <Rows label="Busiest tenants table" columns={['Tenant', { label, align: 'right' }]} minWidth={320}>
      {tenants.map(({ tenantId, tenantName, value }) => (
        <Table.Tr key={tenantId}>
          <Table.Td>
            <Anchor component={Link} to={`/tenants/${tenantId}/health`}>
              {tenantName ?? tenantId}
            </Anchor>
          </Table.Td>
          <Table.Td>
            {amount(by, value)}
            <Progress
              mt={4}
              value={(100 * value) / busiest.value}
              aria-label={`${Math.round((100 * value) / busiest.value)}% of the busiest`}
            />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
