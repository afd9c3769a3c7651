import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { acceptMessage } from '../../src/features/conversations/accept.ts';
import { runChats } from '../../src/features/conversations/index.ts';
import { answerRun } from '../../src/features/actions/ledger.ts';
import { readEntitlements } from '../../src/features/entitlements/index.ts';
import type { VisitorSession } from '../../src/platform/context.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { answerBy, aShop, awaitEntry, cancel, isCard, reply, type Handler } from '../actions/fixture.ts';
import { aBot, aVisitor } from '../chat/fixture.ts';
import { listen, until } from '../chat/helpers.ts';
import { readEvents } from '../chat/stream-reader.ts';
import { admin, anOperator, as, aTenant, inside, send, type TestTenant } from '../harness.ts';
import { aSite, page as sitePage } from '../knowledge-site.ts';
import { aWebhookStack, happen, type CreatedWebhook } from '../webhooks/fixture.ts';

// A tenant that is suspended is held: nothing is begun for it anywhere, and all of it comes when it goes on.

vi.setConfig({ testTimeout: 60_000 });
const site = await aSite();
const stack = await aWebhookStack({ hosts: [site.host] });
const { receiver, api } = stack;
const base = await listen(api.app);
const handlers = new Map<string, Handler>();
answerBy(receiver, handlers);
afterAll(() => site.close());

const operator = as((await anOperator()).headers, api.app);
async function tell({ tenantId }: Pick<TestTenant, 'tenantId'>, what: string, body?: object) {
  const { statusCode, body: said } = await operator.post(`/admin/tenants/${tenantId}/${what}`, body);
  expect(statusCode, said).toBe(200);
}
const suspend = (tenant: Pick<TestTenant, 'tenantId'>) => tell(tenant, 'suspend', { reason: 'a test' });
const resume = (tenant: Pick<TestTenant, 'tenantId'>) => tell(tenant, 'resume');

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
      .where('id', '=', webhook.id)
      .executeTakeFirstOrThrow()) as unknown as {
      status: string;
      health: { failures: number; failingSince: string | null };
    };
  return { tenant, webhook, numbers, row };
}
const waiting = async ({ tenantId }: TestTenant) =>
  Number(
    (await sql<{ n: string }>`select count(*) as n from webhook_queue where tenant_id = ${tenantId}`.execute(admin))
      .rows[0]?.n,
  );
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
  await sleep(5_200);
  expect(numbers()).toEqual([0]);
  expect(await waiting(tenant)).toBe(29);
  expect(await row()).toMatchObject({ status: 'active', health: { failures: 0, failingSince: null } });

  const resumedAt = performance.now();
  await resume(tenant);
  await until(() => numbers().length > 1);
  console.log(`webhooks came back after ${Math.round(performance.now() - resumedAt)} ms`);
  await until(() => numbers().length === 30, 30_000);
  // Ten are under way at a time, and which of those is heard first nobody promises.
  expect(numbers().filter((n, place) => Math.abs(n - place) >= 10)).toEqual([]);
  expect(new Set(numbers()).size).toBe(30);
  await sleep(500);
  expect(numbers()).toHaveLength(30);
  expect(await waiting(tenant)).toBe(0);
});

test('webhooks: one in flight may end, none is begun after it, and the endpoint is none the worse', async () => {
  const { tenant, numbers, row } = await aSubscriber({ rateLimit: 1_000 });
  let isSlow = true;
  handlers.clear();
  receiver.answer = (_call, response) => void setTimeout(() => response.writeHead(200).end(), isSlow ? 800 : 0);
  await Promise.all(Array.from({ length: 90 }, (_, n) => happen(tenant, n)));
  await until(() => numbers().length >= 10);
  const suspendedAt = performance.now();
  await suspend(tenant);
  let last = numbers().length;
  let lastAt = performance.now();
  while (performance.now() - suspendedAt < 5_500) {
    if (numbers().length > last) [last, lastAt] = [numbers().length, performance.now()];
    await sleep(20);
  }
  console.log(`webhooks: the last call began ${Math.round(lastAt - suspendedAt)} ms after the suspension`);
  expect(lastAt - suspendedAt).toBeLessThan(5_000);
  expect(last, 'of 90, which take longer than that').toBeLessThan(60);
  expect(await waiting(tenant)).toBe(90 - last);
  expect(await row()).toMatchObject({ status: 'active', health: { failures: 0 } });
  isSlow = false;
  await resume(tenant);
  await until(() => numbers().length === 90, 20_000);
  expect(new Set(numbers()).size).toBe(90);
  answerBy(receiver, handlers);
});

test('what failed before, and waits to be tried again, is tried when the tenant goes on', async () => {
  const { tenant, numbers } = await aSubscriber();
  let isDown = true;
  receiver.answer = (_call, response) => response.writeHead(isDown ? 500 : 200).end();
  await happen(tenant, 1);
  await until(() => numbers().length === 1);
  await suspend(tenant);
  isDown = false;
  await sleep(6_500); // it was due after five seconds
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
    beganAt: new Date(),
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
  await sleep(3_000);
  expect([await repliesOf(conversationId), await timers(tenant, 'turn')]).toEqual([0, 1]);
  const resumedAt = performance.now();
  await resume(tenant);
  await until(() => repliesOf(conversationId));
  console.log(`the answer came ${Math.round(performance.now() - resumedAt)} ms after the tenant went on`);
  await sleep(500);
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
  expect(tookMs).toBeLessThan(5_000);
  expect(theirs.events.at(-1)).toMatchObject({
    event: 'stream.closed',
    data: { reason: 'tenant_suspended', message: 'This chat is closed at the moment.' },
  });
  expect(agents.events.at(-1)).toMatchObject({ event: 'stream.closed', data: { reason: 'tenant_suspended' } });
  const setup = () =>
    api.app.inject({
      url: `/cdn/config/${bot.botId}?key=${bot.publicKey}`,
      headers: { origin: 'https://shop.example' },
    });
  const [said, shown] = [await visitor.say('Anybody?'), await setup()];
  expect([said.statusCode, said.json().error.reason]).toEqual([403, 'tenant_suspended']);
  expect([shown.statusCode, shown.json().error.message]).toEqual([403, 'This chat is closed at the moment.']);
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
    await sleep(2_500);
    const runOf = async () =>
      admin.selectFrom('actionRuns').select(['state', 'attempts']).where('id', '=', runId).executeTakeFirstOrThrow();
    expect(seen).toEqual([]);
    expect(await runOf()).toEqual({ state: 'proposed', attempts: [] });
    await resume(shop.tenant);
    await until(async () => (await runOf()).state === 'succeeded');
    await sleep(500);
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
  const paths = Array.from({ length: 12 }, (_, n) => `/help/${n}`);
  for (const path of paths) site.pages.set(path, sitePage(`Topic ${path}`, `The number of this page is ${path}.`));
  site.pages.set('/sitemap.xml', site.mapOf(paths));
  site.state.delayMs = 200;
  const body = { kind: 'sitemap', name: 'Site', url: `${site.url}/sitemap.xml` };
  const made = await tenant.post(`/bots/${tenant.botId}/knowledge-sources`, body);
  const { id } = made.json<{ source: { id: string } }>().source;
  const source = () =>
    admin.selectFrom('knowledgeSources').select(['state', 'done']).where('id', '=', id).executeTakeFirstOrThrow();
  await until(async () => (await source()).done >= 3, 20_000);
  await suspend(tenant);
  await sleep(1_000);
  const { done } = await source();
  const asked = site.asked.length;
  await sleep(2_000);
  expect(await source()).toEqual({ state: 'syncing', done });
  expect(site.asked).toHaveLength(asked);
  expect(done).toBeLessThan(12);
  await resume(tenant);
  await until(async () => (await source()).state === 'ready', 20_000);
  expect((await source()).done).toBe(12);
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
  await sleep(1_500);
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
