import { Anchor, Code, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Copy, Empty, Id, Pager, Rows, Section } from '@parley/portal-kit/ui';
import { Link } from 'react-router';

export type ErrorRow = Schemas['TenantError'] & { nextStep: string | null };

const kinds: Record<ErrorRow['kind'], string> = {
  request: 'Request',
  turn: 'Bot answer',
  delivery: 'Webhook delivery',
  run: 'Action run',
  sync: 'Knowledge sync',
};
const actors: Record<string, string> = {
  user: 'a member',
  api_key: 'an API key',
  operator: 'a platform admin',
  visitor: 'a visitor',
};

interface Props {
  tenantId: string;
  errors: ErrorRow[];
  nextCursor: string | null;
}

/** Recent errors, with the IDs needed to investigate. */
export const Errors = ({ tenantId, errors, nextCursor }: Props) => (
  <Section
    title="Recent errors"
    description="Rejected and failed requests and background failures from the last 7 days. Messages and request URLs aren’t stored."
  >
    {errors.length === 0 ? (
      <Empty title="No errors" drawing="check">
        Nothing failed for this tenant in the last 7 days.
      </Empty>
    ) : (
      <Rows
        label="Recent errors table"
        columns={[
          'Error',
          'Reason',
          'Next step',
          { label: 'Count', align: 'right' },
          { label: 'Last seen', align: 'right' },
          'Debug',
        ]}
        minWidth={1_080}
      >
        {errors.map((error) => (
          <Row key={error.id} error={error} tenantId={tenantId} />
        ))}
      </Rows>
    )}
    <Pager nextCursor={nextCursor} />
  </Section>
);

function Row({ error, tenantId }: { error: ErrorRow; tenantId: string }) {
  const { kind, what, status, reason, nextStep, count, at, requestId, traceUrl, actor, subjectId, webhookId } = error;
  return (
    <Table.Tr>
      <Table.Td>
        {kind === 'delivery' && webhookId && subjectId ? (
          <Anchor component={Link} to={`/deliveries/${tenantId}/${webhookId}/${subjectId}`}>
            {what}
          </Anchor>
        ) : (
          what
        )}
        <Text size="xs" c="dimmed">
          {kinds[kind]}
          {actor && ` by ${actors[actor.type] ?? actor.type}`}
        </Text>
        {actor?.id && <Id id={actor.id} />}
      </Table.Td>
      <Table.Td maw={220}>
        {status !== null && <Code>{status}</Code>} <span style={{ overflowWrap: 'anywhere' }}>{reason}</span>
      </Table.Td>
      <Table.Td maw={300}>{nextStep ?? ''}</Table.Td>
      <Table.Td>{count}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Ago at={at} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {requestId ? <Id id={requestId} /> : subjectId && <Id id={subjectId} />}
        {traceUrl && (
          <div>
            <Anchor href={traceUrl} target="_blank" rel="noreferrer" size="sm">
              View trace
            </Anchor>
          </div>
        )}
        <div>
          <Copy text={describeForDeveloper(error)} label="Copy details" />
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

/** The error as text for an email to the tenant's developer. */
export function describeForDeveloper({
  kind,
  what,
  status,
  reason,
  nextStep,
  at,
  requestId,
  traceId,
  subjectId,
  count,
}: ErrorRow): string {
  return [
    `${kinds[kind]}: ${what}`,
    `Time: ${at}`,
    `Result: ${[status, reason].filter((part) => part !== null).join(' ')}`,
    ...(count > 1 ? [`Count within the hour: ${count}`] : []),
    ...(requestId ? [`Request ID: ${requestId}`] : []),
    ...(traceId ? [`Trace ID: ${traceId}`] : []),
    ...(subjectId ? [`ID: ${subjectId}`] : []),
    ...(nextStep ? [`Next step: ${nextStep}`] : []),
  ].join('\n');
}
