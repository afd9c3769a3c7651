import { Anchor, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Empty, Id, Page, Pager, Rows, Section, Status, WithReason } from '@parley/portal-kit/ui';
import { Link, useLoaderData, useNavigation, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { CreateTenant } from './parts/create-tenant.tsx';
import { SearchBox } from './parts/search-box.tsx';
import { isPlan, isStatus, planLabel, plans, statuses } from './labels.ts';

export const meta = () => [{ title: 'Tenants · Parley admin' }];

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const { searchParams } = new URL(request.url);
  const query = searchParams.get('query')?.trim().slice(0, 254) ?? '';
  const [status, plan, cursor] = ['status', 'plan', 'cursor'].map((name) => searchParams.get(name)) as [
    string | null,
    string | null,
    string | null,
  ];
  const filters = {
    limit: 25,
    ...(query && { query }),
    ...(isStatus(status) && { status }),
    ...(isPlan(plan) && { plan }),
    ...(cursor && !query && { cursor }),
  };
  const { data, nextCursor } = read(await service.GET('/admin/tenants', { params: { query: filters } }), request);
  return { query, status: isStatus(status) ? status : null, plan: isPlan(plan) ? plan : null, data, nextCursor };
}

export default function Tenants() {
  const { query, status, plan, data, nextCursor } = useLoaderData<typeof loader>();
  const reason = denialReason(useMe(), 'platform.tenant.manage');
  const [isCreating, { open, close }] = useDisclosure();
  return (
    <Page
      title="Tenants"
      description="All organisations on this platform."
      actions={
        <WithReason reason={reason}>
          <Button onClick={open} disabled={reason !== undefined}>
            Create tenant
          </Button>
        </WithReason>
      }
    >
      <Section>
        <Filters query={query} status={status} plan={plan} />
        {data.length === 0 ? (
          <NoTenants isFiltered={Boolean(query || status || plan)} />
        ) : (
          <TenantTable hits={data} query={query} />
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
      <CreateTenant isOpen={isCreating} onClose={close} />
    </Page>
  );
}

const NoTenants = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No tenants found">
      Search by the start of any part of the name, at least 8 characters of an ID, at least 3 of a member’s email, a
      full domain, or the last 4 characters of an API key.
    </Empty>
  ) : (
    <Empty title="No tenants yet">A tenant is an organisation with its members and bots. Create the first one.</Empty>
  );

interface TenantFilters {
  query: string;
  status: string | null;
  plan: string | null;
}

function Filters({ query, status, plan }: TenantFilters) {
  const [, setSearch] = useSearchParams();
  const { state } = useNavigation();
  // Read inside the updater, so that a late search does not overwrite a newer one.
  const change = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('cursor');
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <Group gap="xs" align="flex-end">
      <SearchBox query={query} isSearching={state === 'loading'} onSearch={(value) => change('query', value)} />
      <Select
        label="Status"
        placeholder="Any"
        data={Object.entries(statuses).map(([value, { label }]) => ({ value, label }))}
        value={status}
        onChange={(value) => change('status', value)}
        clearable
        w={{ base: '100%', xs: 150 }}
      />
      <Select
        label="Plan"
        placeholder="Any"
        data={[...plans]}
        value={plan}
        onChange={(value) => change('plan', value)}
        clearable
        w={{ base: '100%', xs: 150 }}
      />
    </Group>
  );
}

const kinds = { id: 'ID', key: 'API key', domain: 'Domain', member: 'Member', name: 'Name' } as const;

const TenantTable = ({ hits, query }: { hits: Schemas['TenantHit'][]; query: string }) => (
  <Stack gap="xs">
    <Rows
      label="Tenants table"
      columns={['Name', 'ID', 'Plan', 'Status', 'Created', ...(query ? ['Matched'] : [])]}
      minWidth={query ? 900 : 700}
    >
      {hits.map(({ id, name, plan, status, createdAt, foundBy }) => (
        <Table.Tr key={id}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            <Anchor component={Link} to={`/tenants/${id}`}>
              {name}
            </Anchor>
          </Table.Td>
          <Table.Td>
            <Id id={id} />
          </Table.Td>
          <Table.Td>{planLabel(plan)}</Table.Td>
          <Table.Td>
            <Status tone={statuses[status].tone}>{statuses[status].label}</Status>
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <Ago at={createdAt} />
          </Table.Td>
          {query && (
            <Table.Td>
              {foundBy.map(({ kind, text }) => (
                <Text key={kind + text} size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {kinds[kind]}
                  {kind !== 'name' && `: ${text}`}
                </Text>
              ))}
            </Table.Td>
          )}
        </Table.Tr>
      ))}
    </Rows>
    {query && hits.length === 25 && <Text c="dimmed">Showing the top 25 results. Refine your search to see more.</Text>}
  </Stack>
);
