import { Page, Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';
import { useLayoutData } from '../../parts/me.ts';

const tabs = [
  { to: '/organisation', label: 'Members' },
  { to: '/organisation/workspaces', label: 'Workspaces' },
  { to: '/organisation/inbox', label: 'Inbox' },
  { to: '/organisation/plan', label: 'Plan and usage' },
  { to: '/organisation/plans', label: 'Plans' },
  { to: '/organisation/audit', label: 'Audit log' },
  { to: '/organisation/settings', label: 'Settings' },
];

export default function Organisation() {
  const { organisation } = useLayoutData();
  return (
    <Page title="Organisation" description={`Members, plan and settings for ${organisation.name}`}>
      <Tabs label="Organisation" tabs={tabs} />
      <Outlet />
    </Page>
  );
}
