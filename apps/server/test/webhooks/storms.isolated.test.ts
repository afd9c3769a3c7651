import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { emit } from '../../src/platform/events.ts';
import { admin, as, aTenant, inside } from '../harness.ts';
import { aWebhookStack, happen, happened, type CreatedWebhook } from './fixture.ts';
import { drained } from './ledger.ts';
import { isFull } from '../../../../tools/testing/size.ts';

// Hours and days are moved, not waited for: every time in the rows is set back. A full run has the sizes that are promised,
// the sample a part of them.

vi.setConfig({ testTimeout: isFull ? 900_000 : 90_000 });
const { receiver, api } = await aWebhookStack();
const eventually = <T>(look: () => T | Promise<T>, timeout = 20_000) => expect.poll(look, { timeout });

async function aSubscriber(path: string, more: object = {}, tenant?: Awaited<ReturnType<typeof aTenant>>) {
  const owner = tenant ?? (await aTenant());
  const client = as(owner.headers, api.app);
  const url = `${receiver.url}/${path}`;
  const response = await client.post('/webhooks', { url, eventTypes: ['test.*'], ...more });
  expect(response.statusCode, response.body).toBe(201);
  const { webhook, secret } = response.json<CreatedWebhook>();
  receiver.secrets.push(secret);
  const calls = () => receiver.calls.filter((call) => call.path === `/${path}`);
  return { tenant: owner, client, id: webhook.id, calls };
}
const typesOf = (calls: { body: string }[]) => calls.map(({ body }) => (JSON.parse(body) as { type: string }).type);

/** The engine's own timer lies an hour or a day ahead: the sweeper is what finds that it is time. */
async function itIsTime(id: string) {
  await sql`update webhooks set awake_until = '-infinity' where id = ${id}`.execute(admin); // as it would be by then
  await sql`update directory.timers set due_at = now() - interval '10 seconds' where subject_id = ${id}`.execute(admin);
}

const healthOf = async (id: string) => {
  const row = await admin.selectFrom('webhooks').select(['status', 'health']).where('id', '=', id).executeTakeFirst();
  return { status: row?.status, ...(row?.health as { failures: number; goodProbeAt: string | null }) };
};

test('down for five days: told after an hour, a day, three and four, disabled on the fifth; mended, it heals by itself and gets all of it; every notice once', async () => {
  const { tenant, id, calls } = await aSubscriber('five-days');
  const watcher = await aSubscriber('watcher', { eventTypes: ['webhook.*'] }, tenant);
  let isDown = true;
  receiver.answer = ({ path }, response) => response.writeHead(path === '/five-days' && isDown ? 500 : 200).end();
  for (let n = 0; n < 12; n++) await happen(tenant, n);
  await eventually(async () => (await healthOf(id)).status).toBe('broken');

  /** So many hours after it failed first, it is its turn to be asked. */
  const ask = async (hours: number) => {
    const { failures } = await healthOf(id);
    await sql`update webhooks set health = health || jsonb_build_object('probeAt', now(), 'failingSince', now() - make_interval(hours => ${hours}))
      where id = ${id}`.execute(admin);
    await itIsTime(id);
    await eventually(async () => (await healthOf(id)).failures).toBe(failures + 1);
  };
  for (const hours of [2, 3, 25, 26, 73, 74, 97, 98, 99, 100]) await ask(hours);
  expect((await healthOf(id)).status, 'for four days it is only held').toBe('broken');
  await ask(121);
  expect((await healthOf(id)).status).toBe('disabled');

  isDown = false;
  const probeNow = async (and: object = {}) => {
    await sql`update webhooks set health = health || jsonb_build_object('probeAt', now()) || ${JSON.stringify(and)}::jsonb where id = ${id}`.execute(
      admin,
    );
    await itIsTime(id);
  };
  await probeNow();
  await eventually(async () => (await healthOf(id)).goodProbeAt).not.toBeNull();
  expect((await healthOf(id)).status, 'once may be an accident').toBe('disabled');
  await probeNow({ goodProbeAt: new Date(Date.now() - 120_000).toISOString() });
  await eventually(async () => (await healthOf(id)).status).toBe('active');
  await sql`update webhook_queue set next_attempt_at = now() where webhook_id = ${id}`.execute(admin);
  await itIsTime(id);
  await drained(admin, 30_000);
  const taken = calls().filter(({ body }) => body.includes('"test.happened"'));
  expect(new Set(taken.map(({ headers }) => headers['idempotency-key'])).size).toBe(12);

  const { rows } = await sql<{ kind: string }>`
    select data->>'kind' as kind from directory.emails where kind = 'webhook-notice' and recipient = ${tenant.email} order by created_at, id`.execute(
    admin,
  );
  expect(rows.map(({ kind }) => kind)).toEqual([...Array<string>(4).fill('failing'), 'disabled', 'recovered']);
  await eventually(() => typesOf(watcher.calls()).filter((type) => /failing|disabled|recovered/.test(type))).toEqual([
    'webhook.failing',
    'webhook.disabled',
    'webhook.recovered',
  ]);
});

test('its secret is rotated each second at 100 deliveries a second: a receiver that holds the last two refuses nothing', async () => {
  const { tenant, client, id, calls } = await aSubscriber('rotated', { rateLimit: 1_000 });
  receiver.secrets = receiver.secrets.slice(-1);
  receiver.answer = ({ problem }, response) => response.writeHead(problem ? 401 : 200).end();
  const rotations = isFull ? 60 : 5;
  let [sent, isOver] = [0, false];
  const began = Date.now();
  const sending = (async () => {
    for (; !isOver; sent++) {
      await sleep(Math.max(0, began + sent * 10 - Date.now()));
      await happen(tenant, sent);
    }
  })();
  for (let n = 0; n < rotations; n++) {
    await sleep(1_000);
    const rotated = await client.post(`/webhooks/${id}/rotate-secret`, { force: true });
    expect(rotated.statusCode, rotated.body).toBe(200);
    receiver.secrets = [...receiver.secrets, rotated.json<{ secret: string }>().secret].slice(-2);
  }
  isOver = true;
  await sending;
  await drained(admin, 30_000);
  console.log(`webhooks: ${rotations} rotations, ${sent} events, ${calls().length} calls`);
  expect(calls().filter(({ problem }) => problem !== null)).toEqual([]);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(sent);
});

test('paused for an hour at 50 events a second, then resumed: all is delivered, in order within each conversation', async () => {
  const { tenant, client, id, calls } = await aSubscriber('paused', { ordering: 'conversation', rateLimit: 10_000 });
  receiver.answer = undefined;
  receiver.secrets = [];
  await client.post(`/webhooks/${id}/pause`);
  const [events, talks] = isFull ? [180_000, 1_000] : [2_000, 40];
  for (let n = 0; n < events; n += 500)
    await inside(tenant.tenantId, async (ctx) => {
      for (let m = n; m < n + 500; m++) {
        const about = { conversationId: `talk-${m % talks}`, sequence: m };
        await emit(ctx, happened, `subject-${m}`, { object: { n: m } }, about as never);
      }
    });
  await sql`update webhook_queue set next_attempt_at = next_attempt_at - interval '1 hour', created_at = created_at - interval '1 hour'`.execute(
    admin,
  );
  expect(calls()).toEqual([]);
  const began = Date.now();
  await client.post(`/webhooks/${id}/resume`);
  await drained(admin, isFull ? 800_000 : 60_000);
  const ms = Date.now() - began;
  const order = Map.groupBy(
    calls().map(({ body }) => JSON.parse(body) as { id: string; conversationId: string; sequence: number }),
    ({ conversationId }) => conversationId,
  );
  const outOfOrder = [...order.values()].filter((of) =>
    of.some(({ sequence }, n) => sequence < (of[n - 1]?.sequence ?? -1)),
  );
  console.log(
    `webhooks: paused with ${events} events in ${talks} conversations, drained in ${(ms / 1_000).toFixed(1)} s (${Math.round((events * 1_000) / ms)}/s)`,
  );
  expect(outOfOrder).toEqual([]);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(events);
});

test('many endpoints are down for an hour and come back at once: none gets more than its rate, all is drained, and what is new is not late', async () => {
  const tenants = isFull ? 200 : 16;
  const [each, rateLimit] = [5, 10];
  let isDown = true;
  receiver.calls.length = 0;
  receiver.answer = (_call, response) => response.writeHead(isDown ? 500 : 200).end();
  const owners: Awaited<ReturnType<typeof aTenant>>[] = [];
  for (let n = 0; n < tenants; n++) {
    const owner = await aTenant();
    owners.push(owner);
    for (let m = 0; m < each; m++) await aSubscriber(`down-${n}-${m}`, { rateLimit }, owner);
  }
  receiver.secrets = []; // to try a thousand on each call would be all that is measured
  for (const owner of owners) for (let n = 0; n < 10; n++) await happen(owner, n);
  const broken = sql<{
    n: number;
  }>`select count(*)::int as n from webhooks where status = 'broken' and url like '%/down-%'`;
  await eventually(async () => (await broken.execute(admin)).rows[0]?.n, isFull ? 300_000 : 45_000).toBe(
    tenants * each,
  );
  for (const owner of owners) for (let n = 10; n < 20; n++) await happen(owner, n);

  // An hour later. Each is asked again when its turn comes, which is within 15 to 18 minutes; here they come sooner.
  const [back, spread] = [sql`interval '1 hour'`, isFull ? 180 : 5];
  await sql`update webhook_queue set next_attempt_at = least(next_attempt_at, now()) - ${back}, created_at = created_at - ${back}`.execute(
    admin,
  );
  await sql`update webhooks set awake_until = '-infinity', health = health || jsonb_build_object('failingSince', now() - ${back},
    'probeAt', now() + random() * make_interval(secs => ${spread})) where status = 'broken'`.execute(admin);
  isDown = false;
  receiver.calls.length = 0;
  const since = new Date();
  await sql`update directory.timers t set due_at = (w.health->>'probeAt')::timestamptz from webhooks w
    where t.kind = 'webhook' and t.subject_id = w.id`.execute(admin);
  const [seconds, everyMs] = [spread + 5, isFull ? 250 : 100];
  const written = (seconds * 1_000) / everyMs;
  const began = Date.now();
  for (let n = 0; n < written; n++) {
    await sleep(Math.max(0, began + n * everyMs - Date.now()));
    const owner = owners[n % owners.length];
    if (owner) await happen(owner, 100 + n);
  }
  await drained(admin, isFull ? 300_000 : 60_000);
  const tookS = (Date.now() - began) / 1_000;

  const fastest = Math.max(
    ...[...Map.groupBy(receiver.calls, ({ path }) => path).values()].map((calls) =>
      maxWithin(
        calls.map(({ at }) => at),
        1_000,
      ),
    ),
  );
  const { rows } = await sql<{ n: number; p: number[] }>`
    select count(*)::int as n, percentile_disc(array[0.5, 0.95, 1]) within group (order by extract(epoch from (log->0->>'at')::timestamptz - created_at)) as p
    from webhook_deliveries d join (select webhook_id, min(finished_at) as at from webhook_deliveries where finished_at >= ${since} group by 1) back
      using (webhook_id) where d.created_at >= back.at and d.event_type = 'test.happened'`.execute(admin);
  const [p50 = 0, p95 = 0, worst = 0] = (rows[0]?.p ?? []).map(Number);
  console.log(
    `webhooks: ${tenants * each} endpoints came back at once, ${tenants * each * 20} deliveries held, drained in ${tookS.toFixed(1)} s, ` +
      `most in any second to one ${fastest} (rate ${rateLimit}), ${rows[0]?.n} new ones after it was back: p50 ${p50.toFixed(3)} s, p95 ${p95.toFixed(3)} s, worst ${worst.toFixed(3)} s`,
  );
  expect(fastest, 'its rate, and the tenth of a second that may come together').toBeLessThanOrEqual(rateLimit + 2);
  expect(p95).toBeLessThan(2);
  const missing = sql<{
    n: number;
  }>`select count(*)::int as n from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where w.url like '%/down-%' and d.status = 'succeeded' and d.event_type = 'test.happened'`;
  expect((await missing.execute(admin)).rows[0]?.n).toBe(tenants * each * 20 + written * each);
});

/** The most of these moments that lie within so long. */
function maxWithin(times: number[], ms: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let [max, first] = [0, 0];
  for (const [n, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= ms) first++;
    max = Math.max(max, n - first + 1);
  }
  return max;
}
