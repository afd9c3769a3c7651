import { Box, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { portalContext, read } from '@parley/portal-kit/context';
import type { Schemas } from '@parley/portal-kit/service';
import {
  Ago,
  Avatar,
  Empty,
  FilterChips,
  Id,
  LiveSearch,
  Page,
  Pager,
  RowLink,
  Rows,
  Section,
  Status,
  useChangedSearch,
  WithReason,
} from '@parley/portal-kit/ui';
import { useLoaderData, useNavigation, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { CreateTenant } from './parts/create-tenant.tsx';
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
      <Filters query={query} />
      <Section>
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
    <Empty title="No tenants found" drawing="search">
      Search by the start of any part of the name, at least 8 characters of an ID, at least 3 of a member’s email, a
      full domain, or the last 4 characters of an API key.
    </Empty>
  ) : (
    <Empty title="No tenants yet" drawing="search">
      A tenant is an organisation with its members and bots. Create the first one.
    </Empty>
  );

const filters = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(statuses).map(([value, { label }]) => ({ value, label })),
  },
  { name: 'plan', label: 'Plan', options: plans },
];

function Filters({ query }: { query: string }) {
  const [, setSearch] = useSearchParams();
  const changed = useChangedSearch();
  const { state } = useNavigation();
  return (
    <Group gap="sm" align="flex-end">
      <Box flex="1 1 320px">
        <LiveSearch
          query={query}
          isSearching={state === 'loading'}
          onSearch={(value) => setSearch(changed({ query: value }), { replace: true, preventScrollReset: true })}
          label="Find a tenant"
          description="Name, ID, API key, domain or member email."
          maxLength={254}
        />
      </Box>
      <FilterChips filters={filters} />
    </Group>
  );
}

const kinds = { id: 'ID', key: 'API key', domain: 'Domain', member: 'Member', name: 'Name' } as const;

const TenantTable = ({ hits, query }: { hits: Schemas['TenantHit'][]; query: string }) => (
  <Stack gap="xs">
    <Rows
      label="Tenants table"
      columns={['Name', 'Status', 'Plan', 'ID', ...(query ? ['Matched'] : []), { label: 'Created', align: 'right' }]}
      minWidth={query ? 900 : 700}
    >
      {hits.map(({ id, name, plan, status, createdAt, foundBy }) => (
        <Table.Tr key={id}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            <Group gap="sm" wrap="nowrap">
              <Avatar name={name} id={id} />
              <RowLink to={`/tenants/${id}`}>{name}</RowLink>
            </Group>
          </Table.Td>
          <Table.Td>
            <Status tone={statuses[status].tone}>{statuses[status].label}</Status>
          </Table.Td>
          <Table.Td>{planLabel(plan)}</Table.Td>
          <Table.Td>
            <Id id={id} />
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
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <Ago at={createdAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
    {query && hits.length === 25 && <Text c="dimmed">Showing the top 25 results. Refine your search to see more.</Text>}
  </Stack>
);
