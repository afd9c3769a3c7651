import { Code, Table, Text } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { Ago, Id, Rows, Status } from '@parley/portal-kit/ui';

type Erasure = Schemas['Erasure'];

const requesterLabels = { owner: 'Owner', operator: 'Platform admin', unknown: 'Unknown' };
const figure = (n: number) => n.toLocaleString('en-GB');
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, n) => all + n, 0);

export const Receipts = ({ erasures }: { erasures: readonly Erasure[] }) => (
  <Rows
    label="Erasure receipts"
    columns={[
      'Erased',
      { label: 'Deleted', align: 'right' },
      'Requested by',
      'Data erased',
      'Tenant ID hash',
      'Receipt ID',
    ]}
    minWidth={960}
  >
    {erasures.map((erasure) => (
      <Table.Tr key={erasure.id}>
        <Table.Td miw={140} style={{ whiteSpace: 'nowrap' }}>
          {erasure.erasedAt ? <Ago at={erasure.erasedAt} /> : <Status tone="idle">In progress</Status>}
        </Table.Td>
        <Table.Td style={{ whiteSpace: 'nowrap' }}>
          <Ago at={erasure.deletedAt} />
        </Table.Td>
        <Table.Td>{requesterLabels[erasure.requestedBy]}</Table.Td>
        <Table.Td>
          <Counts counts={erasure.counts} />
        </Table.Td>
        <Table.Td>
          <Code title={erasure.tenantHash}>{erasure.tenantHash.slice(0, 12)}…</Code>
        </Table.Td>
        <Table.Td style={{ whiteSpace: 'nowrap' }}>
          <Id id={erasure.id} />
        </Table.Td>
      </Table.Tr>
    ))}
  </Rows>
);

function Counts({ counts }: { counts: Erasure['counts'] }) {
  const { rows, people, invocations, states, keys } = counts;
  return (
    <>
      <Text size="sm">
        {figure(sum(rows))} rows, {figure(people)} accounts with no other tenant, {figure(invocations)} Restate
        invocations, {figure(states)} Restate state entries, {figure(keys)} Valkey keys
      </Text>
      {Object.keys(rows).length > 0 && (
        <details>
          <summary>Rows by table</summary>
          <Text size="sm" component="ul" my={4} pl="md">
            {Object.entries(rows)
              .toSorted(([, a], [, b]) => b - a)
              .map(([table, n]) => (
                <li key={table}>
                  {table}: {figure(n)}
                </li>
              ))}
          </Text>
        </details>
      )}
    </>
  );
}
