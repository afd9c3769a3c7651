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
import { portalContext, read, signInPath } from '@parley/portal-kit/context';
import { isWholeRead, Mark, post, StepUpProvider } from '@parley/portal-kit/ui';
import {
  IconBuilding,
  IconChartBar,
  IconCode,
  IconHome,
  IconLogout,
  IconMessages,
  IconMoon,
  IconPlugConnectedX,
  IconRobot,
  IconSun,
  IconSunMoon,
  IconUser,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import {
  Link,
  Outlet,
  redirect,
  useLoaderData,
  useLocation,
  useNavigation,
  type LoaderFunctionArgs,
} from 'react-router';
import { ErrorPage } from '../parts/error-page.tsx';
import { useIsAway } from '../parts/keep-last.ts';

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn, site } = context.get(portalContext);
  if (!isSignedIn) throw redirect(signInPath(request));
  const [me, tenant] = await Promise.all([service.GET('/me'), service.GET('/tenant')]);
  return { me: read(me, request), organisation: { name: read(tenant, request).tenant.name }, site };
}

const oldMs = 5_000;
let readAt = Date.now();

/**
 * Who somebody is changes seldom: read again after what they do themselves, and at a step to another page when it is
 * older than that, so that a role given or taken meanwhile is seen. Not at each look that a page takes by itself.
 */
export function shouldRevalidate({ currentUrl, nextUrl }: { currentUrl: URL; nextUrl: URL }): boolean {
  const isStep = currentUrl.pathname !== nextUrl.pathname;
  const isWanted = isWholeRead() || (isStep && Date.now() - readAt > oldMs);
  if (isWanted) readAt = Date.now();
  return isWanted;
}

const places = [
  { to: '/', label: 'Home', icon: IconHome },
  { to: '/bots', label: 'Bots', icon: IconRobot },
  { to: '/conversations', label: 'Conversations', icon: IconMessages },
  { to: '/insights', label: 'Insights', icon: IconChartBar },
  { to: '/developers', label: 'Developers', icon: IconCode },
  { to: '/organisation', label: 'Organisation', icon: IconBuilding },
];
const isAt = (pathname: string, to: string) => (to === '/' ? pathname === '/' : pathname.startsWith(to));

export default function AppLayout() {
  const { me, organisation } = useLoaderData<typeof loader>();
  const { pathname } = useLocation();
  const { state } = useNavigation();
  const isAway = useIsAway();
  const [isOpen, { toggle, close }] = useDisclosure();
  useEffect(close, [pathname, close]);
  return (
    <StepUpProvider>
      <a className="skip" href="#content">
        Skip to the page
      </a>
      <AppShell
        header={{ height: 52 }}
        navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding="md"
      >
        <AppShell.Header component="header">
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap" miw={0}>
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
              />
              <Anchor
                component={Link}
                to="/"
                underline="never"
                c="var(--mantine-color-anchor)"
                aria-label="Parley, home"
                lh={0}
              >
                <Mark />
              </Anchor>
              <Text fw={600} truncate>
                {organisation.name}
              </Text>
            </Group>
            <PersonMenu name={me.name ?? me.email ?? 'You'} email={me.email ?? ''} />
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
            {places.map(({ to, label, icon: Icon }) => (
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
        </AppShell.Navbar>
        <AppShell.Main id="content" component="main" tabIndex={-1}>
          {isAway && (
            <Alert color="orange" mb="md" role="status" icon={<IconPlugConnectedX size={18} aria-hidden />}>
              The service cannot be reached. What you see may be old. It goes on by itself.
            </Alert>
          )}
          <Outlet />
        </AppShell.Main>
      </AppShell>
    </StepUpProvider>
  );
}

function PersonMenu({ name, email }: { name: string; email: string }) {
  const { setColorScheme } = useMantineColorScheme();
  const leave = () => void post('/api/auth/logout').finally(() => location.assign('/sign-in'));
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Menu of ${name}`}>
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
          As the system
        </Menu.Item>
        <Divider />
        <Menu.Item onClick={leave} leftSection={<IconLogout size={16} aria-hidden />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export const ErrorBoundary = ErrorPage;
