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
        {breadcrumb && <Breadcrumb label="Breadcrumb" pages={breadcrumb} />}
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

interface SubHeaderProps {
  title: string;
  breadcrumb: NonNullable<PageProps['breadcrumb']>;
  state?: ReactNode;
  actions?: ReactNode;
}

/** The header of something below the tabs of a page, such as a source of a bot. */
export const SubHeader = ({ title, breadcrumb, state, actions }: SubHeaderProps) => (
  <Group justify="space-between" align="flex-end" gap="sm">
    <Box miw={0}>
      <Breadcrumb label={`Breadcrumb of ${title}`} pages={breadcrumb} />
      <Group gap="sm">
        <Title order={2} fz={16} lh="24px" miw={0} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {state}
      </Group>
    </Box>
    {actions && <Group gap="xs">{actions}</Group>}
  </Group>
);

interface BreadcrumbProps {
  label: string;
  pages: NonNullable<PageProps['breadcrumb']>;
}

const Breadcrumb = ({ label, pages }: BreadcrumbProps) => (
  <Group component="nav" aria-label={label} gap={6} mb={4}>
    {pages.map(({ to, label: name }) => (
      <Fragment key={to}>
        <Anchor component={Link} to={to} size="sm" c="dimmed" underline="hover">
          {name}
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

interface PagerProps {
  nextCursor: string | null;
  /** The parameter in the URL: `cursor`, or for another list of the same page, a name that ends with `Cursor`. */
  name?: string;
  label?: string;
}

/** Pagination through the URL, so that a page can be bookmarked and shared. */
export function Pager({ nextCursor, name = 'cursor', label = 'Pagination' }: PagerProps) {
  const [search] = useSearchParams();
  const to = (cursor: string | null) => {
    const next = new URLSearchParams(search);
    if (cursor === null) next.delete(name);
    else next.set(name, cursor);
    return `?${next.toString()}`;
  };
  const isFirst = !search.has(name);
  if (isFirst && nextCursor === null) return null;
  return (
    <Group component="nav" aria-label={label} gap="xs">
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
