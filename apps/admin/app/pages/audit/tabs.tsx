import { Page, Tabs } from '@parley/portal-kit/ui';
import type { ReactNode } from 'react';

const tabs = [
  { to: '/audit', label: 'Tenants' },
  { to: '/audit/pools', label: 'Operators and sign-ins' },
];

export const AuditPage = ({ children }: { children: ReactNode }) => (
  <Page title="Audit log" about="Who did what, newest first. Nobody can change or remove what stands here.">
    <Tabs label="Audit log" tabs={tabs} />
    {children}
  </Page>
);
