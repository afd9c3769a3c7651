import { SimpleGrid } from '@mantine/core';
import { portalContext, read } from '@parley/portal-kit/context';
import { useLoaderData, type LoaderFunctionArgs } from 'react-router';
import { History } from './parts/history.tsx';
import { PlanForm } from './parts/plan-form.tsx';

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { service } = context.get(portalContext);
  const cursor = new URL(request.url).searchParams.get('cursor');
  const path = { id: params['tenantId'] ?? '' };
  const [held, changes] = await Promise.all([
    service.GET('/admin/tenants/{id}/entitlements', { params: { path } }),
    service.GET('/admin/tenants/{id}/changes', { params: { path, query: { limit: 15, ...(cursor && { cursor }) } } }),
  ]);
  return { tenantId: path.id, held: read(held, request), changes: read(changes, request) };
}

export default function PlanAndLimits() {
  const { tenantId, held, changes } = useLoaderData<typeof loader>();
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
      {/* Anew when somebody else changed it: the fields keep what they were given first. */}
      <PlanForm key={JSON.stringify([held.plan, held.overrides])} tenantId={tenantId} held={held} />
      <History changes={changes.data} nextCursor={changes.nextCursor} />
    </SimpleGrid>
  );
}
