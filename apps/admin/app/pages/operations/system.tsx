import { Code, Divider, Group, Stack, Table, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Ago, Empty, keepLast, Rows, Section, Status, usePolling } from '@parley/portal-kit/ui';
import { Fragment } from 'react';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { Advice } from './advice.tsx';
import {
  clock,
  countVersions,
  inUnits,
  number,
  seconds,
  verdictTexts,
  verdicts,
  type Queue,
  type ComponentHealth,
  type System,
} from './labels.ts';

export const meta = () => [{ title: 'Operations · Parley admin' }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request }: LoaderFunctionArgs) {
  return read(await context.get(portalContext).service.GET('/admin/system'), request);
}
export const clientLoader = keepLast<typeof loader>();

export default function SystemPage() {
  const { verdict, checkedAt, parts, queues, sweeps, processes } = useLoaderData<typeof loader>();
  usePolling(5_000, true);
  return (
    <>
      <Section
        title="Components"
        actions={
          <Group gap="xs">
            <Verdict verdict={verdict} />
            <Text size="sm" c="dimmed">
              Checked at {clock(checkedAt)}, refreshes every 5 s
            </Text>
          </Group>
        }
      >
        <Text role="status">{verdictTexts[verdict]}</Text>
        <RollOut processes={processes} />
        {parts.map((component) => (
          <Fragment key={component.name}>
            <Divider />
            <ComponentRow component={component} />
          </Fragment>
        ))}
      </Section>
      <Section
        title="Queues"
        description="Work that is due but not done. The age of the oldest item shows how far behind a queue is."
      >
        {queues ? <Queues queues={queues} /> : <Text>Couldn’t load in time. Check PostgreSQL above.</Text>}
      </Section>
      <Section title="Sweeper" description="Late or lost work that the sweeper restarted.">
        <Sweeps sweeps={sweeps} />
      </Section>
      <Section
        title="Processes"
        description="Processes seen in the last 30 seconds, with their version and the master keys they have loaded."
      >
        <Processes processes={processes} />
      </Section>
    </>
  );
}

const Verdict = ({ verdict }: { verdict: System['verdict'] }) => (
  <Status tone={verdicts[verdict].tone}>{verdicts[verdict].label}</Status>
);

const ComponentRow = ({ component }: { component: ComponentHealth }) => (
  <Stack gap={6} component="article" aria-label={component.label}>
    <Group justify="space-between" gap="xs">
      <Text fw={600}>{component.label}</Text>
      <Verdict verdict={component.verdict} />
    </Group>
    <Group component="dl" gap="lg" m={0}>
      {component.figures.map((figure) => (
        <div key={figure.label}>
          <Text component="dt" size="xs" c="dimmed">
            {figure.label}
          </Text>
          <Text component="dd" m={0} size="sm">
            {inUnits(figure)}
          </Text>
        </div>
      ))}
    </Group>
    <Advice advice={component.advice} />
  </Stack>
);

const Queues = ({ queues }: { queues: readonly Queue[] }) => (
  <Rows
    label="Queues table"
    columns={[
      'Queue',
      'Status',
      { label: 'Pending', align: 'right' },
      { label: 'Oldest', align: 'right' },
      { label: 'Alert after', align: 'right' },
      'Next step',
    ]}
    minWidth={820}
  >
    {queues.map((queue) => (
      <Table.Tr key={queue.name}>
        <Table.Td>{queue.label}</Table.Td>
        <Table.Td>
          {queue.verdict === 'ok' ? <Status tone="good">On time</Status> : <Status tone="warn">Behind</Status>}
        </Table.Td>
        <Table.Td>{`${number(queue.waiting)}${queue.isMore ? '+' : ''}`}</Table.Td>
        <Table.Td>{queue.oldestSeconds === null ? '–' : seconds(queue.oldestSeconds)}</Table.Td>
        <Table.Td>{seconds(queue.alarmSeconds)}</Table.Td>
        <Table.Td>{queue.advice.length > 0 ? <Advice advice={queue.advice} /> : '–'}</Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

function Sweeps({ sweeps }: Pick<System, 'sweeps'>) {
  if (!sweeps) return <Text>Couldn’t load in time. Check PostgreSQL above.</Text>;
  if (sweeps.length === 0)
    return (
      <Empty title="Nothing recovered in the last 24 hours" drawing="check">
        Restate completed all work on time.
      </Empty>
    );
  return (
    <Rows
      label="Sweeper table"
      columns={[
        'Queue',
        { label: 'Last hour', align: 'right' },
        { label: 'Last 24 hours', align: 'right' },
        { label: 'Last recovered', align: 'right' },
      ]}
      minWidth={480}
    >
      {sweeps.map(({ kind, label, lastHour, lastDay, lastAt }) => (
        <Table.Tr key={kind}>
          <Table.Td>{label}</Table.Td>
          <Table.Td>{number(lastHour)}</Table.Td>
          <Table.Td>{number(lastDay)}</Table.Td>
          <Table.Td>
            <Ago at={lastAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}

function Processes({ processes }: Pick<System, 'processes'>) {
  if (!processes) return <Text>Not available: processes report through Valkey, which isn’t responding.</Text>;
  if (processes.length === 0) return <Text>No processes have reported yet. Check back in 10 seconds.</Text>;
  return (
    <Rows
      label="Running processes"
      columns={[
        'Role',
        'Version',
        'Host',
        { label: 'PID', align: 'right' },
        'Master keys',
        { label: 'Started', align: 'right' },
      ]}
      minWidth={680}
    >
      {processes.map(({ id, role, host, pid, version, masterKeys, startedAt }) => (
        <Table.Tr key={id}>
          <Table.Td>{role === 'api' ? 'API' : 'Worker'}</Table.Td>
          <Table.Td>
            <Code>{version}</Code>
          </Table.Td>
          <Table.Td>{host}</Table.Td>
          <Table.Td>{pid}</Table.Td>
          <Table.Td>
            <Group gap={4}>
              {masterKeys.map((key, n) => (
                <Code key={key}>{n === 0 ? `${key} (current)` : key}</Code>
              ))}
            </Group>
          </Table.Td>
          <Table.Td>
            <Ago at={startedAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}

/** Nothing while all processes run the same version. */
function RollOut({ processes }: Pick<System, 'processes'>) {
  const versions = countVersions(processes ?? []);
  if (versions.length < 2) return null;
  return (
    <Group gap="xs" role="status">
      <Status tone="idle">Roll-out in progress</Status>
      {versions.map(({ version, count }) => (
        <Text key={version} size="sm">
          {count} {count === 1 ? 'process' : 'processes'} on <Code>{version}</Code>
        </Text>
      ))}
    </Group>
  );
}
