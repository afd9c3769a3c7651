import { Anchor, Box, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';

interface PageProps {
  title: string;
  /** The pages above this one, outermost first. */
  breadcrumb?: readonly { to: string; label: string }[];
  /** Next to the title, such as a `Status`. */
  state?: ReactNode;
  description?: ReactNode;
  /** The primary action comes last. */
  actions?: ReactNode;
  /** Uses the whole width, for the inbox and wide tables. */
  isWide?: boolean;
  children: ReactNode;
}

/** Page header and content. */
export const Page = ({ title, breadcrumb, state, description, actions, isWide = false, children }: PageProps) => (
  <Stack gap="lg" mx="auto" {...(!isWide && { maw: 1_200 })}>
    <Group justify="space-between" align="flex-start" gap="sm" component="header">
      <Box miw={0} className="page-head">
        {breadcrumb && <Breadcrumb pages={breadcrumb} />}
        <Group gap="sm">
          {/* A long event type or email address must not widen the page. */}
          <Title order={1} fz={20} lh="28px" miw={0} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {state}
        </Group>
        {description && (
          <Text component="div" c="dimmed" mt={4} maw={640}>
            {description}
          </Text>
        )}
      </Box>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
    {children}
  </Stack>
);

const Breadcrumb = ({ pages }: { pages: readonly { to: string; label: string }[] }) => (
  <Group component="nav" aria-label="Breadcrumb" gap={6} mb={4}>
    {pages.map(({ to, label }) => (
      <Fragment key={to}>
        <Anchor component={Link} to={to} size="sm" c="dimmed" underline="hover">
          {label}
        </Anchor>
        <Text span size="sm" c="dimmed" aria-hidden>
          /
        </Text>
      </Fragment>
    ))}
  </Group>
);

interface SectionProps {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A card. A table in it reaches its edges. */
export const Section = ({ title, description, actions, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" aria-label={title} className="card">
    <Stack gap="sm">
      {(title || actions) && (
        <Group justify="space-between" gap="xs">
          {title && (
            <Title order={2} fz={16} lh="24px">
              {title}
            </Title>
          )}
          {actions}
        </Group>
      )}
      {description && (
        <Text c="dimmed" mt={-8}>
          {description}
        </Text>
      )}
      {children}
    </Stack>
  </Paper>
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

/** The name in a table row, which opens its page. */
export const RowLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to} fw={600} c="inherit" underline="hover">
    {children}
  </Anchor>
);

export const TextLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Anchor component={Link} to={to}>
    {children}
  </Anchor>
);
