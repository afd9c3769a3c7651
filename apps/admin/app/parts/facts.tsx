import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Label and value pairs. */
export const Facts = ({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) => (
  <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} m={0} spacing="sm">
    {facts.map(([label, value]) => (
      <div key={label}>
        <Text component="dt" size="xs" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
      </div>
    ))}
  </SimpleGrid>
);
