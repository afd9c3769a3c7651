import { Anchor, Code, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Copy, Empty, Id, Pager, Rows, Section } from '@parley/portal-kit/ui';
import { Link } from 'react-router';

export type ShownError = Schemas['TenantError'] & { nextStep: string | null };

const kinds: Record<ShownError['kind'], string> = {
  request: 'Request',
  turn: 'Answer of a bot',
  delivery: 'Delivery',
  run: 'Run of an action',
  sync: 'Sync of knowledge',
};
const actors: Record<string, string> = {
  user: 'a member',
  api_key: 'a key',
  operator: 'an operator',
  visitor: 'a visitor',
};

interface Props {
  tenantId: string;
  errors: ShownError[];
  nextCursor: string | null;
}

/** What went wrong of late, with what somebody needs to look further. */
export const Errors = ({ tenantId, errors, nextCursor }: Props) => (
  <Section
    title="Recent errors"
    about="Requests that were refused or failed in the last seven days, and what failed in the background. No message and no address is kept with them."
  >
    {errors.length === 0 ? (
      <Empty title="Nothing went wrong">Nothing of this tenant was refused or failed in the last seven days.</Empty>
    ) : (
      <Rows
        label="Table of errors"
        heads={['What', 'Reason', 'Next step', 'Times', 'Last', 'To look further']}
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

function Row({ error, tenantId }: { error: ShownError; tenantId: string }) {
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
              Open the trace
            </Anchor>
          </div>
        )}
        <div>
          <Copy text={forDeveloper(error)} label="Copy for the developer" />
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

/** All that their developer needs to find it, in a letter's words. */
export function forDeveloper({
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
}: ShownError): string {
  return [
    `${kinds[kind]}: ${what}`,
    `Time: ${at}`,
    `Result: ${[status, reason].filter((part) => part !== null).join(' ')}`,
    ...(count > 1 ? [`Times within the hour: ${count}`] : []),
    ...(requestId ? [`Request id: ${requestId}`] : []),
    ...(traceId ? [`Trace id: ${traceId}`] : []),
    ...(subjectId ? [`Id: ${subjectId}`] : []),
    ...(nextStep ? [`Next step: ${nextStep}`] : []),
  ].join('\n');
}
