import { idOf } from '../../../platform/ids.contract.ts';
import type { Platform } from '../../../platform/platform.ts';
import { tenantNames } from '../jobs/jobs.cross-tenant.ts';
import type { BusiestTenants, ListBusiestTenants } from './busiest-tenants.contract.ts';

const maxShown = 50;

export async function listBusiestTenants(
  { services, tenantActivity }: Pick<Platform, 'services' | 'tenantActivity'>,
  { by, hours }: ListBusiestTenants,
): Promise<BusiestTenants> {
  const busiest = await tenantActivity.top(by, hours, maxShown).catch(() => null);
  if (!busiest) return { tenants: null };
  const ids = busiest.map(({ tenantId }) => tenantId);
  const names = new Map((await tenantNames(services.db, ids)).map(({ tenantId, name }) => [tenantId, name]));
  const perUnit = by === 'model_spend' ? 1e6 : 1;
  return {
    tenants: busiest.map(({ tenantId, count }) => ({
      tenantId: idOf('tenant').parse(tenantId),
      tenantName: names.get(tenantId) ?? null,
      value: count / perUnit,
    })),
  };
}
