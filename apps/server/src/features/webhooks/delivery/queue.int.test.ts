import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { admin, aTenant, services, inside } from '../../../../test/harness.ts';
import { happen } from '../../../../test/webhooks/fixture.ts';
import { newId } from '../../../platform/ids.ts';
import { expireHeld } from '../log/deliveries.service.ts';
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

/** An endpoint that nobody delivers to, and so many events that wait for it. */
async function aQueue(events: number, more: object = {}) {
  const tenant = await aTenant();
  const made = await tenant.post('/webhooks', { url: 'https://example.com/hook', eventTypes: ['*'], ...more });
  const { id } = made.json<{ webhook: { id: string } }>().webhook;
  for (let n = 0; n < events; n++) await happen(tenant, n);
  const within = <T>(work: Parameters<typeof inside<T>>[1]) => inside(tenant.tenantId, work);
  const claim = (max = 10) => within(({ tx }) => queue.claim(tx, id, max, false));
  const rows = () => admin.selectFrom('webhookQueue').selectAll().where('webhookId', '=', id).execute();
  const log = () => admin.selectFrom('webhookDeliveries').selectAll().where('webhookId', '=', id).execute();
  return { tenant, id, within, claim, rows, log };
}
const deleteDelivery = (id: string) =>
  sql`update webhook_queue set leased_until = now() - interval '1 second' where webhook_id = ${id}`.execute(admin);

test('what is taken on is not taken on again while its lease runs; afterwards it is, and the log says that we cannot know', async () => {
  const { id, claim, rows } = await aQueue(2);
  expect(await claim()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  expect(await claim()).toEqual([]);
  await deleteDelivery(id);
  expect(await claim()).toMatchObject([{ attempts: 2 }, { attempts: 2 }]);
  expect((await rows())[0]?.log).toMatchObject([{ number: 1, outcome: 'unknown' }]);
});

test('whoever was overtaken finishes nothing, retries nothing and gives nothing back', async () => {
  const { id, claim, rows, log, within } = await aQueue(1);
  const old = await claim();
  await deleteDelivery(id);
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
    await queue.giveBack(tx, old);
  });
  expect(await rows()).toEqual(before);
  expect(await log()).toEqual([]);
  await within(({ tx }) => queue.finish(tx, now ? [{ ...now, status: 'succeeded', attempt }] : []));
  expect([await rows(), await log()]).toMatchObject([[], [{ status: 'succeeded', attempts: 2 }]]);
});

test('what was taken on and not begun is given back as if it had not been', async () => {
  const { claim, rows, within } = await aQueue(1);
  const taken = await claim();
  await within(({ tx }) => queue.giveBack(tx, taken));
  expect(await rows()).toMatchObject([{ attempts: 0, leasedUntil: null, log: [] }]);
  expect(await claim()).toMatchObject([{ attempts: 1 }]);
});

test('when it lies down it sees what has come meanwhile, and when the next is due', async () => {
  const { tenant, id, claim, within } = await aQueue(1);
  const taken = await claim();
  const next = () => within(({ tx }) => queue.nextDue(tx, id));
  expect(await next(), 'one that is on its way is due when nothing is heard of it').toMatchObject({ isNow: false });
  await happen(tenant, 2);
  expect(await next()).toMatchObject({ isNow: true });
  await claim();
  await within(({ tx }) =>
    queue.drop(
      tx,
      taken.map((row) => row.id),
    ),
  );
  expect((await next()).at).not.toBeNull();
});

test('fresh events go first, and what waited longer still gets its part', async () => {
  const { tenant, id, claim } = await aQueue(20);
  await sql`update webhook_queue set next_attempt_at = now() - interval '1 hour' where webhook_id = ${id}`.execute(
    admin,
  );
  for (let n = 0; n < 20; n++) await happen(tenant, 100 + n);
  const taken = await claim(10);
  const fresh = await admin
    .selectFrom('webhookQueue')
    .select('id')
    .where('webhookId', '=', id)
    .where('leasedUntil', 'is not', null)
    .where('nextAttemptAt', '>', sql<Date>`now() - interval '1 minute'`)
    .execute();
  expect([taken.length, fresh.length]).toEqual([10, 8]);
});

test('what was held for more than 30 days is written off, and told of; what is younger stays', async () => {
  const { tenant, id, rows } = await aQueue(3);
  const [old] = await rows();
  const days = sql`interval '31 days'`;
  await sql`update webhook_queue set id = directory.first_id('dlv', now() - ${days}) || right(id, 16), created_at = now() - ${days}
    where id = ${old?.id}`.execute(admin);
  await expireHeld(services);
  expect(await rows()).toHaveLength(2);
  const told = await admin
    .selectFrom('events')
    .select('type')
    .where('tenantId', '=', tenant.tenantId)
    .where('type', '=', 'webhook.exhausted')
    .execute();
  expect(told).toHaveLength(1);
  expect(id).toBeTruthy();
});
