import { Box } from '@mantine/core';
import { Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';

const tabs = [
  { to: '/developers', label: 'Quick start' },
  { to: '/developers/keys', label: 'Keys' },
  { to: '/developers/webhooks', label: 'Webhooks' },
  { to: '/developers/events', label: 'Events' },
  { to: '/developers/runs', label: 'Runs' },
];

export default function Developers() {
  return (
    <>
      <Box maw={1_200} mx="auto" mb="md">
        <Tabs label="Developers" tabs={tabs} />
      </Box>
      <Outlet />
    </>
  );
}
