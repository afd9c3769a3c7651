import { portalContext, read, signInPath } from '@parley/portal-kit/context';
import { layoutData, Shell } from '@parley/portal-kit/ui';
import {
  IconAddressBook,
  IconBuilding,
  IconChartBar,
  IconCode,
  IconHome,
  IconInbox,
  IconRobot,
} from '@tabler/icons-react';
import { Outlet, redirect, useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { Announcements } from '../parts/announcements.tsx';
import { ErrorPage } from '../parts/error-page.tsx';
import { useFailingEndpoints } from '../parts/failing-endpoints.ts';
import { ImpersonationBanner } from '../parts/impersonation-banner.tsx';
import { InboxProvider, useInbox } from '../parts/inbox/inbox.tsx';
import { PresenceToggle } from '../parts/presence.tsx';
import { hasPermission } from '../parts/rights.ts';
import { commands, search } from '../parts/palette.tsx';

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { service, isSignedIn, site } = context.get(portalContext);
  if (!isSignedIn) throw redirect(signInPath(request));
  const [me, tenant] = await Promise.all([service.GET('/me'), service.GET('/tenant')]);
  return {
    me: read(me, request),
    organisation: { name: read(tenant, request).tenant.name },
    site,
  };
}

const data = layoutData<typeof loader>();
export const clientLoader = data.clientLoader;
export const shouldRevalidate = data.shouldRevalidate;

const menuItems = [
  { group: 'Work', to: '/', label: 'Home', icon: IconHome },
  { group: 'Work', to: '/conversations', label: 'Inbox', icon: IconInbox },
  { group: 'Work', to: '/contacts', label: 'Contacts', icon: IconAddressBook },
  { group: 'Work', to: '/insights', label: 'Insights', icon: IconChartBar },
  { group: 'Build', to: '/bots', label: 'Bots', icon: IconRobot },
  { group: 'Connect', to: '/developers', label: 'Developers', icon: IconCode },
  { group: 'Manage', to: '/organisation', label: 'Organisation', icon: IconBuilding },
];

export default function AppLayout() {
  const { me } = useLoaderData<typeof loader>();
  return (
    <InboxProvider isAllowed={hasPermission(me, 'conversation.reply')}>
      <AppShell />
    </InboxProvider>
  );
}

function AppShell() {
  const { me, organisation, site } = useLoaderData<typeof loader>();
  const { counts } = useInbox();
  const failing = useFailingEndpoints(hasPermission(me, 'webhook.view'));
  const countsByPage: Record<string, { count: number; countLabel: string }> = {
    '/conversations': { count: counts ? counts.unassigned + counts.mineWaiting : 0, countLabel: 'waiting' },
    '/developers': { count: failing, countLabel: failing === 1 ? 'failing endpoint' : 'failing endpoints' },
  };
  const items = menuItems.map((item) => ({ ...item, ...countsByPage[item.to] }));
  const person = { id: me.actor.id, name: me.name ?? me.email ?? 'You', email: me.email ?? '' };
  return (
    <Shell
      pool="customer"
      title={organisation.name}
      menuItems={items}
      onAction={data.expire}
      person={person}
      commands={commands}
      search={search}
      searchLabel="Search pages, bots, contacts and conversations"
      version={site.version}
      tools={<PresenceToggle />}
      notice={me.impersonation && <ImpersonationBanner impersonation={me.impersonation} name={person.name} />}
    >
      <Announcements />
      <Outlet />
    </Shell>
  );
}

export const ErrorBoundary = ErrorPage;
