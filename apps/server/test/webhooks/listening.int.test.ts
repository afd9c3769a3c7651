import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { handleCalls, aShop, lookUp, type Handler, type Invocation, type SendResult } from '../actions/fixture.ts';
import { as, aTenant } from '../harness.ts';
import { signatureHeader } from '../../src/features/webhooks/delivery/signature.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000 });
const stack = await aWebhookStack();
const { receiver, api } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);

type Client = ReturnType<typeof as>;
interface ListenResponse {
  call: { id: string; attempt: number; eventType: string; headers: Record<string, string>; body: string } | null;
  waiting: number;
}
const unroutable = { url: 'https://listen.invalid/', eventTypes: ['test.*'] };

async function anEndpoint(client: Client, more: object = {}) {
  const created = (await client.post('/webhooks', { ...unroutable, ...more })).json<CreatedWebhook>();
  await client.post(`/webhooks/${created.webhook.id}/pause`, {});
  return { webhookId: created.webhook.id, secret: created.secret };
}

/** A listener. Each poll reports the result of the last call. */
function aListener(client: Client, webhookId: string, want: 'events' | 'calls' = 'events') {
  const listenerId = randomUUID();
  const poll = (more: object = {}) =>
    client.post(`/webhooks/${webhookId}/listen`, { listenerId, want, wait: 2, ...more });
  const next = async (more: object = {}) => {
    const response = await poll(more);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<ListenResponse>();
  };
  const resultOf = ({ call }: ListenResponse, status: number | null = 200, body = 'ok') => ({
    answer: { id: call?.id, attempt: call?.attempt, status, body, ms: 5 },
  });
  return { poll, next, resultOf, start: () => next({ isFirst: true }) };
}

const numberOf = ({ call }: ListenResponse) =>
  (JSON.parse(call?.body ?? '{}') as { data?: { object: { n: number } } }).data?.object.n;

async function aDeveloper() {
  const tenant = await aTenant({ plan: 'team' });
  const client = as(tenant.headers, api.app);
  return { tenant, client, ...(await anEndpoint(client)) };
}

test('returns events one at a time, oldest first, signed with the endpoint’s secret, and logs the deliveries', async () => {
  const { tenant, client, webhookId, secret } = await aDeveloper();
  for (let n = 1; n <= 5; n++) await emitTestEvent(tenant, n);
  const listener = aListener(client, webhookId);
  let response = await listener.start();
  const received: (number | undefined)[] = [];
  while (response.call) {
    const { headers, body } = response.call;
    const timestamp = Number(headers['x-service-timestamp']);
    expect(headers['x-service-signature']).toBe(signatureHeader([secret], timestamp, Buffer.from(body)));
    received.push(numberOf(response));
    response = await listener.next({ ...listener.resultOf(response), wait: 0 });
  }
  expect(received).toEqual([1, 2, 3, 4, 5]);
  const { data } = (await client.get(`/webhooks/${webhookId}/deliveries`)).json<{ data: { status: string }[] }>();
  expect(data.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
});

test('hides the values of custom headers from the listener, for events and for actions', async () => {
  const { tenant, client } = await aDeveloper();
  const { webhookId } = await anEndpoint(client, { headers: { 'x-shop-key': 'k-of-the-shop' } });
  await emitTestEvent(tenant, 1);
  const response = await aListener(client, webhookId).start();
  expect(response.call?.headers['x-shop-key']).toBe('hidden');
  expect(JSON.stringify(response)).not.toContain('k-of-the-shop');

  const shop = await aShop(stack, handlers, (_call, response) => response.end(), [lookUp]);
  const { environmentId } = shop.tenant;
  const own = { environmentId, eventTypes: ['ping'], headers: { 'x-shop-key': 'k-of-the-shop' } };
  const listener = aListener(shop.tenant, (await anEndpoint(shop.tenant, own)).webhookId, 'calls');
  await listener.next({ isFirst: true, wait: 0 });
  const reply = (await shop.visitor()).say('Where is my order A-4711?');
  const actionCall = await listener.next({ wait: 10 });
  expect(actionCall.call?.headers['x-shop-key']).toBe('hidden');
  expect(JSON.stringify(actionCall)).not.toContain('k-of-the-shop');
  await listener.next({ ...listener.resultOf(actionCall, 200, JSON.stringify({ output: {} })), wait: 0 });
  await reply;
});

test('returns 400 headers_required when the URL is changed without sending the custom headers again', async () => {
  const { client } = await aDeveloper();
  const { webhookId } = await anEndpoint(client, { headers: { 'x-shop-key': 'k-of-the-shop' } });
  const change = (body: object) => client.patch(`/webhooks/${webhookId}`, body);
  const url = 'https://other.invalid/';
  expect((await change({ url })).json()).toMatchObject({ error: { reason: 'headers_required' } });
  expect((await client.get(`/webhooks/${webhookId}`)).json()).toMatchObject({ webhook: { url: unroutable.url } });
  expect((await change({ url: unroutable.url, description: 'The same URL' })).statusCode).toBe(200);
  const moved = await change({ url, headers: { 'x-other': 'o' } });
  expect(moved.json()).toMatchObject({ webhook: { url, headerNames: ['x-other'] } });
  expect((await change({ url: unroutable.url, headers: {} })).json()).toMatchObject({ webhook: { headerNames: [] } });
  expect((await change({ url })).statusCode).toBe(200);
});

test('returns an event again until it has a response; a failed one is not repeated, but can be replayed', async () => {
  const { tenant, client, webhookId } = await aDeveloper();
  for (const n of [1, 2, 3]) await emitTestEvent(tenant, n);
  const listener = aListener(client, webhookId);
  const first = await listener.start();
  const again = await listener.next(); // the response was lost
  expect([numberOf(first), numberOf(again), again.call?.attempt]).toEqual([1, 1, 2]);
  const unreachable = await listener.next({ ...listener.resultOf(again, null) });
  expect([numberOf(unreachable), unreachable.call?.attempt]).toEqual([1, 3]);
  const second = await listener.next(listener.resultOf(unreachable, 500, 'TypeError: order is undefined'));
  expect(numberOf(second)).toBe(2);
  const third = await listener.next(listener.resultOf(second));
  expect(numberOf(third)).toBe(3);
  const refused = first.call?.id ?? '';
  expect((await client.get(`/webhooks/${webhookId}/deliveries/${refused}`)).json()).toMatchObject({
    delivery: {
      status: 'aborted',
      log: [{ status: null }, { status: 500, response: 'TypeError: order is undefined' }],
    },
  });
  expect((await client.post(`/webhooks/${webhookId}/deliveries/${refused}/replay`, {})).statusCode).toBeLessThan(300);
  const resent = await listener.next(listener.resultOf(third));
  expect(numberOf(resent), 'the replayed event').toBe(1);
});

test('returns an event that is emitted while the poll is waiting', async () => {
  const { tenant, client, webhookId } = await aDeveloper();
  const listener = aListener(client, webhookId);
  const waiting = listener.next({ isFirst: true, wait: 10 });
  await sleep(300);
  await emitTestEvent(tenant, 7);
  expect(numberOf(await waiting)).toBe(7);
});

test('returns 409 listener_replaced to the older of two listeners, and gives events to the newest', async () => {
  const { tenant, client, webhookId } = await aDeveloper();
  const [old, newest] = [aListener(client, webhookId), aListener(client, webhookId)];
  const waiting = old.next({ isFirst: true, wait: 3 });
  await sleep(200);
  await newest.next({ isFirst: true, wait: 0 });
  expect((await old.poll()).json()).toMatchObject({ error: { code: 'CONFLICT', reason: 'listener_replaced' } });
  await emitTestEvent(tenant, 1);
  expect((await waiting).call).toBeNull();
  expect(numberOf(await newest.next())).toBe(1);
});

test('returns 409 endpoint_not_paused for an active endpoint', async () => {
  const { client, webhookId } = await aDeveloper();
  await client.post(`/webhooks/${webhookId}/resume`, {});
  const response = await aListener(client, webhookId).poll({ isFirst: true });
  expect(response.json()).toMatchObject({ error: { code: 'CONFLICT', reason: 'endpoint_not_paused' } });
});

test('returns events that failed before in their original order', async () => {
  const tenant = await aTenant({ plan: 'team' });
  const client = as(tenant.headers, api.app);
  const created = (await client.post('/webhooks', unroutable)).json<CreatedWebhook>();
  await emitTestEvent(tenant, 1);
  const attempts = async () =>
    (await client.get(`/webhooks/${created.webhook.id}/deliveries`)).json<{ data: { attempts: number }[] }>().data[0]
      ?.attempts;
  await expect.poll(attempts, { timeout: 15_000 }).toBe(1);
  await client.post(`/webhooks/${created.webhook.id}/pause`, {});
  await emitTestEvent(tenant, 2);
  const listener = aListener(client, created.webhook.id);
  const first = await listener.start();
  expect([numberOf(first), numberOf(await listener.next(listener.resultOf(first)))]).toEqual([1, 2]);
});

test('sends a test request to the listener and returns its response', async () => {
  const { client, webhookId } = await aDeveloper();
  const listener = aListener(client, webhookId, 'calls');
  await listener.next({ isFirst: true, wait: 0 });
  const testCall = client.post(`/webhooks/${webhookId}/test`, { type: 'ping' });
  const response = await listener.next({ wait: 5 });
  expect(response.call?.eventType).toBe('ping');
  await listener.next({ ...listener.resultOf(response, 418, 'short and stout'), wait: 0 });
  expect((await testCall).json()).toMatchObject({ attempt: { status: 418, response: 'short and stout' } });
});

test('sends actions of the environment to its listener once, and to the URL when there is no listener', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => response.writeHead(200).end(JSON.stringify({ output: {}, display: 'From the URL.' })),
    [lookUp],
  );
  const client = shop.tenant;
  const { webhookId } = await anEndpoint(client, { environmentId: client.environmentId, eventTypes: ['ping'] });
  const listener = aListener(client, webhookId, 'calls');
  await listener.next({ isFirst: true, wait: 0 });
  const visitor = await shop.visitor();
  const reply = visitor.say('Where is my order A-4711?');
  const response = await listener.next({ wait: 10 });
  const call = JSON.parse(response.call?.body ?? '{}') as Invocation;
  expect(call).toMatchObject({ type: 'action.invoke', action: 'order_status', input: { orderId: 'A-4711' } });
  const answer = JSON.stringify({ output: {}, display: 'From the listener.' });
  const later = await listener.next({ ...listener.resultOf(response, 200, answer), wait: 1 });
  expect((await reply).json<SendResult>().reply?.text).toBe('From the listener.');
  expect(later.call, 'returned once').toBeNull();

  const other = await aShop(
    stack,
    handlers,
    (_call, response) => response.writeHead(200).end(JSON.stringify({ output: {}, display: 'From the URL.' })),
    [lookUp],
  );
  expect((await (await other.visitor()).say('Where is my order A-4711?')).json<SendResult>().reply?.text).toBe(
    'From the URL.',
  );
});

test('returns 404 for another tenant’s endpoint', async () => {
  const { webhookId } = await aDeveloper();
  const stranger = await aDeveloper();
  expect((await aListener(stranger.client, webhookId).poll({ isFirst: true })).statusCode).toBe(404);
});
