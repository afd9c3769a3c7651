import { Page, Tabs } from '@parley/portal-kit/ui';
import { Outlet } from 'react-router';

/** Webhook deliveries that fail. */
export default function Deliveries() {
  return (
    <Page
      title="Deliveries"
      description="Unhealthy webhook endpoints, and deliveries that are on hold or failed. Payloads are never shown here."
    >
      <Tabs
        label="Deliveries"
        tabs={[
          { to: '/deliveries', label: 'Endpoints' },
          { to: '/deliveries/held', label: 'On hold' },
          { to: '/deliveries/exhausted', label: 'Failed' },
        ]}
      />
      <Outlet />
    </Page>
  );
}
