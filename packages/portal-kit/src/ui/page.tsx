import { Anchor, Box, Button, Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';

interface PageProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** Page header and content. */
export const Page = ({ title, description, actions, children }: PageProps) => (
  <Stack gap="lg" maw={1280} mx="auto">
    <Group justify="space-between" align="flex-start" gap="sm">
      <Box miw={0}>
        <Title order={1} fz={22}>
          {title}
        </Title>
        {description && (
          <Text component="div" c="dimmed" mt={2} maw={640}>
            {description}
          </Text>
        )}
      </Box>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
    {children}
  </Stack>
);

interface SectionProps {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export const Section = ({ title, description, actions, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" aria-label={title}>
    <Stack gap="sm">
      {(title || actions) && (
        <Group justify="space-between" gap="xs">
          {title && (
            <Title order={2} fz={16}>
              {title}
            </Title>
          )}
          {actions}
        </Group>
      )}
      {description && <Text c="dimmed">{description}</Text>}
      {children}
    </Stack>
  </Paper>
);

interface EmptyProps {
  title: string;
  /** One sentence on what it is and the first step. */
  children: ReactNode;
  action?: ReactNode;
}

export const Empty = ({ title, children, action }: EmptyProps) => (
  <Center py="xl">
    <Stack align="center" gap="xs" maw={460} ta="center">
      <Text fw={600} fz="lg">
        {title}
      </Text>
      <Text c="dimmed">{children}</Text>
      {action}
    </Stack>
  </Center>
);

/** Pagination through the URL, so that a page can be bookmarked and shared. */
export function Pager({ nextCursor }: { nextCursor: string | null }) {
  const [search] = useSearchParams();
  const to = (cursor: string | null) => {
    const next = new URLSearchParams(search);
    if (cursor === null) next.delete('cursor');
    else next.set('cursor', cursor);
    return `?${next.toString()}`;
  };
  const isFirst = !search.has('cursor');
  if (isFirst && nextCursor === null) return null;
  return (
    <Group component="nav" aria-label="Pagination" gap="xs">
      {!isFirst && (
        <Button component={Link} to={to(null)} variant="default" size="xs">
          First page
        </Button>
      )}
      {nextCursor !== null && (
        <Button component={Link} to={to(nextCursor)} variant="default" size="xs">
          Next page
        </Button>
      )}
    </Group>
  );
}

export const TextLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to}>
    {children}
  </Anchor>
);
