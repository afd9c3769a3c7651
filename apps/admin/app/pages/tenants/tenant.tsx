import { Alert, Group, Text } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { Id, Page, Status, Tabs, TextLink } from '@parley/portal-kit/ui';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Outlet, useLoaderData, useRouteLoaderData, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from '../../parts/error-page.tsx';
import { actorWord, day, planWord, statuses, type Inspected } from './labels.ts';

export const meta = ({ data }: { data?: Inspected }) => [{ title: `${data?.tenant.name ?? 'Tenant'} · Parley admin` }];
export const ErrorBoundary = ErrorPage;

export async function loader({ context, request, params }: LoaderFunctionArgs): Promise<Inspected> {
  const { service } = context.get(portalContext);
  const path = { id: params['tenantId'] ?? '' };
  return read(await service.GET('/admin/tenants/{id}', { params: { path } }), request);
}

/** The tenant that the pages beneath are about. */
export function useTenant(): Inspected {
  const known = useRouteLoaderData('pages/tenants/tenant') as Inspected | undefined;
  if (!known) throw new Error('only for pages of a tenant');
  return known;
}

export default function TenantLayout() {
  const inspected = useLoaderData<typeof loader>();
  const { tenant } = inspected;
  const at = `/tenants/${tenant.id}`;
  return (
    <Page
      title={tenant.name}
      about={
        <Group component="span" gap="xs">
          <Status tone={statuses[tenant.status].tone}>{statuses[tenant.status].word}</Status>
          <span>{planWord(tenant.plan)}</span>
          <Id id={tenant.id} />
        </Group>
      }
    >
      <Shut {...inspected} />
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

/** Said on every page of it: whoever looks for why something does not work should not have to guess. */
function Shut({ tenant, overview: { state, erasedAfter } }: Inspected) {
  if (tenant.status === 'active') return null;
  const by = state && ` by ${actorWord(state.by)} on ${day(state.since)}`;
  return (
    <Alert
      color={statuses[tenant.status].tone === 'bad' ? 'red' : 'orange'}
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={tenant.status === 'deleted' ? 'This tenant is deleted' : 'This tenant is suspended'}
    >
      <Text>
        {statuses[tenant.status].word}
        {by}. {state?.reason && `Reason: ${state.reason}`}
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
