import { Stack } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { DeleteTenant, RestoreTenant } from './parts/delete-tenant.tsx';
import { ResumeTenant, SuspendTenant } from './parts/suspend-tenant.tsx';
import { useTenant } from './tenant.tsx';

/** The effects are counted when the page loads. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const path = { id: params['tenantId'] ?? '' };
  return read(await service.GET('/admin/tenants/{id}/suspension-effects', { params: { path } }), request);
}

export default function DangerZone() {
  const effects = useLoaderData<typeof loader>();
  const { status } = useTenant().tenant;
  return (
    <Stack gap="lg">
      {status === 'active' && <SuspendTenant effects={effects} />}
      {status === 'suspended' && <ResumeTenant />}
      {status === 'deleted' ? <RestoreTenant /> : <DeleteTenant effects={effects} />}
    </Stack>
  );
}
