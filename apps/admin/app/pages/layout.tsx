import { portalContext, read, signInPath } from '@parley/portal-kit/context';
import { layoutData, Shell } from '@parley/portal-kit/ui';
import {
  IconBuilding,
  IconEraser,
  IconHeartRateMonitor,
  IconHistory,
  IconKey,
  IconSend,
  IconSpeakerphone,
  IconUsers,
} from '@tabler/icons-react';
import { Outlet, redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../parts/error-page.tsx';
import { commands, search } from '../parts/palette.tsx';
import { hasPermission } from '../parts/rights.ts';
import { useSystemProblems } from '../parts/system-problems.ts';
import { roleLabels } from './users/labels.ts';

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn, site } = context.get(portalContext);
  if (!isSignedIn) throw redirect(signInPath(request));
  return { me: read(await service.GET('/admin/me'), request), site };
}

const data = layoutData<typeof loader>();
export const clientLoader = data.clientLoader;
export const shouldRevalidate = data.shouldRevalidate;

const menuItems = [
  { group: 'Customers', to: '/tenants', label: 'Tenants', icon: IconBuilding },
  { group: 'Customers', to: '/users', label: 'Users', icon: IconUsers },
  { group: 'Customers', to: '/announcements', label: 'Announcements', icon: IconSpeakerphone },
  { group: 'Operate', to: '/operations', label: 'Operations', icon: IconHeartRateMonitor },
  { group: 'Operate', to: '/deliveries', label: 'Deliveries', icon: IconSend },
  { group: 'Secure', to: '/keys', label: 'Keys and secrets', icon: IconKey },
  { group: 'Secure', to: '/audit', label: 'Audit log', icon: IconHistory },
  { group: 'Secure', to: '/erasures', label: 'Erasures', icon: IconEraser },
];

export default function OperatorsLayout() {
  const { me, site } = useLoaderData<typeof loader>();
  const count = useSystemProblems(hasPermission(me, 'platform.system.view'));
  const items = menuItems.map((item) =>
    item.to === '/operations' ? { ...item, count, countLabel: count === 1 ? 'problem' : 'problems' } : item,
  );
  return (
    <Shell
      pool="admin"
      title="Parley admin"
      menuItems={items}
      onAction={data.expire}
      person={{
        name: me.name || me.email,
        email: `${me.email} · ${me.roles.map((role) => roleLabels[role].label).join(', ')}`,
      }}
      version={site.version}
      commands={commands}
      search={search}
      searchLabel="Search pages and tenants"
    >
      <Outlet />
    </Shell>
  );
}

export const ErrorBoundary = ErrorPage;
