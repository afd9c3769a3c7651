import { portalContext, read, signInPath } from '@parley/portal-kit/context';
import { layoutData, Shell } from '@parley/portal-kit/ui';
import { IconBuilding, IconChartBar, IconCode, IconHome, IconMessages, IconRobot } from '@tabler/icons-react';
import { Outlet, redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { Announcements } from '../parts/announcements.tsx';
import { ErrorPage } from '../parts/error-page.tsx';
import { ImpersonationBanner } from '../parts/impersonation-banner.tsx';

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn, site } = context.get(portalContext);
  if (!isSignedIn) throw redirect(signInPath(request));
  const [me, tenant, announcements] = await Promise.all([
    service.GET('/me'),
    service.GET('/tenant'),
    service.GET('/announcements'),
  ]);
  return {
    me: read(me, request),
    organisation: { name: read(tenant, request).tenant.name },
    announcements: announcements.data?.data ?? [], // pages work without them
    site,
  };
}

const data = layoutData<typeof loader>();
export const clientLoader = data.clientLoader;
export const shouldRevalidate = data.shouldRevalidate;

const menuItems = [
  { to: '/', label: 'Home', icon: IconHome },
  { to: '/bots', label: 'Bots', icon: IconRobot },
  { to: '/conversations', label: 'Conversations', icon: IconMessages },
  { to: '/insights', label: 'Insights', icon: IconChartBar },
  { to: '/developers', label: 'Developers', icon: IconCode },
  { to: '/organisation', label: 'Organisation', icon: IconBuilding },
];

export default function AppLayout() {
  const { me, organisation, announcements, site } = useLoaderData<typeof loader>();
  const person = { name: me.name ?? me.email ?? 'You', email: me.email ?? '' };
  return (
    <Shell
      pool="customer"
      title={organisation.name}
      menuItems={menuItems}
      onAction={data.expire}
      person={person}
      version={site.version}
      notice={me.impersonation && <ImpersonationBanner impersonation={me.impersonation} name={person.name} />}
    >
      <Announcements first={announcements} />
      <Outlet />
    </Shell>
  );
}

export const ErrorBoundary = ErrorPage;
