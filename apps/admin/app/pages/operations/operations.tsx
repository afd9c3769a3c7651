import { Page, Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';

/** For whoever keeps the platform running. */
export default function Operations() {
  return (
    <Page title="Operations" about="How each part does, what waits, and what to do about it.">
      <Tabs
        label="Operations"
        tabs={[
          { to: '/operations', label: 'System' },
          { to: '/operations/invocations', label: 'Invocations' },
          { to: '/operations/jobs', label: 'Jobs' },
          { to: '/operations/pressure', label: 'Limits and budgets' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
