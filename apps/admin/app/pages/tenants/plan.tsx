import { SimpleGrid } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { History } from './parts/history.tsx';
import { PlanForm } from './parts/plan-form.tsx';

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const path = { id: params['tenantId'] ?? '' };
  const [entitlements, changes] = await Promise.all([
    service.GET('/admin/tenants/{id}/entitlements', { params: { path } }),
    service.GET('/admin/tenants/{id}/changes', { params: { path, query: { limit: 15, ...(cursor && { cursor }) } } }),
  ]);
  return { tenantId: path.id, entitlements: read(entitlements, request), changes: read(changes, request) };
}

export default function PlanAndLimits() {
  const { tenantId, entitlements, changes } = useLoaderData<typeof loader>();
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
      {/* Remounts when the entitlements change, because the form copies them into state. */}
      <PlanForm
        key={JSON.stringify([entitlements.plan, entitlements.overrides])}
        tenantId={tenantId}
        current={entitlements}
      />
      <History changes={changes.data} nextCursor={changes.nextCursor} />
    </SimpleGrid>
  );
}
