import {
  ActionIcon,
  Alert,
  Anchor,
  AppShell,
  Box,
  Burger,
  Divider,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout, IconMoon, IconPlugConnectedX, IconSun, IconSunMoon, IconUser } from '@tabler/icons-react';
import { useEffect, type ComponentType, type ReactNode } from 'react';
import { Link, useLocation, useNavigation } from 'react-router';
import { post } from './browser.ts';
import { useIsOffline } from './keep-last.ts';
import { ExpireLayoutData } from './layout-data.ts';
import { Mark } from './mark.tsx';
import { PoolContext, type PoolName } from './account-routes.ts';
import { StepUpProvider } from './step-up.tsx';

export interface MenuItem {
  to: string;
  label: string;
  icon: ComponentType<{ size?: number }>;
}

interface Props {
  pool: PoolName;
  /** The portal's name, next to the logo. */
  title: string;
  menuItems: readonly MenuItem[];
  person: { name: string; email: string };
  version: string;
  /** Called after each action, before the data is reloaded. */
  onAction(): void;
  /** Shown above every page, such as announcements. */
  notice?: ReactNode;
  children: ReactNode;
}

const isAt = (pathname: string, to: string) => (to === '/' ? pathname === '/' : pathname.startsWith(to));

/** The app shell: header, menu and user menu. */
export function Shell({ pool, title, menuItems, person, version, onAction, notice, children }: Props) {
  const { pathname } = useLocation();
  const { state } = useNavigation();
  const isOffline = useIsOffline();
  const [isOpen, { toggle, close }] = useDisclosure();
  useEffect(close, [pathname, close]);
  return (
    <PoolContext value={pool}>
      <ExpireLayoutData value={onAction}>
        <StepUpProvider>
          <a className="skip" href="#content">
            Skip to content
          </a>
          <AppShell
            header={{ height: 52 }}
            navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
            padding="md"
          >
            <AppShell.Header component="header" className="bar" data-pool={pool}>
              <Group h="100%" px="md" justify="space-between" wrap="nowrap">
                <Group gap="xs" wrap="nowrap" miw={0}>
                  <Burger
                    opened={isOpen}
                    onClick={toggle}
                    hiddenFrom="sm"
                    size="sm"
                    color="currentColor"
                    aria-label={isOpen ? 'Close menu' : 'Open menu'}
                  />
                  <Anchor
                    component={Link}
                    to="/"
                    underline="never"
                    c="var(--bar-mark)"
                    aria-label="Parley, home"
                    lh={0}
                  >
                    <Mark />
                  </Anchor>
                  <Text fw={600} truncate>
                    {title}
                  </Text>
                </Group>
                <PersonMenu {...person} />
              </Group>
              <Box
                pos="absolute"
                left={0}
                bottom={-1}
                h={2}
                w={state === 'idle' ? 0 : '100%'}
                bg="var(--mantine-color-anchor)"
                aria-hidden
              />
            </AppShell.Header>
            <AppShell.Navbar p="xs" component="nav" aria-label="Main" className="places" data-open={isOpen}>
              <ScrollArea>
                {menuItems.map(({ to, label, icon: Icon }) => (
                  <NavLink
                    key={to}
                    component={Link}
                    to={to}
                    label={label}
                    leftSection={<Icon size={18} aria-hidden />}
                    active={isAt(pathname, to)}
                    {...(isAt(pathname, to) && { 'aria-current': 'page' })}
                  />
                ))}
              </ScrollArea>
              <Text size="xs" c="dimmed" px="sm" mt="auto">
                Parley {version}
              </Text>
            </AppShell.Navbar>
            <AppShell.Main id="content" component="main" tabIndex={-1}>
              {notice}
              {isOffline && (
                <Alert color="orange" mb="md" role="status" icon={<IconPlugConnectedX size={18} aria-hidden />}>
                  Can’t reach Parley. This page may be out of date. We’ll reconnect automatically.
                </Alert>
              )}
              {children}
            </AppShell.Main>
          </AppShell>
        </StepUpProvider>
      </ExpireLayoutData>
    </PoolContext>
  );
}

function PersonMenu({ name, email }: { name: string; email: string }) {
  const { setColorScheme } = useMantineColorScheme();
  const signOut = () => void post('/api/auth/logout').finally(() => location.assign('/sign-in'));
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`User menu: ${name}`}>
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Box px="sm" py={6}>
          <Text fw={600}>{name}</Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </Box>
        <Divider />
        <Menu.Item component={Link} to="/profile" leftSection={<IconUser size={16} aria-hidden />}>
          Profile
        </Menu.Item>
        <Menu.Item onClick={() => setColorScheme('light')} leftSection={<IconSun size={16} aria-hidden />}>
          Light
        </Menu.Item>
        <Menu.Item onClick={() => setColorScheme('dark')} leftSection={<IconMoon size={16} aria-hidden />}>
          Dark
        </Menu.Item>
        <Menu.Item onClick={() => setColorScheme('auto')} leftSection={<IconSunMoon size={16} aria-hidden />}>
          System
        </Menu.Item>
        <Divider />
        <Menu.Item onClick={signOut} leftSection={<IconLogout size={16} aria-hidden />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
