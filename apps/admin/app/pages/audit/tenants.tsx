import { Anchor, Code, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, api, call, Empty, Id, Pager, Rows, Section, TextLink } from '@parley/portal-kit/ui';
import { Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { Export } from './export.tsx';
import { FilterForm } from './filter-form.tsx';
import { filtersIn, toQuery, type Filters } from './filters.ts';
import { AuditPage } from './tabs.tsx';
import { actorKinds, actorTypes, actorLabel, tenantActions, actionLabel, type TenantEntry } from './labels.ts';

export const meta = () => [{ title: 'Audit log · Parley admin' }];

const filterSchema = {
  tenantId: 'text',
  action: 'text',
  actorType: actorKinds,
  actorId: 'text',
  subjectId: 'text',
  since: 'day',
  until: 'day',
} as const;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const filters = filtersIn(request.url, filterSchema);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const query = { limit: 50, ...toQuery<typeof filterSchema>(filters), ...(cursor && { cursor }) };
  return { filters, entries: read(await service.GET('/admin/tenant-audit-log', { params: { query } }), request) };
}

export default function TenantAudit() {
  const { filters, entries } = useLoaderData<typeof loader>();
  const { data, nextCursor } = entries;
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <AuditPage>
      <Section
        title="Tenant activity"
        description="Entry details are visible only to the tenant, in its own audit log."
        actions={<ExportTenants filters={filters} />}
      >
        <FilterForm filters={filters}>
          <TextInput
            name="tenantId"
            label="Tenant"
            placeholder="ten_…"
            defaultValue={filters.tenantId}
            maxLength={80}
          />
          <Select
            name="action"
            label="Action"
            data={withCurrentValue(tenantActions, filters.action)}
            defaultValue={filters.action || null}
            placeholder="Any"
            searchable
            clearable
          />
          <Select
            name="actorType"
            label="Actor type"
            data={actorTypes}
            defaultValue={filters.actorType || null}
            placeholder="Any"
            clearable
          />
          <TextInput
            name="actorId"
            label="Actor"
            placeholder="usr_… or key_…"
            defaultValue={filters.actorId}
            maxLength={80}
          />
          <TextInput
            name="subjectId"
            label="Target"
            placeholder="bot_… or any other ID"
            defaultValue={filters.subjectId}
            maxLength={80}
          />
          <TextInput name="since" type="date" label="From (UTC)" defaultValue={filters.since} />
          <TextInput name="until" type="date" label="To (UTC)" defaultValue={filters.until} />
        </FilterForm>
        {data.length > 0 && <Entries entries={data} />}
        {data.length === 0 && <NoEntries isFiltered={isFiltered} hasMore={nextCursor !== null} />}
        <Pager nextCursor={nextCursor} />
      </Section>
    </AuditPage>
  );
}

const withCurrentValue = (choices: { value: string; label: string }[], current: string) =>
  current && !choices.some(({ value }) => value === current)
    ? [{ value: current, label: current }, ...choices]
    : choices;

export const NoEntries = ({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) =>
  hasMore ? (
    <Empty title="No matches in the latest entries" drawing="search">
      Go to the next page for older entries, or choose a date range.
    </Empty>
  ) : (
    <Empty title={isFiltered ? 'No matching entries' : 'No activity yet'} drawing="search">
      {isFiltered ? 'Remove a filter or choose a longer date range.' : 'Changes appear here as they happen.'}
    </Empty>
  );

function Entries({ entries }: { entries: TenantEntry[] }) {
  const [search] = useSearchParams();
  const filterBy = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    next.delete('cursor');
    next.set(name, value);
    return `?${next.toString()}`;
  };
  return (
    <Rows
      label="Audit log entries"
      columns={['Time', 'Action', 'Tenant', 'Actor', 'Target', 'Request ID']}
      minWidth={980}
    >
      {entries.map((entry) => (
        <Table.Tr key={entry.id}>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <Ago at={entry.createdAt} />
          </Table.Td>
          <Table.Td>
            <Text>{actionLabel(entry.action)}</Text>
            <Code>{entry.action}</Code>
          </Table.Td>
          <Table.Td>
            <TextLink to={`/tenants/${entry.tenantId}`}>{entry.tenantName ?? 'Erased'}</TextLink>
            <div>
              <Id id={entry.tenantId} />
            </div>
          </Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            <Anchor component={Link} to={filterBy('actorId', entry.actor.id)} title={`Filter by ${entry.actor.id}`}>
              {entry.actor.email ?? actorLabel(entry.actor.type)}
            </Anchor>
            <Text size="sm" c="dimmed">
              {entry.actor.email ? actorLabel(entry.actor.type) : entry.actor.id.slice(0, 40)}
            </Text>
          </Table.Td>
          <Table.Td>
            <Group gap={6} wrap="nowrap">
              <Id id={entry.subjectId} />
              <Anchor
                component={Link}
                to={filterBy('subjectId', entry.subjectId)}
                size="sm"
                aria-label={`Filter by ${entry.subjectId}`}
              >
                Filter
              </Anchor>
            </Group>
          </Table.Td>
          <Table.Td>{entry.requestId ? <Id id={entry.requestId} /> : '–'}</Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}

const columns = [
  'time',
  'tenant_id',
  'tenant',
  'actor_type',
  'actor_id',
  'actor_email',
  'action',
  'description',
  'subject_id',
  'request_id',
];

function ExportTenants({ filters }: { filters: Filters<typeof filterSchema> }) {
  return (
    <Export<TenantEntry>
      name="audit-log-of-tenants"
      columns={columns}
      toRow={({ createdAt, tenantId, tenantName, actor, action, subjectId, requestId }) => [
        createdAt,
        tenantId,
        tenantName ?? '',
        actor.type,
        actor.id,
        actor.email ?? '',
        action,
        actionLabel(action) ?? '',
        subjectId,
        requestId ?? '',
      ]}
      next={(cursor) => {
        const query = { ...toQuery<typeof filterSchema>(filters), ...(cursor && { cursor }) };
        return call(api.GET('/admin/tenant-audit-log/export', { params: { query } }));
      }}
    />
  );
}
