import { Anchor, Group } from '@mantine/core';
import { Link, useLocation } from 'react-router';

interface Props {
  label: string;
  /** The first is the parent path; the others are below it. */
  tabs: { to: string; label: string }[];
}

/** Tabs as links, because each one is a page. */
export function Tabs({ label, tabs }: Props) {
  const { pathname } = useLocation();
  const current = pathname.replace(/\/$/, '');
  const isAt = (to: string, n: number) => current === to || (n > 0 && current.startsWith(`${to}/`));
  return (
    <Group component="nav" aria-label={label} gap={4} style={{ borderBottom: '1px solid var(--line)' }}>
      {tabs.map(({ to, label: name }, n) => {
        const isCurrent = isAt(to, n);
        return (
          <Anchor
            key={to}
            component={Link}
            to={to}
            underline="never"
            px="sm"
            py={6}
            mb={-1}
            fw={isCurrent ? 600 : 400}
            c={isCurrent ? 'var(--mantine-color-text)' : 'dimmed'}
            style={{ borderBottom: `2px solid ${isCurrent ? 'var(--mantine-color-anchor)' : 'transparent'}` }}
            {...(isCurrent && { 'aria-current': 'page' as const })}
          >
            {name}
          </Anchor>
        );
      })}
    </Group>
  );
}
