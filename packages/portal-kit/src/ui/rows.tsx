import { Group, Paper, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './rows.module.css';
import type { Selection } from './selection.ts';

interface Column {
  label: string;
  /** Numbers are easier to compare when they are right-aligned. */
  align?: 'right';
}

interface Props {
  /** The accessible name of the table and its scroll region. */
  label: string;
  columns: readonly (string | Column)[];
  minWidth?: number;
  /** The last column has actions and is right-aligned. */
  hasActions?: boolean;
  children: ReactNode;
}

/** The widths from which a table fits and its header can stick to the page; see rows.module.css. */
const fittingWidths = [480, 640, 760, 860, 960, 1_100];

/** A table with a header that stays in view. It scrolls horizontally on narrow screens. */
export function Rows({ label, columns, minWidth = 640, hasActions = false, children }: Props) {
  const heads: Column[] = columns.map((head) => (typeof head === 'string' ? { label: head } : head));
  const rightAligned = heads.flatMap(({ align }, n) =>
    align === 'right' || (hasActions && n === heads.length - 1) ? [n + 1] : [],
  );
  const fits = fittingWidths.find((width) => width >= minWidth) ?? 'never';
  return (
    <div className={styles['box']} data-table>
      <section className={styles['scroll']} data-fits={fits} tabIndex={0} aria-label={label}>
        <Table miw={minWidth} data-right={rightAligned.join(' ')} className={styles['table']}>
          <Table.Thead>
            <Table.Tr>
              {heads.map(({ label: head }) => (
                <Table.Th key={head}>{head}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </section>
    </div>
  );
}

/** What can be done with the selected rows. It stays in view while there are some. */
export const BulkBar = ({ selection, children }: { selection: Selection; children: ReactNode }) =>
  selection.count === 0 ? null : (
    <Paper component="section" aria-label="Selected rows" withBorder shadow="md" className={styles['bulk']}>
      <Group justify="space-between" gap="xs">
        <Text role="status">{selection.count} selected</Text>
        <Group gap="xs">{children}</Group>
      </Group>
    </Paper>
  );
