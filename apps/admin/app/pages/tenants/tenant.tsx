import { Alert, Group, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Id, Page, Status, Tabs, TextLink } from '@parley/portal-kit/ui';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Outlet, useLoaderData, useRouteLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { actorLabel, day, planLabel, statuses, type InspectedTenant } from './labels.ts';

export const meta = ({ data }: { data?: InspectedTenant }) => [
  { title: `${data?.tenant.name ?? 'Tenant'} · Parley admin` },
];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs): Promise<InspectedTenant> {
  const { service } = context.get(portalContext);
  const path = { id: params['tenantId'] ?? '' };
  return read(await service.GET('/admin/tenants/{id}', { params: { path } }), request);
}

/** The tenant loaded by the parent route. */
export function useTenant(): InspectedTenant {
  const data: InspectedTenant | undefined = useRouteLoaderData('pages/tenants/tenant');
  if (!data) throw new Error('only for pages of a tenant');
  return data;
}

export default function TenantLayout() {
  const inspected = useLoaderData<typeof loader>();
  const { tenant } = inspected;
  const at = `/tenants/${tenant.id}`;
  return (
    <Page
      title={tenant.name}
      breadcrumb={[{ to: '/tenants', label: 'All tenants' }]}
      state={<Status tone={statuses[tenant.status].tone}>{statuses[tenant.status].label}</Status>}
      description={
        <Group component="span" gap="xs">
          <span>{planLabel(tenant.plan)}</span>
          <Id id={tenant.id} />
        </Group>
      }
    >
      <TenantStatusBanner {...inspected} />
      <Tabs
        label="Tenant"
        tabs={[
          { to: at, label: 'Overview' },
          { to: `${at}/plan`, label: 'Plan and limits' },
          { to: `${at}/health`, label: 'Health' },
          { to: `${at}/usage`, label: 'Usage' },
          { to: `${at}/audit`, label: 'Audit log' },
          { to: `${at}/danger`, label: 'Danger zone' },
        ]}
      />
      <Outlet />
    </Page>
  );
}

/** Shown on all pages of a tenant that is not active. */
function TenantStatusBanner({ tenant, overview: { state, erasedAfter } }: InspectedTenant) {
  if (tenant.status === 'active') return null;
  const actorText = state && ` by ${actorLabel(state.by)} on ${day(state.since)}`;
  return (
    <Alert
      color={statuses[tenant.status].tone === 'bad' ? 'red' : 'orange'}
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={tenant.status === 'deleted' ? 'This tenant is deleted' : 'This tenant is suspended'}
    >
      <Text>
        {statuses[tenant.status].label}
        {actorText}. {state?.reason && `Reason: ${state.reason}`}
      </Text>
      {erasedAfter && (
        <Text>You can restore it until {day(erasedAfter)}. After that, its data is permanently erased.</Text>
      )}
      <TextLink to={`/tenants/${tenant.id}/danger`}>
        {tenant.status === 'deleted' ? 'Restore tenant' : 'Resume tenant'}
      </TextLink>
    </Alert>
  );
}
