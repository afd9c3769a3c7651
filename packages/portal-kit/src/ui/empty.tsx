import { Anchor, Center, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from './drawings.tsx';

interface Props {
  title: string;
  /** One sentence on what it is and the first step. */
  children: ReactNode;
  action?: ReactNode;
  drawing?: DrawingName;
  /** Where to read more. */
  docs?: { href: string; label: string };
}

/** A list without entries: what it is for, and the first step. */
export const Empty = ({ title, children, action, drawing = 'list', docs }: Props) => (
  <Center py={40} px="md">
    <Stack align="center" gap="sm" maw={460} ta="center">
      <Drawing name={drawing} />
      <Stack gap={4} align="center">
        <Text fw={600} fz="lg">
          {title}
        </Text>
        <Text component="div" c="dimmed">
          {children}
        </Text>
      </Stack>
      {action}
      {docs && (
        <Anchor href={docs.href} size="sm">
          {docs.label}
        </Anchor>
      )}
    </Stack>
  </Center>
);
