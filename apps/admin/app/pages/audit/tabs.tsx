import { Page, Tabs } from '@parley/portal-kit/ui';
import type { ReactNode } from 'react';

const tabs = [
  { to: '/audit', label: 'Tenants' },
  { to: '/audit/pools', label: 'Platform admins and sign-ins' },
];

export const AuditPage = ({ children }: { children: ReactNode }) => (
  <Page title="Audit log" description="A record of every change, newest first. Entries can’t be edited or deleted.">
    <Tabs label="Audit log" tabs={tabs} />
    {children}
  </Page>
);
