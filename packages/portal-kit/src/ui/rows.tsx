import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** What the table is of: also how whoever scrolls it by keyboard hears of it. */
  label: string;
  heads: readonly string[];
  minWidth?: number;
  /** The last column holds what can be done, and stands at the end of its row. */
  hasActions?: boolean;
  children: ReactNode;
}

/** A table that scrolls by itself where the screen is narrow; the page never does. */
export const Rows = ({ label, heads, minWidth = 640, hasActions = false, children }: Props) => (
  <div className="wide" tabIndex={0} role="region" aria-label={label}>
    <Table miw={minWidth}>
      <Table.Thead>
        <Table.Tr>
          {heads.map((head, n) => (
            <Table.Th key={head} {...(hasActions && n === heads.length - 1 && { ta: 'right' })}>
              {head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </div>
);
