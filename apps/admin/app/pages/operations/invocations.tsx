import { Alert, Anchor, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, field, keepLast, Pager, Rows, Section, Status, usePolling } from '@parley/portal-kit/ui';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Form, Link, useLoaderData, useSearchParams, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { InvocationActions } from './invocation-actions.tsx';
import type { Invocation } from './words.ts';

export const meta = () => [{ title: 'Invocations · Parley operators' }];
export const ErrorBoundary = ErrorPage;

const states = {
  stuck: 'Paused or failing',
  paused: 'Paused',
  'backing-off': 'Failing, tried again',
  running: 'Running',
  suspended: 'Waiting for an answer',
  scheduled: 'Scheduled',
  pending: 'Behind another',
  ready: 'About to run',
} as const;
const isState = (value: string | null): value is keyof typeof states => value !== null && value in states;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const [wanted, service, cursor] = ['status', 'service', 'cursor'].map((name) => searchParams.get(name));
  const status = isState(wanted ?? null) ? (wanted as keyof typeof states) : 'stuck';
  const query = { limit: 25, status, ...(service && { service }), ...(cursor && { cursor }) };
  const page = read(await context.get(portalContext).service.GET('/admin/invocations', { params: { query } }), request);
  return { ...page, status, wantedService: service ?? '' };
}
export const clientLoader = keepLast<typeof loader>();

export default function Invocations() {
  const { data, nextCursor, problem, status, wantedService } = useLoaderData<typeof loader>();
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
      about="What runs in Restate and has not ended, newest first. The work itself stands in rows: each says what becomes of it when it is ended here."
      actions={
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="State"
            value={status}
            onChange={({ currentTarget: { value } }) => narrow('status', value)}
            data={Object.entries(states).map(([value, label]) => ({ value, label }))}
          />
          <Form
            role="search"
            key={wantedService}
            onSubmit={(event) => {
              event.preventDefault();
              narrow('service', field(event.currentTarget, 'service').trim());
            }}
          >
            <TextInput
              name="service"
              size="xs"
              aria-label="Only of this service"
              placeholder="Service"
              pattern="\w{1,60}"
              defaultValue={wantedService}
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
          title="Nothing could be read"
        >
          {problem}
        </Alert>
      )}
      {!problem && data.length === 0 && (
        <Empty title={status === 'stuck' ? 'Nothing is stuck' : 'Nothing is in this state'}>
          {status === 'stuck'
            ? 'No invocation is paused, and none fails at the moment.'
            : 'Choose another state to see what else runs.'}
        </Empty>
      )}
      {data.length > 0 && (
        <Rows
          label="Table of invocations"
          heads={['What', 'Tenant', 'State', 'Why, and what to do', 'Began', 'Actions']}
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
          {invocation.attempts === 1 ? 'Tried once' : `Tried ${invocation.attempts} times`}
        </Text>
      )}
      {invocation.nextAt && (
        <Text size="xs" c="dimmed">
          Next <Ago at={invocation.nextAt} />
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
