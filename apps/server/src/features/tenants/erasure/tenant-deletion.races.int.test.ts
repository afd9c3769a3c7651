import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { aDeletedTenant, erase, reason, remove, removeAs, restore } from '../../../../test/deleted-tenant.ts';
import { holdLock } from '../../../../test/faults/hold-lock.ts';
import {
  admin,
  anOperator,
  aTenant,
  eventsOf,
  countLockWaits,
  type Response,
  type TestTenant,
} from '../../../../test/harness.ts';

const errorOf = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const ok = [200, undefined];
const statusOf = async ({ tenantId }: TestTenant) =>
  (await admin.selectFrom('tenants').select('status').where('tenantId', '=', tenantId).executeTakeFirst())?.status;

/** Changes the 30-day period, so that it can end while a row is locked. */
async function setRetention(period: string) {
  const set = (text: string) =>
    sql
      .raw(
        `create or replace function directory.erased_after(deleted_at timestamptz) returns timestamptz
          language sql stable as $$ select deleted_at + interval '${text}' $$`,
      )
      .execute(admin);
  onTestFinished(async () => void (await set('720 hours')));
  await set(period);
}

/** Locks the event stream, so that the first request stops at its last step. The second runs meanwhile, unless a lock makes it wait. */
async function inParallel(tenant: TestTenant, first: () => Promise<Response>, second: () => Promise<Response>) {
  const { replies } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`.execute(tx);
    const one = first();
    await expect.poll(countLockWaits).toBe(1);
    const two = second();
    await expect.poll(countLockWaits).toBe(2);
    return { replies: Promise.all([one, two]) }; // wrapped in an object, so that it is not awaited before the lock is released
  });
  return (await replies).map((res) => errorOf(res));
}

test('concurrent deletions both return 200 and emit one event', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const both = await inParallel(
    tenant,
    () => remove(tenant),
    () => removeAs(operator, tenant.tenantId),
  );
  expect(both).toEqual([ok, ok]);
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'tenant.deleted')).toHaveLength(1);
});

test('returns 409 tenant_deleted for a concurrent suspension, and the tenant stays deleted', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const suspend = () => operator.post(`/admin/tenants/${tenant.tenantId}/suspend`, { reason });
  expect(await inParallel(tenant, () => remove(tenant), suspend)).toEqual([ok, [409, 'tenant_deleted']]);
  expect(await statusOf(tenant)).toBe('deleted');
});

test('returns 422 name_mismatch when the tenant is renamed concurrently', async () => {
  const tenant = await aTenant();
  const rename = () => tenant.patch('/tenant', { name: 'Kept' });
  expect(await inParallel(tenant, rename, () => remove(tenant))).toEqual([ok, [422, 'name_mismatch']]);
  expect(await statusOf(tenant)).toBe('active');
});

test('does not erase a tenant that is restored at the last moment', async () => {
  const { tenantId } = await aDeletedTenant('700 hours');
  const release = await holdLock((tx) =>
    sql`select from directory.event_streams where tenant_id = ${tenantId} for update`.execute(tx),
  );
  const restored = restore(tenantId);
  await expect.poll(countLockWaits).toBe(1);
  await setRetention('699 hours');
  const erased = erase(tenantId).catch((error: Error) => error.message);
  await expect.poll(countLockWaits).toBe(2);
  await release();
  expect((await restored).json().tenant.status).toBe('active');
  expect(await erased).toContain('has not been deleted for thirty days');
  expect(await admin.selectFrom('workspaces').select('id').where('tenantId', '=', tenantId).execute()).toHaveLength(1);
});

test('returns 409 restore_window_expired when the time runs out while waiting for the lock', async () => {
  const { tenantId } = await aDeletedTenant('700 hours');
  const release = await holdLock((tx) => sql`select from tenants where tenant_id = ${tenantId} for update`.execute(tx));
  const restored = restore(tenantId);
  await expect.poll(countLockWaits).toBe(1);
  await setRetention('699 hours');
  await release();
  expect((await restored).json().error.reason).toBe('restore_window_expired');
});
