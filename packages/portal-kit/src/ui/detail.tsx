import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './detail.module.css';

/** A detail page: what happened on the left, the facts on the right. On narrow screens the facts follow. */
export const DetailColumns = ({ facts, children }: { facts: ReactNode; children: ReactNode }) => (
  <div className={styles['columns']}>
    <Stack gap="lg" miw={0}>
      {children}
    </Stack>
    <Stack gap="lg" miw={0} component="aside">
      {facts}
    </Stack>
  </div>
);

/** Label and value pairs, as a list or, with `isGrid`, next to each other. Values that are undefined are left out. */
export function Facts({
  facts,
  isGrid = false,
}: {
  facts: readonly (readonly [label: string, value: ReactNode])[];
  isGrid?: boolean;
}) {
  return (
    <dl className={isGrid ? styles['grid'] : styles['list']}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([label, value]) => (
          <div key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} className={styles['value']}>
              {value}
            </Text>
          </div>
        ))}
    </dl>
  );
}
