import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** The accessible name of the table and its scroll region. */
  label: string;
  columns: readonly string[];
  minWidth?: number;
  /** The last column has actions and is right-aligned. */
  hasActions?: boolean;
  children: ReactNode;
}

/** A table that scrolls horizontally on narrow screens. */
export const Rows = ({ label, columns, minWidth = 640, hasActions = false, children }: Props) => (
  <section className="wide" tabIndex={0} aria-label={label}>
    <Table miw={minWidth}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((head, n) => (
            <Table.Th key={head} {...(hasActions && n === columns.length - 1 && { ta: 'right' })}>
              {head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </section>
);
