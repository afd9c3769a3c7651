import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { aDeletedTenant, erase, reason, remove, removeAs, restore } from '../../../../test/deleted-tenant.ts';
import { hold } from '../../../../test/faults/hold.ts';
import {
  admin,
  anOperator,
  aTenant,
  eventsOf,
  countLockWaits,
  type Response,
  type TestTenant,
} from '../../../../test/harness.ts';

const refusal = (res: Response) => [res.statusCode, res.json<{ error?: { reason: string } }>().error?.reason];
const done = [200, undefined];
const statusOf = async ({ tenantId }: TestTenant) =>
  (await admin.selectFrom('tenants').select('status').where('tenantId', '=', tenantId).executeTakeFirst())?.status;

/** As if the thirty days were so long: time passes in a moment, also for a row that somebody holds. */
async function keepFor(period: string) {
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

/** A held stream of events stops the first at its last step; the second looks while it stands there, unless a lock makes it wait. */
async function atOnce(tenant: TestTenant, first: () => Promise<Response>, second: () => Promise<Response>) {
  const { replies } = await admin.transaction().execute(async (tx) => {
    await sql`select from directory.event_streams where tenant_id = ${tenant.tenantId} for update`.execute(tx);
    const one = first();
    await expect.poll(countLockWaits).toBe(1);
    const two = second();
    await expect.poll(countLockWaits).toBe(2);
    return { replies: Promise.all([one, two]) }; // wrapped: not to be waited for before the stream is let go
  });
  return (await replies).map((res) => refusal(res));
}

test('two deletions at the same moment are one, told once', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const both = await atOnce(
    tenant,
    () => remove(tenant),
    () => removeAs(operator, tenant.tenantId),
  );
  expect(both).toEqual([done, done]);
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'tenant.deleted')).toHaveLength(1);
});

test('409 tenant_deleted: a suspension at the same moment does not bring the tenant back', async () => {
  const [tenant, operator] = [await aTenant(), await anOperator()];
  const suspend = () => operator.post(`/admin/tenants/${tenant.tenantId}/suspend`, { reason });
  expect(await atOnce(tenant, () => remove(tenant), suspend)).toEqual([done, [409, 'tenant_deleted']]);
  expect(await statusOf(tenant)).toBe('deleted');
});

test('422 name_mismatch: a name that is changed at the same moment is the one that counts', async () => {
  const tenant = await aTenant();
  const rename = () => tenant.patch('/tenant', { name: 'Kept' });
  expect(await atOnce(tenant, rename, () => remove(tenant))).toEqual([done, [422, 'name_mismatch']]);
  expect(await statusOf(tenant)).toBe('active');
});

test('restored in the last moment: whoever comes to erase it finds it living', async () => {
  const { tenantId } = await aDeletedTenant('700 hours');
  const letGo = await hold((tx) =>
    sql`select from directory.event_streams where tenant_id = ${tenantId} for update`.execute(tx),
  );
  const restored = restore(tenantId);
  await expect.poll(countLockWaits).toBe(1);
  await keepFor('699 hours');
  const erased = erase(tenantId).catch((error: Error) => error.message);
  await expect.poll(countLockWaits).toBe(2);
  await letGo();
  expect((await restored).json().tenant.status).toBe('active');
  expect(await erased).toContain('has not been deleted for thirty days');
  expect(await admin.selectFrom('workspaces').select('id').where('tenantId', '=', tenantId).execute()).toHaveLength(1);
});

test('409 restore_window_expired: also when the time ran out while the operator waited', async () => {
  const { tenantId } = await aDeletedTenant('700 hours');
  const letGo = await hold((tx) => sql`select from tenants where tenant_id = ${tenantId} for update`.execute(tx));
  const restored = restore(tenantId);
  await expect.poll(countLockWaits).toBe(1);
  await keepFor('699 hours');
  await letGo();
  expect((await restored).json().error.reason).toBe('restore_window_expired');
});
