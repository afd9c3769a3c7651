import { Code, Table, Text } from '@mantine/core';
import { Ago, Empty, Id, Pager, Rows, Section, Status } from '@parley/portal-kit/ui';
import { pluralize, type Rotation } from './labels.ts';

interface Props {
  rotations: { data: Rotation[]; nextCursor: string | null };
}

function State({ rotation: { status, failures } }: { rotation: Rotation }) {
  if (status === 'finished')
    return failures > 0 ? <Status tone="warn">Finished</Status> : <Status tone="good">Finished</Status>;
  return <Status tone="idle">{status === 'cancelled' ? 'Cancelled' : 'Running'}</Status>;
}

export const History = ({ rotations: { data, nextCursor } }: Props) => (
  <Section title="Encryption key rotations">
    {data.length === 0 ? (
      <Empty title="No rotations yet" drawing="key">
        A rotation gives every tenant a new data key and re-encrypts every secret.
      </Empty>
    ) : (
      <Rows
        label="Rotations"
        columns={['Started', 'Status', 'Master key', 'Secrets', 'Reason', 'Started by']}
        minWidth={720}
      >
        {data.map((rotation) => (
          <Table.Tr key={rotation.id}>
            <Table.Td style={{ whiteSpace: 'nowrap' }}>
              <Ago at={rotation.startedAt} />
            </Table.Td>
            <Table.Td miw={130}>
              <State rotation={rotation} />
            </Table.Td>
            <Table.Td>
              <Code>{rotation.masterKeyId}</Code>
            </Table.Td>
            <Table.Td>
              {rotation.secrets.done.toLocaleString('en-GB')} of {rotation.secrets.total.toLocaleString('en-GB')}
              {rotation.failures > 0 && (
                <Text size="sm">{pluralize(rotation.failures, 'secret', 'secrets')} couldn’t be decrypted</Text>
              )}
            </Table.Td>
            <Table.Td>{rotation.reason}</Table.Td>
            <Table.Td>
              <Id id={rotation.startedBy} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    )}
    <Pager nextCursor={nextCursor} />
  </Section>
);
