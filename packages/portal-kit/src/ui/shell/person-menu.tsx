import { Box, Divider, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconMoon, IconSun, IconSunMoon, IconUser } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Avatar } from '../avatar.tsx';
import { post } from '../browser.ts';

export interface Person {
  /** For the colour of the avatar. The email by default. */
  id?: string;
  name: string;
  email: string;
}

export const signOut = () => void post('/api/auth/logout').finally(() => location.assign('/sign-in'));

/** The signed-in person: profile, theme, sign-out. */
export function PersonMenu({ id, name, email }: Person) {
  const { setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <UnstyledButton aria-label={`User menu: ${name}`} lh={0}>
          <Avatar name={name} id={id ?? email} size={32} />
        </UnstyledButton>
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
