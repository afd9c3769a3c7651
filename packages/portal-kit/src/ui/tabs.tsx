import { Anchor, Group } from '@mantine/core';
import { Link, useLocation } from 'react-router';

interface Props {
  label: string;
  /** The first is the place itself; the others are beneath it. */
  tabs: { to: string; label: string }[];
}

/** Places beside each other. Links, not tabs to a screen reader: each is a page of its own. */
export function Tabs({ label, tabs }: Props) {
  const { pathname } = useLocation();
  const here = pathname.replace(/\/$/, '');
  const isAt = (to: string, n: number) => here === to || (n > 0 && here.startsWith(`${to}/`));
  return (
    <Group
      component="nav"
      aria-label={label}
      gap={4}
      style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
    >
      {tabs.map(({ to, label: name }, n) => {
        const isHere = isAt(to, n);
        return (
          <Anchor
            key={to}
            component={Link}
            to={to}
            underline="never"
            px="sm"
            py={6}
            mb={-1}
            fw={isHere ? 600 : 400}
            c={isHere ? 'var(--mantine-color-anchor)' : 'var(--mantine-color-text)'}
            style={{ borderBottom: `2px solid ${isHere ? 'currentColor' : 'transparent'}` }}
            {...(isHere && { 'aria-current': 'page' as const })}
          >
            {name}
          </Anchor>
        );
      })}
    </Group>
  );
}
