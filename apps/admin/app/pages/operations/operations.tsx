import { Page, Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';

/** For whoever keeps the platform running. */
export default function Operations() {
  return (
    <Page title="Operations" about="Component health, queues, and what to do when something is wrong.">
      <Tabs
        label="Operations"
        tabs={[
          { to: '/operations', label: 'System' },
          { to: '/operations/invocations', label: 'Invocations' },
          { to: '/operations/jobs', label: 'Jobs' },
          { to: '/operations/rate-limit-usage', label: 'Limits and budgets' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
