import { sql } from 'kysely';
import { expect } from 'vitest';
import { eraseRows, finishErasure } from '../src/features/tenants/erasure/tenant-erasure.store.ts';
import type { Id } from '../src/platform/ids.contract.ts';
import { newId } from '../src/platform/ids.ts';
import { admin, anOperator, aTenant, inside, send, type TestTenant } from './harness.ts';

export const reason = 'asked for by email';
export const remove = (who: Pick<TestTenant, 'headers'>, name = 'Test', url = '/tenant') =>
  send('DELETE', url, who.headers, { name });
export const removeAs = (operator: Pick<TestTenant, 'headers'>, tenantId: string) =>
  send('DELETE', `/admin/tenants/${tenantId}`, operator.headers, { reason });
export const restore = async (tenantId: string) =>
  (await anOperator()).post(`/admin/tenants/${tenantId}/restore`, { reason });
/** Erases the tenant's rows, as if there were no data outside the database. Returns whether the erasure is complete. */
export const erase = (tenantId: Id<'tenant'>) =>
  inside(tenantId, async ({ tx }) => {
    const isErased = await eraseRows(tx, newId('erasure'));
    if (isErased) await finishErasure(tx);
    return isErased;
  });

/** Backdates the deletion. Triggers prevent this, except for a superuser. */
export async function age(tenantId: string, interval: string) {
  const at = sql`now() - ${interval}::interval`;
  await admin.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update tenants set deleted_at = ${at} where tenant_id = ${tenantId}`.execute(tx);
    await sql`update directory.timers set due_at = ${at} + interval '720 hours'
      where tenant_id = ${tenantId} and kind = 'tenant-erasure'`.execute(tx);
  });
}

export async function aDeletedTenant(interval = '721 hours') {
  const tenant = await aTenant();
  const response = await remove(tenant);
  expect(response.statusCode, response.body).toBe(200);
  await age(tenant.tenantId, interval);
  return tenant;
}
