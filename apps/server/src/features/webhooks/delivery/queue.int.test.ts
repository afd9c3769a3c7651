import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { admin, aTenant, services, inside } from '../../../../test/harness.ts';
import { emitTestEvent } from '../../../../test/webhooks/fixture.ts';
import { newId } from '../../../platform/ids.ts';
import { expireQueued } from '../log/deliveries.service.ts';
import { addWorker } from '../lanes/ownership.store.ts';
import * as queue from './queue.store.ts';
import type { Attempt } from './send.ts';

const attempt: Attempt = {
  id: newId('attempt'),
  number: 1,
  at: new Date().toISOString(),
  outcome: 'succeeded',
  status: 200,
  error: null,
  hint: 'Delivered.',
  timings: null,
  ip: null,
  response: null,
};

/** An endpoint without a worker, with this many queued events. */
async function aQueue(events: number, more: object = {}) {
  const tenant = await aTenant();
  const created = await tenant.post('/webhooks', { url: 'https://example.com/hook', eventTypes: ['*'], ...more });
  const { id } = created.json<{ webhook: { id: string } }>().webhook;
  for (let n = 0; n < events; n++) await emitTestEvent(tenant, n);
  const within = <T>(work: Parameters<typeof inside<T>>[1]) => inside(tenant.tenantId, work);
  const claim = (max = 10, worker = '1') => {
    const one = { tenantId: tenant.tenantId, webhookId: id, max, isOrdered: false, isProbe: false, isNew: false };
    return within(({ tx }) => queue.claim(tx, worker, [one], { eventsSince: '' }));
  };
  const rows = () => admin.selectFrom('webhookQueue').selectAll().where('webhookId', '=', id).execute();
  const log = () => admin.selectFrom('webhookDeliveries').selectAll().where('webhookId', '=', id).execute();
  return { tenant, id, within, claim, rows, log };
}
const workers: string[] = [];
async function aWorker(leaseSeconds: number) {
  const worker = await addWorker(services.db, 64, leaseSeconds);
  workers.push(worker);
  return worker;
}
// Until their leases end, a worker of another test file would leave them their share of the lanes, and no one would deliver.
afterAll(() => sql`delete from directory.webhook_workers where id = any (${workers})`.execute(admin));
const expireLeases = (id: string) =>
  sql`update webhook_queue set leased_until = now() - interval '1 second' where webhook_id = ${id}`.execute(admin);

test('does not claim a delivery again before its lease expires, then logs the first attempt as unknown', async () => {
  const { id, claim, rows } = await aQueue(2);
  expect(await claim()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  expect(await claim()).toEqual([]);
  await expireLeases(id);
  expect(await claim()).toMatchObject([{ attempts: 2 }, { attempts: 2 }]);
  expect((await rows())[0]?.log).toMatchObject([{ number: 1, outcome: 'unknown' }]);
});

test('ignores results and releases of an attempt whose lease has expired', async () => {
  const { id, claim, rows, log, within } = await aQueue(1);
  const old = await claim();
  await expireLeases(id);
  const [now] = await claim();
  const before = await rows();
  await within(async ({ tx }) => {
    await queue.finish(
      tx,
      old.map((row) => ({ ...row, status: 'succeeded' as const, attempt })),
    );
    await queue.retryLater(
      tx,
      old.map((row) => ({ ...row, retryCount: 9, nextAttemptAt: new Date(), attempt })),
    );
    await queue.release(tx, old);
  });
  expect(await rows()).toEqual(before);
  expect(await log()).toEqual([]);
  await within(({ tx }) => queue.finish(tx, now ? [{ ...now, status: 'succeeded', attempt }] : []));
  expect([await rows(), await log()]).toMatchObject([[], [{ status: 'succeeded', attempts: 2 }]]);
});

test('a released delivery can be claimed again and does not count the attempt', async () => {
  const { claim, rows, within } = await aQueue(1);
  const claimed = await claim();
  await within(({ tx }) => queue.release(tx, claimed));
  expect(await rows()).toMatchObject([{ attempts: 0, leasedUntil: null, log: [] }]);
  expect(await claim()).toMatchObject([{ attempts: 1 }]);
});

test('reports when the next delivery is due, which for one of another worker is when its lease expires', async () => {
  const { tenant, id, claim, within } = await aQueue(1);
  const claimed = await claim();
  const next = async (worker: string) =>
    (await within(({ tx }) => queue.nextDue(tx, worker, [{ webhookId: id, isOrdered: false }]))).get(id)?.getTime();
  expect(await next('1'), 'its own is in flight').toBeUndefined();
  expect(await next('2')).toBeGreaterThan(Date.now() + 10_000);
  await emitTestEvent(tenant, 2);
  expect(await next('2')).toBeLessThanOrEqual(Date.now());
  await claim();
  await within(({ tx }) =>
    queue.drop(
      tx,
      claimed.map((row) => row.id),
    ),
  );
  expect(await next('2')).toBeGreaterThan(Date.now() + 10_000);
});

test('claims what a worker that is gone had claimed at once, and what a running one has only after its lease', async () => {
  const { claim, rows } = await aQueue(1);
  const [gone, running] = [await aWorker(0.001), await aWorker(30)];
  const next = await aWorker(30);
  expect(await claim(10, running)).toHaveLength(1);
  expect(await claim(10, next)).toEqual([]);
  const [row] = await rows();
  await sql`update webhook_queue set claimed_by = ${gone} where id = ${row?.id}`.execute(admin);
  expect(await claim(10, next)).toMatchObject([{ attempts: 2 }]);
  expect((await rows())[0]?.log).toMatchObject([{ number: 1, outcome: 'unknown' }]);
});

test('claims new events first and leaves a share to the backlog', async () => {
  const { tenant, id, claim } = await aQueue(20);
  await sql`update webhook_queue set next_attempt_at = now() - interval '1 hour' where webhook_id = ${id}`.execute(
    admin,
  );
  for (let n = 0; n < 20; n++) await emitTestEvent(tenant, 100 + n);
  const claimed = await claim(10);
  const fresh = await admin
    .selectFrom('webhookQueue')
    .select('id')
    .where('webhookId', '=', id)
    .where('leasedUntil', 'is not', null)
    .where('nextAttemptAt', '>', sql<Date>`now() - interval '1 minute'`)
    .execute();
  expect([claimed.length, fresh.length]).toEqual([10, 8]);
});

test('expires deliveries that were queued for more than 30 days, and publishes webhook.exhausted', async () => {
  const { tenant, id, rows } = await aQueue(3);
  const [old] = await rows();
  const days = sql`interval '31 days'`;
  await sql`update webhook_queue set id = directory.first_id('dlv', now() - ${days}) || right(id, 16), created_at = now() - ${days}
    where id = ${old?.id}`.execute(admin);
  await expireQueued(services);
  expect(await rows()).toHaveLength(2);
  const published = await admin
    .selectFrom('events')
    .select('type')
    .where('tenantId', '=', tenant.tenantId)
    .where('type', '=', 'webhook.exhausted')
    .execute();
  expect(published).toHaveLength(1);
  expect(id).toBeTruthy();
});
