import { Code, Select, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, api, call, Id, Pager, Rows, Section, TextLink } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { Export } from './export.tsx';
import { FilterForm } from './filter-form.tsx';
import { filtersIn, toQuery, type Filters } from './filters.ts';
import { AuditPage } from './tabs.tsx';
import { NoEntries } from './tenants.tsx';
import { actorLabel, poolActions, actionLabel, type PoolEntry } from './labels.ts';

export const meta = () => [{ title: 'Platform admins and sign-ins · Audit log · Parley admin' }];

const filterSchema = {
  pool: ['admin', 'customer'],
  action: 'text',
  userId: 'text',
  since: 'day',
  until: 'day',
} as const;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const filters = filtersIn(request.url, filterSchema);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const query = { limit: 50, ...toQuery<typeof filterSchema>(filters), ...(cursor && { cursor }) };
  return { filters, entries: read(await service.GET('/admin/audit-log', { params: { query } }), request) };
}

export default function PoolAudit() {
  const { filters, entries } = useLoaderData<typeof loader>();
  const { data, nextCursor } = entries;
  return (
    <AuditPage>
      <Section
        title="Platform admins and sign-ins"
        description="Platform-wide changes by platform admins, plus sign-in and account activity."
        actions={<ExportPool filters={filters} />}
      >
        <FilterForm filters={filters}>
          <Select
            name="pool"
            label="Accounts"
            data={[
              { value: 'admin', label: 'Platform admins' },
              { value: 'customer', label: 'Customers' },
            ]}
            defaultValue={filters.pool || 'admin'}
            allowDeselect={false}
          />
          <Select
            name="action"
            label="Action"
            data={poolActions}
            defaultValue={filters.action || null}
            placeholder="Any"
            searchable
            clearable
          />
          <TextInput name="userId" label="User" placeholder="usr_…" defaultValue={filters.userId} maxLength={80} />
          <TextInput name="since" type="date" label="From (UTC)" defaultValue={filters.since} />
          <TextInput name="until" type="date" label="To (UTC)" defaultValue={filters.until} />
        </FilterForm>
        {data.length === 0 ? (
          <NoEntries isFiltered={Object.values(filters).some(Boolean)} hasMore={nextCursor !== null} />
        ) : (
          <Entries entries={data} pool={filters.pool || 'admin'} />
        )}
        <Pager nextCursor={nextCursor} />
      </Section>
    </AuditPage>
  );
}

const Entries = ({ entries, pool }: { entries: PoolEntry[]; pool: string }) => (
  <Rows label="Audit log entries" columns={['Time', 'Actor', 'Action', 'User', 'Details', 'IP address']} minWidth={980}>
    {entries.map((entry) => (
      <Table.Tr key={entry.id}>
        <Table.Td style={{ whiteSpace: 'nowrap' }}>
          <Ago at={entry.createdAt} />
        </Table.Td>
        <Table.Td>
          {entry.actor.type === 'user' ? 'User' : actorLabel(entry.actor.type)}{' '}
          {entry.actor.id.includes('_') && <Id id={entry.actor.id} />}
        </Table.Td>
        <Table.Td>
          <Text>{actionLabel(entry.action)}</Text>
          <Code>{entry.action}</Code>
        </Table.Td>
        <Table.Td>
          {entry.userId ? <TextLink to={`/users/${pool}/${entry.userId}`}>{shortOf(entry.userId)}</TextLink> : '–'}
        </Table.Td>
        <Table.Td maw={320} style={{ overflowWrap: 'anywhere' }}>
          <Details data={entry.data} />
        </Table.Td>
        <Table.Td>{entry.ip ?? '–'}</Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

const shortOf = (id: string) => `${id.split('_')[0]}_…${id.slice(-6)}`;

/** One line per field. */
const Details = ({ data }: { data?: unknown }) => (
  <>
    {Object.entries((data ?? {}) as Record<string, unknown>).map(([name, value]) => (
      <Text key={name} size="sm">
        {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
      </Text>
    ))}
  </>
);

const columns = ['time', 'actor_type', 'actor_id', 'action', 'description', 'user_id', 'ip', 'request_id', 'data'];

function ExportPool({ filters }: { filters: Filters<typeof filterSchema> }) {
  return (
    <Export<PoolEntry>
      name={`audit-log-of-${filters.pool || 'admin'}s`}
      columns={columns}
      toRow={({ createdAt, actor, action, userId, ip, requestId, data }) => [
        createdAt,
        actor.type,
        actor.id,
        action,
        actionLabel(action) ?? '',
        userId ?? '',
        ip ?? '',
        requestId ?? '',
        JSON.stringify(data ?? {}),
      ]}
      next={(cursor) => {
        const query = { ...toQuery<typeof filterSchema>(filters), ...(cursor && { cursor }) };
        return call(api.GET('/admin/audit-log/export', { params: { query } }));
      }}
    />
  );
}
