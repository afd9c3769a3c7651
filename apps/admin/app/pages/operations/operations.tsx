import { Page, Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';

/** Pages for platform operations. */
export default function Operations() {
  return (
    <Page title="Operations" description="Component health, queues, and what to do when something is wrong.">
      <Tabs
        label="Operations"
        tabs={[
          { to: '/operations', label: 'System' },
          { to: '/operations/invocations', label: 'Invocations' },
          { to: '/operations/jobs', label: 'Jobs' },
          { to: '/operations/rate-limit-usage', label: 'Limits and budgets' },
          { to: '/operations/busiest-tenants', label: 'Busiest tenants' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
