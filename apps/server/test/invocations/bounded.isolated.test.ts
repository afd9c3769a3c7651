import { expect, test, vi } from 'vitest';
import { asSystem, inTenant } from '../../src/platform/context.ts';
import { openRestateAdmin } from '../../src/platform/restate-admin.ts';
import { aBot, aVisitor } from '../chat/fixture.ts';
import { aShop, handleCalls, logOf, lookUp, reply, type Handler, type SendResult } from '../actions/fixture.ts';
import { admin, anOperator, as, aTenant, eventsOf, services } from '../harness.ts';
import { aSite, page } from '../knowledge-site.ts';
import { emitTestEvent, type CreatedWebhook } from '../webhooks/fixture.ts';
import { aShortStack } from './stack.ts';

// Each handler does one unit of work per invocation and continues in a call to itself, so that a worker can stop in order.

vi.setConfig({ testTimeout: 60_000 });
const site = await aSite();
const { receiver, api, model, restate, openOf, stepsOf } = await aShortStack([site.host]);
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);
const eventually = <T>(check: () => T | Promise<T>, timeout = 30_000) => expect.poll(check, { timeout, interval: 150 });

/** Of everything that happened in a conversation. */
const traceIdsOf = async (conversationId: string) => {
  const events = admin.selectFrom('events').select('traceparent').where('conversationId', '=', conversationId);
  return [...new Set((await events.execute()).map(({ traceparent }) => traceparent?.slice(3, 35)))];
};

async function aSubscriber() {
  const tenant = await aTenant();
  const client = as(tenant.headers, api.app);
  const path = `/${tenant.tenantId.slice(-8)}`;
  const created = await client.post('/webhooks', { url: `${receiver.url}${path}`, eventTypes: ['test.*'] });
  const { webhook, secret } = created.json<CreatedWebhook>();
  receiver.secrets.push(secret);
  const keys = () =>
    receiver.calls.filter((call) => call.path === path).map(({ headers }) => String(headers['idempotency-key']));
  const waiting = async () =>
    (await client.get(`/webhooks/${webhook.id}`)).json<CreatedWebhook>().webhook.health.waiting;
  return { tenant, client, webhook, keys, waiting };
}
const times = (values: readonly string[]) =>
  Object.values(Object.groupBy(values, (value) => value)).map((n) => n?.length);

test('WebhookReplay queues two pages per invocation, and no delivery twice', async () => {
  const { tenant, client, webhook, keys, waiting } = await aSubscriber();
  for (let n = 0; n < 23; n++) await emitTestEvent(tenant, n);
  await eventually(async () => [keys().length, await waiting()]).toEqual([23, 0]);
  const [since, until] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)];
  const started = await client.post(`/webhooks/${webhook.id}/replay`, { since, until, status: ['succeeded'] });
  const { replay } = started.json<{ replay: { id: string } }>();
  const read = async () => (await client.get(`/webhooks/${webhook.id}/replays/${replay.id}`)).json<object>();
  await eventually(read).toMatchObject({ replay: { state: 'done', queued: 23 } });
  await eventually(async () => [keys().length, await waiting()]).toEqual([46, 0]);
  expect(times(keys())).toEqual(Array(23).fill(2));
  const queue = 'queue a page';
  expect(await stepsOf('WebhookReplay', replay.id)).toEqual([[queue, queue], [queue, queue], [queue]]);
});

test('KnowledgeSource reads one sitemap or page per invocation, each once, and publishes one event', async () => {
  const tenant = await aTenant();
  const maps = ['/1.xml', '/2.xml', '/3.xml'];
  const paths = maps.flatMap((_map, n) => [`/help/${2 * n}`, `/help/${2 * n + 1}`]);
  for (const path of paths) site.pages.set(path, page(`Topic ${path}`, `The number of this page is ${path}.`));
  for (const [n, map] of maps.entries()) site.pages.set(map, site.sitemapOf(paths.slice(2 * n, 2 * n + 2)));
  const entries = maps.map((map) => `<sitemap><loc>${site.url}${map}</loc></sitemap>`);
  site.pages.set('/index.xml', `<sitemapindex>${entries.join('')}</sitemapindex>`);
  const source = { kind: 'sitemap', name: 'Site', url: `${site.url}/index.xml` };
  const created = await as(tenant.headers, api.app).post(`/bots/${tenant.botId}/knowledge-sources`, source);
  const { id } = created.json<{ source: { id: string } }>().source;
  const stored = admin.selectFrom('knowledgeSources').select(['state', 'done', 'total', 'listing']);
  await eventually(() => stored.where('id', '=', id).executeTakeFirst()).toEqual({
    state: 'ready',
    done: 6,
    total: 6,
    listing: null,
  });
  const [list, visit] = ['list', 'visit some'];
  expect(await stepsOf('KnowledgeSource', id)).toEqual([
    ...['index', ...maps].map(() => [list]),
    ...paths.map(() => [list, visit]),
    [list, visit, 'choose the event id', 'finish'],
  ]);
  expect(site.requests.toSorted()).toEqual(['/index.xml', '/robots.txt', ...maps, ...paths].toSorted());
  expect((await eventsOf(tenant.tenantId)).filter((type) => type === 'knowledge.synced')).toHaveLength(1);
});

test('KeyRotation runs one step per invocation, and waits in a delayed call', async () => {
  await aTenant();
  const operator = as((await anOperator()).headers, api.app);
  const isReleased = Promise.withResolvers<void>();
  // A reader that started before the secrets were re-encrypted, and may still need the old key.
  const reader = inTenant(services, asSystem((await aTenant()).tenantId, 'test'), () => isReleased.promise);
  const started = await operator.post('/admin/key-rotations', { reason: 'A test' });
  const { id } = started.json<{ keyRotation: { id: string } }>().keyRotation;
  const status = async () =>
    (await operator.get(`/admin/key-rotations/${id}`)).json<{ keyRotation: { status: string } }>().keyRotation.status;
  await eventually(status).toBe('waiting');
  await eventually(async () => (await openOf('KeyRotation', id)).map((open) => open.status)).toEqual(['scheduled']);
  isReleased.resolve();
  await reader;
  await eventually(status).toBe('finished');
  const invocations = await stepsOf('KeyRotation', id);
  expect(invocations.length, 'counting, encrypting, waiting and removing').toBeGreaterThan(4);
  expect(new Set(invocations.map((steps) => steps.join()))).toEqual(new Set(['a step']));
});

test('ActionRun makes one attempt per invocation, and its turn waits for the last one', async () => {
  const results = [503, 503, 200];
  const shop = await aShop(
    { receiver, api },
    handlers,
    (_call, response) => reply(response, results.shift() ?? 500, { output: { state: 'sent' }, display: 'On its way.' }),
    [lookUp],
  );
  const visitor = await shop.visitor();
  const { conversationId, turn } = (await visitor.say('where is my order A-100')).json<SendResult>();
  const replies = async () =>
    (await logOf(visitor, conversationId)).filter(({ type }) => type === 'reply.completed').map(({ data }) => data);
  await eventually(replies).toMatchObject([{ turnId: turn?.id, message: { text: 'On its way.' } }]);
  const [listed] = await shop.runs();
  const run = await shop.run(listed?.id ?? '');
  expect(run).toMatchObject({ state: 'succeeded', attempts: [{ status: 503 }, { status: 503 }, { status: 200 }] });
  const invocations = await stepsOf('ActionRun', run.id);
  expect(new Set(invocations.map((steps) => steps.join()))).toEqual(new Set(['advance']));
  expect(invocations.length).toBeGreaterThanOrEqual(3);
  // No later invocation has the headers of the first.
  const traceIds = await traceIdsOf(conversationId);
  expect(traceIds).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  const calls = receiver.calls.filter(({ path }) => path === shop.path);
  expect(calls.map(({ headers }) => headers['traceparent']?.slice(3, 35))).toEqual(calls.map(() => traceIds[0]));
});

test('ActionRun of a multi-step action runs one step per invocation, and its turn waits for the last one', async () => {
  const called: string[] = [];
  const step = { ...lookUp, triggers: [], isOffered: false, confirm: 'never' };
  const input = { orderId: { from: '/input/orderId' } };
  const shop = await aShop(
    { receiver, api },
    handlers,
    (call, response) => {
      called.push(call.action);
      return reply(response, 200, { output: {}, display: `Display of ${call.action}.` });
    },
    [
      { ...step, name: 'first' },
      { ...step, name: 'second' },
      {
        ...lookUp,
        webhookId: null,
        steps: [
          { name: 'one', actionId: 'first', input },
          { name: 'two', actionId: 'second', input },
        ],
      },
    ],
  );
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('where is my order A-100')).json<SendResult>();
  const replies = async () =>
    (await logOf(visitor, conversationId)).flatMap(({ type, data }) => (type === 'reply.completed' ? data : []));
  await eventually(replies).toMatchObject([{ message: { text: 'Display of second.' } }]);
  expect(called).toEqual(['first', 'second']);
  const [run] = await shop.runs();
  const invocations = await stepsOf('ActionRun', run?.id ?? '');
  expect(invocations.length).toBeGreaterThanOrEqual(3);
  expect(new Set(invocations.map((steps) => steps.join()))).toEqual(new Set(['advance']));
});

test('Conversation calls one model per invocation, and none again when it continues', async () => {
  const shop = await aShop(
    { receiver, api },
    handlers,
    (_call, response) => reply(response, 200, { output: { state: 'sent' } }),
    [lookUp],
    { answers: { mode: 'model' } },
  );
  model.script = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { tokens: ['It', 'was', 'sent.'], everyMs: 1 }
      : { tokens: [], everyMs: 0, toolCalls: [{ name: 'order_status', input: { orderId: 'A-100' } }] };
  const callsBefore = model.calls.length;
  const visitor = await shop.visitor();
  const { conversationId, reply: message } = (await visitor.say('where is my order?')).json<SendResult>();
  expect(message?.text).toBe('It was sent.');
  expect(model.calls.length - callsBefore).toBe(2);
  expect(await stepsOf('Conversation', conversationId)).toEqual([
    ['begin', 'model 1'],
    ['begin', 'model 1', 'model 2', 'save reply'],
  ]);
  expect(await traceIdsOf(conversationId)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
});

test('Conversation runs one turn per invocation, also if the call of an older turn was lost', async () => {
  const tenant = await aTenant();
  const bot = await aBot({ ...tenant, ...as(tenant.headers, api.app) }, { answers: { mode: 'model' } });
  const mayAnswer = Promise.withResolvers<void>();
  let n = 0;
  model.script = () => ({ tokens: [`Reply`, `${++n}.`], everyMs: 1, hold: { at: 1, until: mayAnswer.promise } });
  const visitor = await aVisitor(api.app, bot);
  const sent = [visitor.say('one')];
  await eventually(() => n).toBe(1);
  const conversations = admin.selectFrom('conversations').select('id').where('tenantId', '=', tenant.tenantId);
  const { id: conversationId } = await conversations.executeTakeFirstOrThrow();
  for (const [waiting, text] of ['two', 'three'].entries()) {
    sent.push(visitor.say(text));
    await eventually(async () => (await openOf('Conversation', conversationId)).length).toBe(waiting + 2);
  }
  const [, second] = await openOf('Conversation', conversationId);
  await openRestateAdmin(restate.adminUrl).act(second?.id ?? '', 'kill');
  await eventually(async () => (await openOf('Conversation', conversationId)).length).toBe(2);
  mayAnswer.resolve();
  const replies = async () =>
    (await logOf(visitor, conversationId)).flatMap(({ type, data }) =>
      type === 'reply.completed' ? (data.message?.text ?? '') : [],
    );
  await eventually(replies).toEqual(['Reply 1.', 'Reply 2.', 'Reply 3.']);
  await Promise.all(sent);
  const invocations = await stepsOf('Conversation', conversationId);
  expect(invocations.every((steps) => steps.filter((name) => name === 'begin').length <= 1)).toBe(true);
  expect(invocations.filter((steps) => steps.includes('save reply'))).toHaveLength(3);
});
