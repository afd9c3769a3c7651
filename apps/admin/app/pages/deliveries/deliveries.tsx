import { Page, Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';

/** What does not arrive at tenants' servers. */
export default function Deliveries() {
  return (
    <Page
      title="Deliveries"
      about="Endpoints of tenants that are not well, and what waits or was given up. What is sent is never shown here."
    >
      <Tabs
        label="Deliveries"
        tabs={[
          { to: '/deliveries', label: 'Endpoints' },
          { to: '/deliveries/held', label: 'Held' },
          { to: '/deliveries/exhausted', label: 'Given up' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
