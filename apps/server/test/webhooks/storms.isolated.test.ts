import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { emit } from '../../src/platform/events.ts';
import { admin, as, aTenant, inside } from '../harness.ts';
import {
  aWebhookStack,
  emitTestEvent,
  patchHealth,
  rereadAll,
  rereadEndpoint,
  testEvent,
  type CreatedWebhook,
} from './fixture.ts';
import { waitForEmptyQueue } from './ledger.ts';
import { isFull } from '../../../../tools/testing/size.ts';

// Time is simulated by setting back timestamps in the database. A full run has the documented sizes, the sample a part of them.

vi.setConfig({ testTimeout: isFull ? 900_000 : 240_000 });
const { receiver, api } = await aWebhookStack();
const eventually = <T>(check: () => T | Promise<T>, timeout = 20_000) => expect.poll(check, { timeout });

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

const healthOf = async (id: string) => {
  const row = await admin
    .selectFrom('webhooks')
    .leftJoin('webhookHealth as h', 'h.webhookId', 'webhooks.id')
    .select(['status', 'h.health'])
    .where('id', '=', id)
    .executeTakeFirst();
  return { status: row?.status, ...(row?.health as { failures: number; goodProbeAt: string | null }) };
};

test('an endpoint that is down for five days: sends each notice once, is disabled on the fifth day, recovers by itself and gets all events', async () => {
  const { tenant, id, calls } = await aSubscriber('five-days');
  const watcher = await aSubscriber('watcher', { eventTypes: ['webhook.*'] }, tenant);
  let isDown = true;
  receiver.respond = ({ path }, response) => response.writeHead(path === '/five-days' && isDown ? 500 : 200).end();
  for (let n = 0; n < 12; n++) await emitTestEvent(tenant, n);
  await eventually(async () => (await healthOf(id)).status).toBe('broken');

  const inFlight = async () =>
    (
      await admin
        .selectFrom('webhookQueue')
        .select('id')
        .where('webhookId', '=', id)
        .where('leasedUntil', 'is not', null)
        .execute()
    ).length;
  /** Simulates a failing probe this many hours after the first failure. */
  const failAfter = async (hours: number) => {
    await eventually(inFlight).toBe(0); // otherwise their results are counted as well
    const { failures } = await healthOf(id);
    await patchHealth(
      sql`id = ${id}`,
      sql`jsonb_build_object('probeAt', now(), 'failingSince', now() - make_interval(hours => ${hours}))`,
    );
    rereadEndpoint(tenant.tenantId, id);
    await eventually(async () => (await healthOf(id)).failures).toBe(failures + 1);
  };
  for (const hours of [2, 3, 25, 26, 73, 74, 97, 98, 99, 100]) await failAfter(hours);
  expect((await healthOf(id)).status, 'not disabled before the fifth day').toBe('broken');
  await failAfter(121);
  expect((await healthOf(id)).status).toBe('disabled');

  isDown = false;
  const makeProbeDue = async (changes: object = {}) => {
    await patchHealth(sql`id = ${id}`, sql`jsonb_build_object('probeAt', now()) || ${JSON.stringify(changes)}::jsonb`);
    rereadEndpoint(tenant.tenantId, id);
  };
  await makeProbeDue();
  await eventually(async () => (await healthOf(id)).goodProbeAt).not.toBeNull();
  expect((await healthOf(id)).status, 'one success is not enough').toBe('disabled');
  await makeProbeDue({ goodProbeAt: new Date(Date.now() - 120_000).toISOString() });
  await eventually(async () => (await healthOf(id)).status).toBe('active');
  await sql`update webhook_queue set next_attempt_at = now() where webhook_id = ${id}`.execute(admin);
  rereadEndpoint(tenant.tenantId, id);
  await waitForEmptyQueue(admin, 30_000);
  const delivered = calls().filter(({ body }) => body.includes('"test.happened"'));
  expect(new Set(delivered.map(({ headers }) => headers['idempotency-key'])).size).toBe(12);

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

test('a receiver with the last two secrets accepts everything while the secret is rotated each second', async () => {
  const { tenant, client, id, calls } = await aSubscriber('rotated', { rateLimit: 1_000 });
  receiver.secrets = receiver.secrets.slice(-1);
  receiver.respond = ({ problem }, response) => response.writeHead(problem ? 401 : 200).end();
  const [rotations, everyMs] = isFull ? [60, 10] : [3, 50];
  let [sent, isOver] = [0, false];
  const startedAt = Date.now();
  const sending = (async () => {
    for (; !isOver; sent++) {
      await sleep(Math.max(0, startedAt + sent * everyMs - Date.now()));
      await emitTestEvent(tenant, sent);
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
  await waitForEmptyQueue(admin, 30_000);
  console.log(`webhooks: ${rotations} rotations, ${sent} events, ${calls().length} calls`);
  expect(calls().filter(({ problem }) => problem !== null)).toEqual([]);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(sent);
});

test('delivers the backlog of an hour in order within each conversation after a pause', async () => {
  const { tenant, client, id, calls } = await aSubscriber('paused', { ordering: 'conversation', rateLimit: 10_000 });
  receiver.respond = undefined;
  receiver.secrets = [];
  await client.post(`/webhooks/${id}/pause`);
  const [events, conversations] = isFull ? [180_000, 1_000] : [500, 20];
  for (let n = 0; n < events; n += 500)
    await inside(tenant.tenantId, async (ctx) => {
      for (let m = n; m < n + 500; m++) {
        const options = { conversationId: `conversation-${m % conversations}`, sequence: m };
        await emit(ctx, testEvent, `subject-${m}`, { object: { n: m } }, options as never);
      }
    });
  await sql`update webhook_queue set next_attempt_at = next_attempt_at - interval '1 hour', created_at = created_at - interval '1 hour'`.execute(
    admin,
  );
  expect(calls()).toEqual([]);
  const startedAt = Date.now();
  await client.post(`/webhooks/${id}/resume`);
  await waitForEmptyQueue(admin, isFull ? 800_000 : 60_000);
  const ms = Date.now() - startedAt;
  const order = Map.groupBy(
    calls().map(({ body }) => JSON.parse(body) as { id: string; conversationId: string; sequence: number }),
    ({ conversationId }) => conversationId,
  );
  const outOfOrder = [...order.values()].filter((calls) =>
    calls.some(({ sequence }, n) => sequence < (calls[n - 1]?.sequence ?? -1)),
  );
  console.log(
    `webhooks: paused with ${events} events in ${conversations} conversations, drained in ${(ms / 1_000).toFixed(1)} s (${Math.round((events * 1_000) / ms)}/s)`,
  );
  expect(outOfOrder).toEqual([]);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(events);
});

test('delivers the backlog of many endpoints that recover together, within their rate limits and without delaying new events', async () => {
  const tenants = isFull ? 200 : 4;
  const [each, rateLimit] = [isFull ? 5 : 3, 10];
  let isDown = true;
  receiver.calls.length = 0;
  receiver.respond = ({ path }, response) => response.writeHead(isDown && path.startsWith('/down-') ? 500 : 200).end();
  const owners: Awaited<ReturnType<typeof aTenant>>[] = [];
  for (let n = 0; n < tenants; n++) {
    const owner = await aTenant();
    owners.push(owner);
    for (let m = 0; m < each; m++) await aSubscriber(`down-${n}-${m}`, { rateLimit }, owner);
  }
  /** Endpoints that are never down, woken in turn too: how long a delivery takes at the same time on the same machine. */
  const steady: Awaited<ReturnType<typeof aSubscriber>>[] = [];
  for (let n = 0; n < tenants / 4; n++) steady.push(await aSubscriber(`steady-${n}`, { rateLimit }));
  receiver.secrets = []; // verifying against a thousand secrets would dominate the measurement
  for (const owner of owners) for (let n = 0; n < 10; n++) await emitTestEvent(owner, n);
  const broken = sql<{
    n: number;
  }>`select count(*)::int as n from webhooks where status = 'broken' and url like '%/down-%'`;
  await eventually(async () => (await broken.execute(admin)).rows[0]?.n, isFull ? 300_000 : 45_000).toBe(
    tenants * each,
  );
  for (const owner of owners) for (let n = 10; n < 20; n++) await emitTestEvent(owner, n);

  // An hour later. Probes are normally spread over 15 to 18 minutes; here they come sooner.
  const [hour, spread] = [sql`interval '1 hour'`, isFull ? 180 : 5];
  await sql`update webhook_queue set next_attempt_at = least(next_attempt_at, now()) - ${hour}, created_at = created_at - ${hour}`.execute(
    admin,
  );
  await patchHealth(
    sql`status = 'broken'`,
    sql`jsonb_build_object('failingSince', now() - ${hour}, 'probeAt', now() + random() * make_interval(secs => ${spread}))`,
  );
  isDown = false;
  receiver.calls.length = 0;
  const since = new Date();
  await rereadAll();
  const [seconds, everyMs] = [spread + 5, isFull ? 50 : 250];
  const written = (seconds * 1_000) / everyMs;
  const startedAt = Date.now();
  for (let n = 0; n < written; n++) {
    await sleep(Math.max(0, startedAt + n * everyMs - Date.now()));
    const [owner, other] = [owners[n % owners.length], steady[n % steady.length]];
    if (owner) await emitTestEvent(owner, 100 + n);
    if (other) await emitTestEvent(other.tenant, n);
  }
  await waitForEmptyQueue(admin, isFull ? 300_000 : 60_000);
  const tookS = (Date.now() - startedAt) / 1_000;

  // When each request was sent: on a busy machine, requests that were spread evenly can arrive together.
  const attempts = await sql<{ webhookId: string; at: string }>`
    select webhook_id, attempt ->> 'at' as at from webhook_deliveries join webhooks on webhooks.id = webhook_id,
      jsonb_array_elements(log) as attempt
    where webhooks.url like '%/down-%' and (attempt ->> 'at')::timestamptz >= ${since}`.execute(admin);
  const fastest = Math.max(
    ...[...Map.groupBy(attempts.rows, ({ webhookId }) => webhookId).values()].map((sent) =>
      maxWithin(
        sent.map(({ at }) => Date.parse(at)),
        1_000,
      ),
    ),
  );
  const delay = sql`extract(epoch from (log->0->>'at')::timestamptz - created_at)`;
  const steadyIds = steady.map(({ id }) => id);
  const { rows } = await sql<{ n: number; p: number[] | null; steady: number[] }>`
    select count(*)::int as n, percentile_disc(array[0.5, 0.95, 1]) within group (order by ${delay}) as p,
      (select percentile_disc(array[0.5, 0.95]) within group (order by ${delay}) from webhook_deliveries where webhook_id = any (${steadyIds})) as steady
    from webhook_deliveries d join (select webhook_id, min(finished_at) as at from webhook_deliveries where finished_at >= ${since} group by 1) back
      using (webhook_id) where d.created_at >= back.at and d.event_type = 'test.happened' and d.webhook_id <> all (${steadyIds})`.execute(
    admin,
  );
  const [p50 = 0, p95 = 0, worst = 0] = (rows[0]?.p ?? []).map(Number);
  const [steadyP50 = 0, steadyP95 = 0] = (rows[0]?.steady ?? []).map(Number);
  console.log(
    `webhooks: ${tenants * each} endpoints recovered together, ${tenants * each * 20} deliveries queued, drained in ${tookS.toFixed(1)} s, ` +
      `max per second to one endpoint ${fastest} (rate ${rateLimit}), ${rows[0]?.n} new ones after recovery: p50 ${p50.toFixed(3)} s, p95 ${p95.toFixed(3)} s, worst ${worst.toFixed(3)} s; to endpoints that were never down: p50 ${steadyP50.toFixed(3)} s, p95 ${steadyP95.toFixed(3)} s`,
  );
  expect(fastest, 'its rate limit, plus a burst').toBeLessThanOrEqual(rateLimit + 2);
  // Two seconds, or on a busy machine a multiple of what endpoints that were never down wait.
  expect(p95).toBeLessThan(Math.max(2, 4 * steadyP95));
  const missing = sql<{
    n: number;
  }>`select count(*)::int as n from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where w.url like '%/down-%' and d.status = 'succeeded' and d.event_type = 'test.happened'`;
  expect((await missing.execute(admin)).rows[0]?.n).toBe(tenants * each * 20 + written * each);
});

/** The maximum number of times within any window of this length. */
function maxWithin(times: number[], ms: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let [max, first] = [0, 0];
  for (const [n, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= ms) first++;
    max = Math.max(max, n - first + 1);
  }
  return max;
}
