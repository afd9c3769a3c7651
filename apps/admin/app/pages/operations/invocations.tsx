import { Alert, Anchor, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, field, keepLast, Pager, Rows, Section, Status, usePolling } from '@parley/portal-kit/ui';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Form, Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { InvocationActions } from './invocation-actions.tsx';
import type { Invocation } from './labels.ts';

export const meta = () => [{ title: 'Invocations · Parley admin' }];
export const ErrorBoundary = ErrorPage;

const states = {
  stuck: 'Paused or failing',
  paused: 'Paused',
  'backing-off': 'Retrying',
  running: 'Running',
  suspended: 'Suspended',
  scheduled: 'Scheduled',
  pending: 'Pending',
  ready: 'Ready',
} as const;
const isState = (value: string | null): value is keyof typeof states => value !== null && value in states;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const [statusParam, service, cursor] = ['status', 'service', 'cursor'].map((name) => searchParams.get(name));
  const status = isState(statusParam ?? null) ? (statusParam as keyof typeof states) : 'stuck';
  const query = { limit: 25, status, ...(service && { service }), ...(cursor && { cursor }) };
  const page = read(await context.get(portalContext).service.GET('/admin/invocations', { params: { query } }), request);
  return { ...page, status, serviceFilter: service ?? '' };
}
export const clientLoader = keepLast<typeof loader>();

export default function Invocations() {
  const { data, nextCursor, problem, status, serviceFilter } = useLoaderData<typeof loader>();
  const [search, setSearch] = useSearchParams();
  usePolling(5_000, !search.has('cursor'));
  const narrow = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    next.delete('cursor');
    if (value) next.set(name, value);
    else next.delete(name);
    setSearch(next);
  };
  return (
    <Section
      title="Invocations"
      description="Restate invocations that haven’t finished, newest first. The work itself is stored in PostgreSQL; each invocation says what happens to it if you stop it."
      actions={
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Status"
            value={status}
            onChange={({ currentTarget: { value } }) => narrow('status', value)}
            data={Object.entries(states).map(([value, label]) => ({ value, label }))}
          />
          <Form
            role="search"
            key={serviceFilter}
            onSubmit={(event) => {
              event.preventDefault();
              narrow('service', field(event.currentTarget, 'service').trim());
            }}
          >
            <TextInput
              name="service"
              size="xs"
              aria-label="Filter by service"
              placeholder="Service"
              pattern="\w{1,60}"
              defaultValue={serviceFilter}
            />
          </Form>
        </Group>
      }
    >
      {problem && (
        <Alert
          color="orange"
          variant="light"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title="Couldn’t load invocations"
        >
          {problem}
        </Alert>
      )}
      {!problem && data.length === 0 && (
        <Empty title={status === 'stuck' ? 'No stuck invocations' : 'No invocations with this status'} drawing="check">
          {status === 'stuck' ? 'No invocations are paused or failing.' : 'Choose another status to see more.'}
        </Empty>
      )}
      {data.length > 0 && (
        <Rows
          label="Invocations table"
          columns={[
            'Invocation',
            'Tenant',
            'Status',
            'Error and next step',
            { label: 'Started', align: 'right' },
            'Actions',
          ]}
          minWidth={1080}
          hasActions
        >
          {data.map((invocation) => (
            <Row key={invocation.id} invocation={invocation} />
          ))}
        </Rows>
      )}
      <Pager nextCursor={nextCursor} />
    </Section>
  );
}

const tones: Record<string, 'bad' | 'warn'> = { paused: 'bad', 'backing-off': 'warn' };

const Row = ({ invocation }: { invocation: Invocation }) => (
  <Table.Tr style={{ verticalAlign: 'top' }}>
    <Table.Td maw={240} style={{ overflowWrap: 'anywhere' }}>
      {invocation.what}
      <Text size="xs" c="dimmed">
        {invocation.service}.{invocation.handler} {invocation.subject}
      </Text>
      <Text size="xs" c="dimmed">
        {invocation.id}
      </Text>
    </Table.Td>
    <Table.Td maw={160} style={{ overflowWrap: 'anywhere' }}>
      {invocation.tenantId ? (
        <Anchor component={Link} to={`/tenants/${invocation.tenantId}/health`} size="sm">
          {invocation.tenantId}
        </Anchor>
      ) : (
        '–'
      )}
    </Table.Td>
    <Table.Td miw={190}>
      <Status tone={tones[invocation.status] ?? 'idle'}>
        {isState(invocation.status) ? states[invocation.status] : invocation.status}
      </Status>
      {invocation.attempts !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          {invocation.attempts === 1 ? '1 attempt' : `${invocation.attempts} attempts`}
        </Text>
      )}
      {invocation.nextAt && (
        <Text size="xs" c="dimmed">
          Next attempt <Ago at={invocation.nextAt} />
        </Text>
      )}
    </Table.Td>
    <Table.Td maw={380}>
      <Stack gap={4}>
        {invocation.failure && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {invocation.failure} {invocation.failureCode && `(${invocation.failureCode})`}
          </Text>
        )}
        <Text size="sm">{invocation.advice}</Text>
      </Stack>
    </Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      <Ago at={invocation.createdAt} />
    </Table.Td>
    <Table.Td>
      <InvocationActions invocation={invocation} />
    </Table.Td>
  </Table.Tr>
);
