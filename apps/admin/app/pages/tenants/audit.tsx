import { Code, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, Id, Pager, Rows, Section } from '@parley/portal-kit/ui';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { FilterForm } from '../audit/filter-form.tsx';
import { filtersIn, toQuery } from '../audit/filters.ts';
import { tenantActions, actionLabel } from '../audit/labels.ts';
import { actorLabel } from './labels.ts';

const filterSchema = { action: 'text', actorId: 'text', subjectId: 'text', since: 'day', until: 'day' } as const;

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const filters = filtersIn(request.url, filterSchema);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const path = { id: params['tenantId'] ?? '' };
  const query = { limit: 25, ...toQuery<typeof filterSchema>(filters), ...(cursor && { cursor }) };
  return {
    filters,
    entries: read(await service.GET('/admin/tenants/{id}/audit-log', { params: { path, query } }), request),
  };
}

export default function TenantAudit() {
  const { filters, entries } = useLoaderData<typeof loader>();
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <Section
      title="Audit log"
      description="Changes in this tenant, newest first. Entry details are visible only to the tenant."
    >
      <FilterForm filters={filters}>
        <Select
          name="action"
          label="Action"
          data={tenantActions}
          defaultValue={filters.action || null}
          placeholder="Any"
          searchable
          clearable
        />
        <TextInput name="actorId" label="Actor" placeholder="usr_…" defaultValue={filters.actorId} maxLength={80} />
        <TextInput
          name="subjectId"
          label="Target"
          placeholder="bot_…"
          defaultValue={filters.subjectId}
          maxLength={80}
        />
        <TextInput name="since" type="date" label="From (UTC)" defaultValue={filters.since} />
        <TextInput name="until" type="date" label="To (UTC)" defaultValue={filters.until} />
      </FilterForm>
      {entries.data.length === 0 ? (
        <Empty title={isFiltered ? 'No matching entries' : 'No activity yet'} drawing="list">
          {isFiltered
            ? 'Remove a filter or choose a longer date range.'
            : 'Changes by members, API keys and platform admins appear here.'}
        </Empty>
      ) : (
        <Rows label="Audit log entries" columns={['Time', 'Actor', 'Action', 'Target', 'Request ID']} minWidth={860}>
          {entries.data.map(({ id, createdAt, actor, action, subjectId, requestId }) => (
            <Table.Tr key={id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Ago at={createdAt} />
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Group gap={4}>
                  {actorLabel(actor)}
                  {actor.email === null && actor.type !== 'system' && <Id id={actor.id} />}
                </Group>
              </Table.Td>
              <Table.Td>
                <Text>{actionLabel(action)}</Text>
                <Code>{action}</Code>
              </Table.Td>
              <Table.Td>
                <Id id={subjectId} />
              </Table.Td>
              <Table.Td>{requestId ? <Id id={requestId} /> : '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <Pager nextCursor={entries.nextCursor} />
    </Section>
  );
}
