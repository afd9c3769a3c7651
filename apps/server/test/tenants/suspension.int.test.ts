import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { acceptMessage } from '../../src/features/conversations/visitor/accept.ts';
import { runChats } from '../../src/features/conversations/index.ts';
import { answerRun } from '../../src/features/actions/run/runs.ts';
import { readEntitlements } from '../../src/features/entitlements/index.ts';
import { wakeEndpoint } from '../../src/features/webhooks/webhooks.reactions.ts';
import type { VisitorSession } from '../../src/platform/context.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { answerBy, aShop, awaitEntry, cancel, isCard, reply, type Handler } from '../actions/fixture.ts';
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
import { aWebhookStack, happen, type CreatedWebhook } from '../webhooks/fixture.ts';

// A tenant that is suspended is held: nothing is begun for it anywhere, and all of it comes when it goes on.

vi.setConfig({ testTimeout: 180_000 });
const site = await aSite();
const stack = await aWebhookStack({ hosts: [site.host] });
const { receiver, api, restate, worker } = stack;
sweepOften(worker.platform);
const base = await listen(api.app);
const handlers = new Map<string, Handler>();
answerBy(receiver, handlers);
afterAll(() => site.close());

const operator = as((await anOperator()).headers, api.app);
async function notify({ tenantId }: Pick<TestTenant, 'tenantId'>, what: string, body?: object) {
  const { statusCode, body: said } = await operator.post(`/admin/tenants/${tenantId}/${what}`, body);
  expect(statusCode, said).toBe(200);
}
const suspend = (tenant: Pick<TestTenant, 'tenantId'>) => notify(tenant, 'suspend', { reason: 'a test' });
const resume = (tenant: Pick<TestTenant, 'tenantId'>) => notify(tenant, 'resume');

async function aSubscriber(more: object = {}) {
  const tenant = await aTenant();
  const path = `/hooks/${tenant.tenantId}`;
  const made = await as(tenant.headers, api.app).post('/webhooks', {
    url: `${receiver.url}${path}`,
    eventTypes: ['test.*'],
    ...more,
  });
  expect(made.statusCode, made.body).toBe(201);
  const { secret, webhook } = made.json<CreatedWebhook>();
  receiver.secrets.push(secret);
  const numbers = () =>
    receiver.calls
      .filter((call) => call.path === path)
      .map(({ body }) => (JSON.parse(body) as { data: { object: { n: number } } }).data.object.n);
  const row = async () =>
    (await admin
      .selectFrom('webhooks')
      .selectAll()
      .select(sql<boolean>`awake_until = '-infinity'`.as('isAsleep'))
      .where('id', '=', webhook.id)
      .executeTakeFirstOrThrow()) as unknown as {
      status: string;
      isAsleep: boolean;
      health: { failures: number; failingSince: string | null };
    };
  return { tenant, webhook, numbers, row };
}
const waiting = async ({ tenantId }: TestTenant) =>
  Number(
    (await sql<{ n: string }>`select count(*) as n from webhook_queue where tenant_id = ${tenantId}`.execute(admin))
      .rows[0]?.n,
  );
/** When the first attempt of each delivery began, in the order of their events. */
const beginnings = async ({ tenantId }: TestTenant) => {
  const { rows } = await sql<{ at: string }>`select log -> 0 ->> 'at' as at from webhook_deliveries
    where tenant_id = ${tenantId} order by position`.execute(admin);
  return rows.map(({ at }) => Date.parse(at));
};
const timers = async ({ tenantId }: TestTenant, kind: string) =>
  (await sql`select from directory.timers where tenant_id = ${tenantId} and kind = ${kind}`.execute(admin)).rows.length;

test('webhooks: nothing is sent while it is suspended; resumed, all of it comes, each once and the oldest first', async () => {
  const { tenant, numbers, row } = await aSubscriber();
  const quiet = await aSubscriber();
  await happen(tenant, 0);
  await until(() => numbers().length === 1);
  await suspend(tenant);
  for (let n = 1; n < 30; n++) await happen(tenant, n);
  await happen(quiet.tenant, 1);
  await until(() => quiet.numbers().length === 1); // others go on
  await settled(restate, tenant);
  expect(numbers()).toEqual([0]);
  expect(await waiting(tenant)).toBe(29);
  expect(await row()).toMatchObject({ status: 'active', health: { failures: 0, failingSince: null } });

  await resume(tenant);
  await until(() => numbers().length >= 30, 60_000);
  await until(async () => (await waiting(tenant)) === 0);
  await settled(restate, tenant);
  expect(numbers().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  // Ten are under way at a time, and which of those is begun first nobody promises.
  const begun = await beginnings(tenant);
  expect(begun.filter((at, n) => begun.slice(n + 10).some((later) => later < at))).toEqual([]);
});

test('webhooks: one in flight may end, none is begun after it, and the endpoint is none the worse', async () => {
  const { tenant, numbers, row } = await aSubscriber({ rateLimit: 1_000 });
  // Calls end when they are told to.
  let isShut = true;
  const open: ServerResponse[] = [];
  const end = () => open.splice(0).forEach((response) => response.writeHead(200).end());
  handlers.clear();
  receiver.answer = (_call, response) => {
    open.push(response);
    if (!isShut) end();
  };
  await Promise.all(Array.from({ length: 90 }, (_, n) => happen(tenant, n)));
  await until(() => numbers().length >= 10);
  await suspend(tenant);
  await until(async () => {
    end();
    return (await row()).isAsleep;
  });
  const last = numbers().length;
  expect(last, 'of 90, no more than were taken on').toBeLessThan(60);
  expect(await waiting(tenant)).toBe(90 - last);
  await settled(restate, tenant);
  expect(numbers()).toHaveLength(last);
  expect(await row()).toMatchObject({ status: 'active', health: { failures: 0 } });
  isShut = false;
  await resume(tenant);
  await until(() => new Set(numbers()).size === 90, 60_000);
  await settled(restate, tenant);
  expect(numbers()).toHaveLength(90);
  answerBy(receiver, handlers);
});

test('what failed before, and waits to be tried again, is tried when the tenant goes on', async () => {
  const { tenant, webhook, numbers } = await aSubscriber();
  let isDown = true;
  receiver.answer = (_call, response) => response.writeHead(isDown ? 500 : 200).end();
  await happen(tenant, 1);
  await until(() => numbers().length === 1);
  await suspend(tenant);
  await settled(restate, tenant);
  isDown = false;
  // As if its five seconds were over: the timer of the row is due, and Restate calls.
  const { tenantId } = tenant;
  await sql`update webhook_queue set next_attempt_at = now() where tenant_id = ${tenantId}`.execute(admin);
  await sql`update directory.timers set due_at = now() - interval '1 minute' where tenant_id = ${tenantId}`.execute(
    admin,
  );
  await wakeEndpoint(worker.platform.restate, tenantId, webhook.id);
  await settled(restate, tenant);
  expect(numbers()).toHaveLength(1);
  await resume(tenant);
  await until(() => numbers().length === 2);
  answerBy(receiver, handlers);
});

/** As if it had been accepted at the very moment of the suspension. */
async function accepted(tenant: TestTenant, bot: Awaited<ReturnType<typeof aBot>>, message: string) {
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

test('a message that was accepted waits, and is answered once when the tenant goes on', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  await suspend(tenant);
  const { conversationId } = await accepted(tenant, bot, 'How long does delivery take?');
  await settled(restate, tenant);
  expect([await repliesOf(conversationId), await timers(tenant, 'turn')]).toEqual([0, 1]);
  await resume(tenant);
  await until(() => repliesOf(conversationId));
  await settled(restate, tenant);
  expect([await repliesOf(conversationId), await timers(tenant, 'turn')]).toEqual([1, 0]);
});

test('403 tenant_suspended: the streams of a visitor and of an agent end and say why; sessions and set-up are refused, and come back', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant);
  const visitor = await aVisitor(api.app, bot);
  const { conversationId } = (await visitor.say('Delivery?')).json<{ conversationId: string }>();
  const theirs = await readEvents(`${base}/widget/conversations/${conversationId}/events`, {
    headers: visitor.headers,
  });
  const agents = await readEvents(`${base}/conversations/${conversationId}/events`, { headers: tenant.headers });
  await Promise.all([theirs.waitFor(({ event }) => event), agents.waitFor(({ event }) => event)]);
  await suspend(tenant);
  const suspendedAt = performance.now();
  expect(await Promise.all([theirs.ended, agents.ended])).toEqual(['ended', 'ended']);
  const tookMs = performance.now() - suspendedAt;
  console.log(`the streams ended ${Math.round(tookMs)} ms after the suspension`);
  expect(tookMs).toBeLessThan(await withLoadAllowance(5_000));
  expect(theirs.events.at(-1)).toMatchObject({
    event: 'stream.closed',
    data: { reason: 'tenant_suspended', message: 'This chat is currently unavailable.' },
  });
  expect(agents.events.at(-1)).toMatchObject({ event: 'stream.closed', data: { reason: 'tenant_suspended' } });
  const setup = () =>
    api.app.inject({
      url: `/cdn/config/${bot.botId}?key=${bot.publicKey}`,
      headers: { origin: 'https://shop.example' },
    });
  const [said, shown] = [await visitor.say('Anybody?'), await setup()];
  expect([said.statusCode, said.json().error.reason]).toEqual([403, 'tenant_suspended']);
  expect([shown.statusCode, shown.json().error.message]).toEqual([403, 'This chat is currently unavailable.']);
  await resume(tenant);
  await until(async () => (await setup()).statusCode === 200);
  expect((await visitor.say('And now?')).statusCode).toBe(200);
});

test.each(['idempotent', 'at_most_once', 'reconcile'])(
  'an action (%s) that was agreed to is not sent while it is suspended, and once after it',
  async (effect) => {
    const seen: string[] = [];
    const shop = await aShop(
      stack,
      handlers,
      ({ id, type }, response) => {
        seen.push(`${type} ${id}`);
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
    expect(seen).toEqual([]);
    expect(await runOf()).toEqual({ state: 'proposed', attempts: [] });
    await resume(shop.tenant);
    await until(async () => (await runOf()).state === 'succeeded');
    await settled(restate, shop.tenant);
    expect(seen).toHaveLength(1);
  },
);

test('what was agreed to a day ago and never sent is not sent any more: it failed, too_late', async () => {
  const seen: string[] = [];
  const shop = await aShop(stack, handlers, ({ id }) => void seen.push(id), [{ ...cancel, effect: 'at_most_once' }]);
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
  expect([await run(), seen]).toEqual([{ state: 'failed', reason: 'too_late' }, []]);
});

test('a sync stops between two documents, and goes on from there: each is read once', async () => {
  const tenant = await aTenant();
  // Enough of them, and each slow enough, that the suspension comes in the middle on any machine.
  const paths = Array.from({ length: 40 }, (_, n) => `/help/${n}`);
  for (const path of paths) site.pages.set(path, sitePage(`Topic ${path}`, `The number of this page is ${path}.`));
  site.state.delayMs = 200;
  site.pages.set('/sitemap.xml', site.sitemapOf(paths));
  const body = { kind: 'sitemap', name: 'Site', url: `${site.url}/sitemap.xml` };
  const made = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, body);
  const { id } = made.json<{ source: { id: string } }>().source;
  const source = () =>
    admin.selectFrom('knowledgeSources').select(['state', 'done']).where('id', '=', id).executeTakeFirstOrThrow();
  await until(async () => (await source()).done >= 3);
  await suspend(tenant);
  site.state.delayMs = 0;
  await settled(restate, tenant);
  const { done } = await source();
  const asked = site.requestedPaths.length;
  await settled(restate, tenant);
  expect(await source()).toEqual({ state: 'syncing', done });
  expect(site.requestedPaths).toHaveLength(asked);
  expect(done).toBeLessThan(40);
  await resume(tenant);
  await until(async () => (await source()).state === 'ready');
  expect((await source()).done).toBe(40);
});

test('a deleted tenant is held in the same way, and comes back when it is restored', async () => {
  const { tenant, numbers } = await aSubscriber();
  const removed = await send(
    'DELETE',
    `/admin/tenants/${tenant.tenantId}`,
    operator.headers,
    { reason: 'a test' },
    api.app,
  );
  expect(removed.statusCode, removed.body).toBe(200);
  await happen(tenant, 1);
  await settled(restate, tenant);
  expect(numbers()).toEqual([]);
  await operator.post(`/admin/tenants/${tenant.tenantId}/restore`, { reason: 'a test' });
  await until(() => numbers().length === 1);
});

test('the sweeper does not look again and again at what a suspended tenant has waiting', async () => {
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
