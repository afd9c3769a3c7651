import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { acceptMessage } from '../../src/features/conversations/visitor/accept.ts';
import { runChats } from '../../src/features/conversations/index.ts';
import { answerRun } from '../../src/features/actions/run/runs.ts';
import { readEntitlements } from '../../src/features/entitlements/index.ts';
import { newHealth } from '../../src/features/webhooks/endpoints/health.ts';
import type { VisitorSession } from '../../src/platform/context.ts';
import { emit } from '../../src/platform/events.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { handleCalls, aShop, awaitEntry, cancel, isCard, reply, type Handler } from '../actions/fixture.ts';
import { aBot, aVisitor } from '../chat/fixture.ts';
import { until } from '../chat/helpers.ts';
import { readEvents } from '../chat/stream-reader.ts';
import {
  admin,
  anOperator,
  as,
  aTenant,
  inside,
  send,
  type TestTenant,
  listen,
  withLoadAllowance,
} from '../harness.ts';
import { aSite, page as sitePage } from '../knowledge-site.ts';
import { settled, sweepOften } from '../settled.ts';
import { aWebhookStack, emitTestEvent, rereadEndpoint, testEvent, type CreatedWebhook } from '../webhooks/fixture.ts';

// Nothing is started for a suspended tenant. Its work stays queued and continues when the tenant is resumed.

vi.setConfig({ testTimeout: 180_000 });
const site = await aSite();
const stack = await aWebhookStack({ hosts: [site.host] });
const { receiver, api, restate, worker } = stack;
sweepOften(worker.platform);
const base = await listen(api.app);
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);
afterAll(() => site.close());

const operator = as((await anOperator()).headers, api.app);
async function changeStatus({ tenantId }: Pick<TestTenant, 'tenantId'>, what: string, body?: object) {
  const { statusCode, body: responseBody } = await operator.post(`/admin/tenants/${tenantId}/${what}`, body);
  expect(statusCode, responseBody).toBe(200);
}
const suspend = (tenant: Pick<TestTenant, 'tenantId'>) => changeStatus(tenant, 'suspend', { reason: 'a test' });
const resume = (tenant: Pick<TestTenant, 'tenantId'>) => changeStatus(tenant, 'resume');

async function aSubscriber(more: object = {}) {
  const tenant = await aTenant();
  const path = `/hooks/${tenant.tenantId}`;
  const created = await as(tenant.headers, api.app).post('/webhooks', {
    url: `${receiver.url}${path}`,
    eventTypes: ['test.*'],
    ...more,
  });
  expect(created.statusCode, created.body).toBe(201);
  const { secret, webhook } = created.json<CreatedWebhook>();
  receiver.secrets.push(secret);
  const numbers = () =>
    receiver.calls
      .filter((call) => call.path === path)
      .map(({ body }) => (JSON.parse(body) as { data: { object: { n: number } } }).data.object.n);
  const row = async () =>
    (await admin
      .selectFrom('webhooks')
      .leftJoin('webhookHealth as h', 'h.webhookId', 'webhooks.id')
      .select(['status', sql<object>`coalesce(h.health, ${JSON.stringify(newHealth())}::jsonb)`.as('health')])
      .where('id', '=', webhook.id)
      .executeTakeFirstOrThrow()) as unknown as {
      status: string;
      health: { failures: number; failingSince: string | null };
    };
  return { tenant, webhook, numbers, row };
}
/** Waits until another endpoint, whose event came later, was delivered to. */
async function lanesSettled() {
  const { tenant, numbers } = await aSubscriber();
  await emitTestEvent(tenant, 1);
  await until(() => numbers().length === 1);
}
const queuedCount = async ({ tenantId }: TestTenant) =>
  Number(
    (await sql<{ n: string }>`select count(*) as n from webhook_queue where tenant_id = ${tenantId}`.execute(admin))
      .rows[0]?.n,
  );
/** When the first attempt of each delivery started, in the order of their events. */
const firstAttemptTimes = async ({ tenantId }: TestTenant) => {
  const { rows } = await sql<{ at: string }>`select log -> 0 ->> 'at' as at from webhook_deliveries
    where tenant_id = ${tenantId} order by position`.execute(admin);
  return rows.map(({ at }) => Date.parse(at));
};
const timers = async ({ tenantId }: TestTenant, kind: string) =>
  (await sql`select from directory.timers where tenant_id = ${tenantId} and kind = ${kind}`.execute(admin)).rows.length;

test('webhooks: sends nothing while suspended, and every event once and in order after resuming', async () => {
  const { tenant, numbers, row } = await aSubscriber();
  const quiet = await aSubscriber();
  await emitTestEvent(tenant, 0);
  await until(() => numbers().length === 1);
  await suspend(tenant);
  for (let n = 1; n < 30; n++) await emitTestEvent(tenant, n);
  await emitTestEvent(quiet.tenant, 1);
  await until(() => quiet.numbers().length === 1); // other tenants are not affected
  await settled(restate, tenant);
  expect(numbers()).toEqual([0]);
  expect(await queuedCount(tenant)).toBe(29);
  expect(await row()).toMatchObject({ status: 'active', health: { failures: 0, failingSince: null } });

  await resume(tenant);
  await until(() => numbers().length >= 30, 60_000);
  await until(async () => (await queuedCount(tenant)) === 0);
  await settled(restate, tenant);
  expect(numbers().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  // Ten deliveries run at a time, and their order is not guaranteed.
  const startTimes = await firstAttemptTimes(tenant);
  expect(startTimes.filter((at, n) => startTimes.slice(n + 10).some((later) => later < at))).toEqual([]);
});

test('webhooks: lets requests in flight finish, starts no others, and keeps the endpoint healthy', async () => {
  const { tenant, numbers, row } = await aSubscriber({ rateLimit: 1_000 });
  await emitTestEvent(tenant, 90); // an endpoint that has never responded gets two requests at a time
  await until(async () => numbers().length === 1 && (await queuedCount(tenant)) === 0);
  // The receiver responds only when `end` is called.
  let isBlocked = true;
  const open: ServerResponse[] = [];
  const end = () => open.splice(0).forEach((response) => response.writeHead(200).end());
  handlers.clear();
  receiver.respond = (_call, response) => {
    open.push(response);
    if (!isBlocked) end();
  };
  // In one transaction: while its requests are in flight, little else is claimed.
  await inside(tenant.tenantId, async (ctx) => {
    for (let n = 0; n < 90; n++) await emit(ctx, testEvent, `subject-${n}`, { object: { n } });
  });
  await until(() => numbers().length >= 10);
  await suspend(tenant);
  const inFlight = async () =>
    (
      await sql`select from webhook_queue where tenant_id = ${tenant.tenantId} and leased_until is not null`.execute(
        admin,
      )
    ).rows.length;
  await until(async () => {
    end();
    return (await inFlight()) === 0;
  });
  const last = numbers().length;
  expect(last, 'only those of 90 that had started').toBeLessThan(60);
  expect(await queuedCount(tenant)).toBe(91 - last);
  await settled(restate, tenant);
  expect(numbers()).toHaveLength(last);
  expect(await row()).toMatchObject({ status: 'active', health: { failures: 0 } });
  isBlocked = false;
  await resume(tenant);
  await until(() => new Set(numbers()).size === 91, 60_000);
  await settled(restate, tenant);
  expect(numbers()).toHaveLength(91);
  handleCalls(receiver, handlers);
});

test('retries a failed delivery only after the tenant is resumed', async () => {
  const { tenant, webhook, numbers } = await aSubscriber();
  let isDown = true;
  receiver.respond = (_call, response) => response.writeHead(isDown ? 500 : 200).end();
  await emitTestEvent(tenant, 1);
  await until(() => numbers().length === 1);
  await suspend(tenant);
  await settled(restate, tenant);
  isDown = false;
  // Simulates that the retry delay of five seconds is over, and wakes the endpoint.
  const { tenantId } = tenant;
  await sql`update webhook_queue set next_attempt_at = now() where tenant_id = ${tenantId}`.execute(admin);
  rereadEndpoint(tenantId, webhook.id);
  await lanesSettled();
  await settled(restate, tenant);
  expect(numbers()).toHaveLength(1);
  await resume(tenant);
  await until(() => numbers().length === 2);
  handleCalls(receiver, handlers);
});

/** Simulates a message that was accepted just before the suspension. */
async function acceptDirectly(tenant: TestTenant, bot: Awaited<ReturnType<typeof aBot>>, message: string) {
  const { tenantId, environmentId } = tenant;
  const session = {
    tenantId,
    environmentId: environmentId as Id<'environment'>,
    botId: bot.botId,
    openedBy: bot.keyId,
    visitorId: newId('visitor'),
    label: 'label',
    origin: null,
    startedAt: new Date(),
    expiresAt: new Date(Date.now() + 600_000),
  } satisfies VisitorSession;
  return inside(tenantId, async (ctx) =>
    acceptMessage(ctx, session, { message }, (await readEntitlements(ctx)).entitlements),
  );
}
const repliesOf = async (conversationId: string) =>
  (
    await sql`select from conversation_events where conversation_id = ${conversationId} and type = 'reply.completed'`.execute(
      admin,
    )
  ).rows.length;

test('replies once to an accepted message after the tenant is resumed', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  await suspend(tenant);
  const { conversationId } = await acceptDirectly(tenant, bot, 'How long does delivery take?');
  await settled(restate, tenant);
  expect([await repliesOf(conversationId), await timers(tenant, 'turn')]).toEqual([0, 1]);
  await resume(tenant);
  await until(() => repliesOf(conversationId));
  await settled(restate, tenant);
  expect([await repliesOf(conversationId), await timers(tenant, 'turn')]).toEqual([1, 0]);
});

test('closes event streams with a reason and returns 403 tenant_suspended to visitors until the tenant is resumed', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  const visitor = await aVisitor(api.app, bot);
  const { conversationId } = (await visitor.say('Delivery?')).json<{ conversationId: string }>();
  const visitorStream = await readEvents(`${base}/widget/conversations/${conversationId}/events`, {
    headers: visitor.headers,
  });
  const agentStream = await readEvents(`${base}/conversations/${conversationId}/events`, { headers: tenant.headers });
  await Promise.all([visitorStream.waitFor(({ event }) => event), agentStream.waitFor(({ event }) => event)]);
  await suspend(tenant);
  const suspendedAt = performance.now();
  expect(await Promise.all([visitorStream.ended, agentStream.ended])).toEqual(['ended', 'ended']);
  const tookMs = performance.now() - suspendedAt;
  console.log(`the streams ended ${Math.round(tookMs)} ms after the suspension`);
  expect(tookMs).toBeLessThan(await withLoadAllowance(5_000));
  expect(visitorStream.events.at(-1)).toMatchObject({
    event: 'stream.closed',
    data: { reason: 'tenant_suspended', message: 'This chat is currently unavailable.' },
  });
  expect(agentStream.events.at(-1)).toMatchObject({ event: 'stream.closed', data: { reason: 'tenant_suspended' } });
  const getConfig = () =>
    api.app.inject({
      url: `/cdn/config/${bot.botId}?key=${bot.publicKey}`,
      headers: { origin: 'https://shop.example' },
    });
  const [message, config] = [await visitor.say('Anybody?'), await getConfig()];
  expect([message.statusCode, message.json().error.reason]).toEqual([403, 'tenant_suspended']);
  expect([config.statusCode, config.json().error.message]).toEqual([403, 'This chat is currently unavailable.']);
  await resume(tenant);
  await until(async () => (await getConfig()).statusCode === 200);
  expect((await visitor.say('And now?')).statusCode).toBe(200);
});

test.each(isFull ? ['idempotent', 'at_most_once', 'reconcile'] : ['at_most_once'])(
  'sends a confirmed action (%s) once, only after the tenant is resumed',
  async (effect) => {
    const calls: string[] = [];
    const shop = await aShop(
      stack,
      handlers,
      ({ id, type }, response) => {
        calls.push(`${type} ${id}`);
        return reply(response, 200, { status: 'succeeded', output: { ok: true } });
      },
      [{ ...cancel, effect }],
    );
    const visitor = await shop.visitor();
    const sent = await visitor.say('I want to cancel an order A-1234');
    const { conversationId } = sent.json<{ conversationId: string }>();
    const card = await awaitEntry(visitor, conversationId, isCard);
    const runId = String(card.data['runId']);
    await suspend(shop.tenant);
    await inside(shop.tenant.tenantId, (ctx) => answerRun(ctx, runChats, runId, true));
    await settled(restate, shop.tenant);
    const runOf = async () =>
      admin.selectFrom('actionRuns').select(['state', 'attempts']).where('id', '=', runId).executeTakeFirstOrThrow();
    expect(calls).toEqual([]);
    expect(await runOf()).toEqual({ state: 'proposed', attempts: [] });
    await resume(shop.tenant);
    await until(async () => (await runOf()).state === 'succeeded');
    await settled(restate, shop.tenant);
    expect(calls).toHaveLength(1);
  },
);

test('fails a run as too_late if it was confirmed a day ago and never sent', async () => {
  const calls: string[] = [];
  const shop = await aShop(stack, handlers, ({ id }) => void calls.push(id), [{ ...cancel, effect: 'at_most_once' }]);
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('I want to cancel an order A-1234')).json<{ conversationId: string }>();
  const runId = String((await awaitEntry(visitor, conversationId, isCard)).data['runId']);
  await suspend(shop.tenant);
  await inside(shop.tenant.tenantId, (ctx) => answerRun(ctx, runChats, runId, true));
  await sql`update action_runs set confirmed_at = now() - interval '25 hours' where id = ${runId}`.execute(admin);
  await resume(shop.tenant);
  const run = () =>
    admin.selectFrom('actionRuns').select(['state', 'reason']).where('id', '=', runId).executeTakeFirst();
  await until(async () => (await run())?.state === 'failed');
  expect([await run(), calls]).toEqual([{ state: 'failed', reason: 'too_late' }, []]);
});

/** Enough slow pages that the suspension happens in the middle on any machine. */
const pages = isFull ? 40 : 20;
test('pauses a sync between two documents and continues it from there', async () => {
  const tenant = await aTenant();
  const paths = Array.from({ length: pages }, (_, n) => `/help/${n}`);
  for (const path of paths) site.pages.set(path, sitePage(`Topic ${path}`, `The number of this page is ${path}.`));
  site.state.delayMs = 200;
  site.pages.set('/sitemap.xml', site.sitemapOf(paths));
  const body = { kind: 'sitemap', name: 'Site', url: `${site.url}/sitemap.xml` };
  const created = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, body);
  const { id } = created.json<{ source: { id: string } }>().source;
  const source = () =>
    admin.selectFrom('knowledgeSources').select(['state', 'done']).where('id', '=', id).executeTakeFirstOrThrow();
  await until(async () => (await source()).done >= 3);
  await suspend(tenant);
  site.state.delayMs = 0;
  await settled(restate, tenant);
  const { done } = await source();
  const requestCount = site.requests.length;
  await settled(restate, tenant);
  expect(await source()).toEqual({ state: 'syncing', done });
  expect(site.requests).toHaveLength(requestCount);
  expect(done).toBeLessThan(pages);
  await resume(tenant);
  await until(async () => (await source()).state === 'ready');
  expect((await source()).done).toBe(pages);
});

test('sends nothing for a deleted tenant until it is restored', async () => {
  const { tenant, numbers } = await aSubscriber();
  const removed = await send(
    'DELETE',
    `/admin/tenants/${tenant.tenantId}`,
    operator.headers,
    { reason: 'a test' },
    api.app,
  );
  expect(removed.statusCode, removed.body).toBe(200);
  await emitTestEvent(tenant, 1);
  await settled(restate, tenant);
  expect(numbers()).toEqual([]);
  await operator.post(`/admin/tenants/${tenant.tenantId}/restore`, { reason: 'a test' });
  await until(() => numbers().length === 1);
});

test('the sweeper skips the timers of suspended tenants', async () => {
  const tenant = await aTenant();
  await suspend(tenant);
  await inside(tenant.tenantId, ({ tx }) =>
    sql`select directory.set_timer('turn', 'conv_x/turn_x', now() - interval '1 hour')`.execute(tx),
  );
  const overdue = async () =>
    (
      await sql`select from directory.overdue_timers(0, 500) where tenant_id = ${tenant.tenantId} and kind = 'turn'`.execute(
        admin,
      )
    ).rows.length;
  expect(await overdue()).toBe(0);
  await admin.updateTable('tenants').set({ status: 'active' }).where('tenantId', '=', tenant.tenantId).execute();
  expect(await overdue()).toBe(1);
});
