import {
  Alert,
  Anchor,
  AppShell,
  Box,
  Burger,
  Group,
  Kbd,
  ScrollArea,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconLogout, IconPlugConnectedX, IconSearch, IconSunMoon } from '@tabler/icons-react';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation, useNavigation } from 'react-router';
import { PoolContext, type PoolName } from '../account-routes.ts';
import { useIsOffline } from '../keep-last.ts';
import { ExpireLayoutData } from '../layout-data.ts';
import { Mark } from '../mark.tsx';
import { PageSkeleton } from '../skeletons.tsx';
import { StepUpProvider } from '../step-up.tsx';
import { Toasts } from '../toast.tsx';
import { CommandPalette } from './command-palette.tsx';
import { MainMenu, type MenuItem } from './menu.tsx';
import type { PaletteItem } from './palette-items.ts';
import { PersonMenu, signOut, type Person } from './person-menu.tsx';
import styles from './shell.module.css';
import type { PaletteSearch } from './use-search.ts';

interface Props {
  pool: PoolName;
  /** The portal's name, next to the logo. */
  title: string;
  menuItems: readonly MenuItem[];
  person: Person;
  version: string;
  /** Called after each action, before the data is reloaded. */
  onAction(): void;
  /** Shown above every page, such as announcements. */
  notice?: ReactNode;
  /** In the header, such as the person's status. */
  tools?: ReactNode;
  /** More pages and actions for the command palette. */
  commands?: readonly PaletteItem[];
  /** Finds what the command palette can open beyond pages and actions. */
  search?: PaletteSearch;
  searchLabel: string;
  children: ReactNode;
}

const placeOf = (pathname: string) => pathname.split('/')[1];

/** The app shell: header, menu, command palette and user menu. */
export function Shell({
  pool,
  title,
  menuItems,
  person,
  version,
  onAction,
  notice,
  tools,
  children,
  ...palette
}: Props) {
  const { pathname } = useLocation();
  const { state, location: next } = useNavigation();
  const isOffline = useIsOffline();
  const [isOpen, { toggle, close }] = useDisclosure();
  useEffect(close, [pathname, close]);
  const isLeaving = state === 'loading' && next !== undefined && placeOf(next.pathname) !== placeOf(pathname);
  return (
    <PoolContext value={pool}>
      <ExpireLayoutData value={onAction}>
        <StepUpProvider>
          <a className="skip" href="#content">
            Skip to content
          </a>
          <AppShell
            header={{ height: 52 }}
            navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
            padding={{ base: 'md', sm: 'lg' }}
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
                <Group gap="sm" wrap="nowrap">
                  <Search menuItems={menuItems} {...palette} />
                  {tools}
                  <PersonMenu {...person} />
                </Group>
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
            <AppShell.Navbar
              p="xs"
              component="nav"
              aria-label="Main"
              className={`places ${styles['nav']}`}
              data-open={isOpen}
            >
              <ScrollArea>
                <MainMenu items={menuItems} />
              </ScrollArea>
              <Text size="xs" c="dimmed" px="sm" mt="auto">
                Parley {version}
              </Text>
            </AppShell.Navbar>
            <AppShell.Main id="content" component="main" tabIndex={-1} className={styles['main']}>
              {notice}
              {isOffline && (
                <Alert color="orange" mb="md" role="status" icon={<IconPlugConnectedX size={18} aria-hidden />}>
                  Can’t reach Parley. This page may be out of date. We’ll reconnect automatically.
                </Alert>
              )}
              {children}
              {isLeaving && (
                <div className={styles['pending']}>
                  <PageSkeleton />
                </div>
              )}
            </AppShell.Main>
          </AppShell>
          <Toasts />
        </StepUpProvider>
      </ExpireLayoutData>
    </PoolContext>
  );
}

type SearchProps = Pick<Props, 'menuItems' | 'commands' | 'search' | 'searchLabel'>;

/** The search button in the header, and the command palette that it and Ctrl+K open. */
function Search({ menuItems, commands = [], search, searchLabel }: SearchProps) {
  const [isOpen, { open, close, toggle }] = useDisclosure();
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  useHotkeys([['mod+K', toggle]], []); // also while typing in a field
  const isDark = colorScheme === 'dark';
  const items: PaletteItem[] = [
    ...menuItems.map(({ to, label, icon: Icon }) => ({
      id: to,
      group: 'Pages',
      label,
      to,
      icon: <Icon size={18} aria-hidden />,
    })),
    ...commands,
    {
      id: 'theme',
      group: 'Actions',
      label: isDark ? 'Use light theme' : 'Use dark theme',
      icon: <IconSunMoon size={18} aria-hidden />,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    { id: 'sign-out', group: 'Actions', label: 'Sign out', icon: <IconLogout size={18} aria-hidden />, run: signOut },
  ];
  return (
    <>
      <UnstyledButton
        className={styles['search']}
        onClick={open}
        aria-label="Search"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <IconSearch size={16} aria-hidden />
        <Box component="span" visibleFrom="sm">
          Search
        </Box>
        <Kbd visibleFrom="sm" size="xs">
          Ctrl K
        </Kbd>
      </UnstyledButton>
      <CommandPalette isOpen={isOpen} onClose={close} items={items} search={search} label={searchLabel} />
    </>
  );
}
