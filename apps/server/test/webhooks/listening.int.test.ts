import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { handleCalls, aShop, lookUp, type Handler, type Invocation, type Sent } from '../actions/fixture.ts';
import { as, aTenant } from '../harness.ts';
import { signatureHeader } from '../../src/features/webhooks/delivery/signature.ts';
import { aWebhookStack, happen, type CreatedWebhook } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000 });
const stack = await aWebhookStack();
const { receiver, api } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);

type Client = ReturnType<typeof as>;
interface Heard {
  call: { id: string; attempt: number; eventType: string; headers: Record<string, string>; body: string } | null;
  waiting: number;
}
const nowhere = { url: 'https://listen.invalid/', eventTypes: ['test.*'] };

async function anEndpoint(client: Client, more: object = {}) {
  const made = (await client.post('/webhooks', { ...nowhere, ...more })).json<CreatedWebhook>();
  await client.post(`/webhooks/${made.webhook.id}/pause`, {});
  return { webhookId: made.webhook.id, secret: made.secret };
}

/** Somebody who listens: each poll tells what became of the last. */
function aListener(client: Client, webhookId: string, want: 'events' | 'calls' = 'events') {
  const listenerId = randomUUID();
  const poll = (more: object = {}) =>
    client.post(`/webhooks/${webhookId}/listen`, { listenerId, want, wait: 2, ...more });
  const next = async (more: object = {}) => {
    const response = await poll(more);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<Heard>();
  };
  const answered = ({ call }: Heard, status: number | null = 200, body = 'ok') => ({
    answer: { id: call?.id, attempt: call?.attempt, status, body, ms: 5 },
  });
  return { poll, next, answered, begin: () => next({ isFirst: true }) };
}

const numberOf = ({ call }: Heard) =>
  (JSON.parse(call?.body ?? '{}') as { data?: { object: { n: number } } }).data?.object.n;

async function aDeveloper() {
  const tenant = await aTenant({ plan: 'team' });
  const client = as(tenant.headers, api.app);
  return { tenant, client, ...(await anEndpoint(client)) };
}

test('200: events come oldest first, one at a time, signed with the endpoint’s own secret, and the log has them', async () => {
  const { tenant, client, webhookId, secret } = await aDeveloper();
  for (let n = 1; n <= 5; n++) await happen(tenant, n);
  const listener = aListener(client, webhookId);
  let heard = await listener.begin();
  const seen: (number | undefined)[] = [];
  while (heard.call) {
    const { headers, body } = heard.call;
    const timestamp = Number(headers['x-service-timestamp']);
    expect(headers['x-service-signature']).toBe(signatureHeader([secret], timestamp, Buffer.from(body)));
    seen.push(numberOf(heard));
    heard = await listener.next({ ...listener.answered(heard), wait: 0 });
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  const { data } = (await client.get(`/webhooks/${webhookId}/deliveries`)).json<{ data: { status: string }[] }>();
  expect(data.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
});

test('200: of the endpoint’s own headers whoever listens gets the names, for events and for calls of actions', async () => {
  const { tenant, client } = await aDeveloper();
  const { webhookId } = await anEndpoint(client, { headers: { 'x-shop-key': 'k-of-the-shop' } });
  await happen(tenant, 1);
  const heard = await aListener(client, webhookId).begin();
  expect(heard.call?.headers['x-shop-key']).toBe('hidden');
  expect(JSON.stringify(heard)).not.toContain('k-of-the-shop');

  const shop = await aShop(stack, handlers, (_call, response) => response.end(), [lookUp]);
  const { environmentId } = shop.tenant;
  const own = { environmentId, eventTypes: ['ping'], headers: { 'x-shop-key': 'k-of-the-shop' } };
  const listener = aListener(shop.tenant, (await anEndpoint(shop.tenant, own)).webhookId, 'calls');
  await listener.next({ isFirst: true, wait: 0 });
  const said = (await shop.visitor()).say('Where is my order A-4711?');
  const asked = await listener.next({ wait: 10 });
  expect(asked.call?.headers['x-shop-key']).toBe('hidden');
  expect(JSON.stringify(asked)).not.toContain('k-of-the-shop');
  await listener.next({ ...listener.answered(asked, 200, JSON.stringify({ output: {} })), wait: 0 });
  await said;
});

test('400 headers_required: another address gets the endpoint’s own headers only from whoever enters them again', async () => {
  const { client } = await aDeveloper();
  const { webhookId } = await anEndpoint(client, { headers: { 'x-shop-key': 'k-of-the-shop' } });
  const change = (body: object) => client.patch(`/webhooks/${webhookId}`, body);
  const url = 'https://elsewhere.invalid/';
  expect((await change({ url })).json()).toMatchObject({ error: { reason: 'headers_required' } });
  expect((await client.get(`/webhooks/${webhookId}`)).json()).toMatchObject({ webhook: { url: nowhere.url } });
  expect((await change({ url: nowhere.url, description: 'The same address' })).statusCode).toBe(200);
  const moved = await change({ url, headers: { 'x-other': 'o' } });
  expect(moved.json()).toMatchObject({ webhook: { url, headerNames: ['x-other'] } });
  expect((await change({ url: nowhere.url, headers: {} })).json()).toMatchObject({ webhook: { headerNames: [] } });
  expect((await change({ url })).statusCode).toBe(200);
});

test('200: what was not answered comes again, before what is younger; what was refused does not, and can be sent again', async () => {
  const { tenant, client, webhookId } = await aDeveloper();
  for (const n of [1, 2, 3]) await happen(tenant, n);
  const listener = aListener(client, webhookId);
  const first = await listener.begin();
  const again = await listener.next(); // the answer was lost
  expect([numberOf(first), numberOf(again), again.call?.attempt]).toEqual([1, 1, 2]);
  const unreachable = await listener.next({ ...listener.answered(again, null) });
  expect([numberOf(unreachable), unreachable.call?.attempt]).toEqual([1, 3]);
  const second = await listener.next(listener.answered(unreachable, 500, 'TypeError: order is undefined'));
  expect(numberOf(second)).toBe(2);
  const third = await listener.next(listener.answered(second));
  expect(numberOf(third)).toBe(3);
  const refused = first.call?.id ?? '';
  expect((await client.get(`/webhooks/${webhookId}/deliveries/${refused}`)).json()).toMatchObject({
    delivery: {
      status: 'aborted',
      log: [{ status: null }, { status: 500, response: 'TypeError: order is undefined' }],
    },
  });
  expect((await client.post(`/webhooks/${webhookId}/deliveries/${refused}/replay`, {})).statusCode).toBeLessThan(300);
  const resent = await listener.next(listener.answered(third));
  expect(numberOf(resent), 'the one that was asked for').toBe(1);
});

test('200: whoever waits hears of what happens meanwhile', async () => {
  const { tenant, client, webhookId } = await aDeveloper();
  const listener = aListener(client, webhookId);
  const waiting = listener.next({ isFirst: true, wait: 10 });
  await sleep(300);
  await happen(tenant, 7);
  expect(numberOf(await waiting)).toBe(7);
});

test('409 listener_replaced: the newest listener is served, and the older one is told; an older poll takes nothing', async () => {
  const { tenant, client, webhookId } = await aDeveloper();
  const [old, young] = [aListener(client, webhookId), aListener(client, webhookId)];
  const waiting = old.next({ isFirst: true, wait: 3 });
  await sleep(200);
  await young.next({ isFirst: true, wait: 0 });
  expect((await old.poll()).json()).toMatchObject({ error: { code: 'CONFLICT', reason: 'listener_replaced' } });
  await happen(tenant, 1);
  expect((await waiting).call).toBeNull();
  expect(numberOf(await young.next())).toBe(1);
});

test('409 endpoint_not_paused: what is sent to an address is not fetched as well', async () => {
  const { client, webhookId } = await aDeveloper();
  await client.post(`/webhooks/${webhookId}/resume`, {});
  const response = await aListener(client, webhookId).poll({ isFirst: true });
  expect(response.json()).toMatchObject({ error: { code: 'CONFLICT', reason: 'endpoint_not_paused' } });
});

test('200: what failed at an address before comes in its old place', async () => {
  const tenant = await aTenant({ plan: 'team' });
  const client = as(tenant.headers, api.app);
  const made = (await client.post('/webhooks', nowhere)).json<CreatedWebhook>();
  await happen(tenant, 1);
  const attempts = async () =>
    (await client.get(`/webhooks/${made.webhook.id}/deliveries`)).json<{ data: { attempts: number }[] }>().data[0]
      ?.attempts;
  await expect.poll(attempts, { timeout: 15_000 }).toBe(1);
  await client.post(`/webhooks/${made.webhook.id}/pause`, {});
  await happen(tenant, 2);
  const listener = aListener(client, made.webhook.id);
  const first = await listener.begin();
  expect([numberOf(first), numberOf(await listener.next(listener.answered(first)))]).toEqual([1, 2]);
});

test('200: a test reaches whoever listens, and its answer is what the developer sees', async () => {
  const { client, webhookId } = await aDeveloper();
  const listener = aListener(client, webhookId, 'calls');
  await listener.next({ isFirst: true, wait: 0 });
  const asked = client.post(`/webhooks/${webhookId}/test`, { type: 'ping' });
  const heard = await listener.next({ wait: 5 });
  expect(heard.call?.eventType).toBe('ping');
  await listener.next({ ...listener.answered(heard, 418, 'short and stout'), wait: 0 });
  expect((await asked).json()).toMatchObject({ attempt: { status: 418, response: 'short and stout' } });
});

test('200: an action of the environment goes to whoever listens there, once, and to its own address when nobody does', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => response.writeHead(200).end(JSON.stringify({ output: {}, display: 'From the address.' })),
    [lookUp],
  );
  const client = shop.tenant;
  const { webhookId } = await anEndpoint(client, { environmentId: client.environmentId, eventTypes: ['ping'] });
  const listener = aListener(client, webhookId, 'calls');
  await listener.next({ isFirst: true, wait: 0 });
  const visitor = await shop.visitor();
  const said = visitor.say('Where is my order A-4711?');
  const heard = await listener.next({ wait: 10 });
  const call = JSON.parse(heard.call?.body ?? '{}') as Invocation;
  expect(call).toMatchObject({ type: 'action.invoke', action: 'order_status', input: { orderId: 'A-4711' } });
  const answer = JSON.stringify({ output: {}, display: 'From my own machine.' });
  const later = await listener.next({ ...listener.answered(heard, 200, answer), wait: 1 });
  expect((await said).json<Sent>().reply?.text).toBe('From my own machine.');
  expect(later.call, 'given out once').toBeNull();

  const other = await aShop(
    stack,
    handlers,
    (_call, response) => response.writeHead(200).end(JSON.stringify({ output: {}, display: 'From the address.' })),
    [lookUp],
  );
  expect((await (await other.visitor()).say('Where is my order A-4711?')).json<Sent>().reply?.text).toBe(
    'From the address.',
  );
});

test('404: another tenant’s endpoint is not listened to', async () => {
  const { webhookId } = await aDeveloper();
  const stranger = await aDeveloper();
  expect((await aListener(stranger.client, webhookId).poll({ isFirst: true })).statusCode).toBe(404);
});
