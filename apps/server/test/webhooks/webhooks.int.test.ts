import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { sampleData } from '../../src/features/webhooks/catalogue.ts';
import { emit, publicEvents } from '../../src/platform/events.ts';
import { admin, as, aTenant, inside } from '../harness.ts';
import { aWebhookStack, emitTestEvent, type CreatedWebhook } from './fixture.ts';

vi.setConfig({ testTimeout: 60_000 });
const { receiver, api, worker } = await aWebhookStack();
const eventually = <T>(check: () => T | Promise<T>, timeout = 15_000) => expect.poll(check, { timeout });

async function aSubscriber(more: object = {}) {
  const tenant = await aTenant();
  const client = as(tenant.headers, api.app);
  const path = `/${tenant.tenantId.slice(-8)}`;
  const response = await client.post('/webhooks', { url: `${receiver.url}${path}`, eventTypes: ['test.*'], ...more });
  expect(response.statusCode, response.body).toBe(201);
  const { webhook, secret } = response.json<CreatedWebhook>();
  receiver.secrets = [secret];
  const calls = () => receiver.calls.filter((call) => call.path === path);
  const read = async () => (await client.get(`/webhooks/${webhook.id}`)).json<CreatedWebhook>().webhook;
  return { tenant, client, webhook, secret, path, calls, read };
}

test('delivers a committed event once, with a valid signature, and logs the delivery', async () => {
  const { tenant, client, webhook, calls, read } = await aSubscriber();
  await emitTestEvent(tenant, 1);
  await eventually(() => calls().length).toBe(1);
  const [call] = calls();
  expect(call?.problem).toBeNull();
  expect(call?.headers).toMatchObject({
    'x-service-tenant-id': tenant.tenantId,
    'x-service-action-id': 'event:test.happened',
    'x-service-attempt': '1',
  });
  await eventually(async () => (await read()).health.waiting).toBe(0);
  const listed = await client.get(`/webhooks/${webhook.id}/deliveries`);
  const { data } = listed.json<{ data: { id: string; status: string }[] }>();
  expect(data).toMatchObject([{ status: 'succeeded', attempts: 1, lastStatus: 200, hint: 'Delivered.' }]);
  const one = await client.get(`/webhooks/${webhook.id}/deliveries/${data[0]?.id}`);
  expect(one.json()).toMatchObject({ delivery: { log: [{ outcome: 'succeeded', number: 1 }], body: call?.body } });
});

test('delivers every type of event about conversations and agents', async () => {
  const { tenant, calls } = await aSubscriber({ eventTypes: ['*'] });
  const sent = publicEvents().filter(({ type }) => /^(conversation|agent)\./.test(type));
  expect(sent.map(({ type }) => type)).toContain('conversation.waiting_unanswered');
  await inside(tenant.tenantId, async (ctx) => {
    // The sample is as it is delivered, with dates as text.
    for (const event of sent) await emit(ctx, { ...event, data: z.unknown() }, 'subject', sampleData(event.type));
  });
  await eventually(() =>
    calls()
      .map(({ headers }) => String(headers['x-service-action-id']))
      .toSorted(),
  ).toEqual(sent.map(({ type }) => `event:${type}`));
  expect(calls().map(({ problem }) => problem)).toEqual(sent.map(() => null));
});

test('retries a failed delivery with the same key and bytes and a new signature', async () => {
  const { tenant, client, webhook, path, calls } = await aSubscriber();
  let refusals = 1;
  receiver.respond = (call, response) =>
    response.writeHead(call.path === path && refusals-- > 0 ? 500 : 200).end('what went wrong');
  await emitTestEvent(tenant, 1);
  await eventually(() => calls().length, 20_000).toBe(2);
  receiver.respond = undefined;
  const [first, second] = calls();
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  const attempts = async () => {
    const busiest = await worker.platform.tenantActivity.top('deliveries', 1, 2_000);
    return busiest.find(({ tenantId }) => tenantId === tenant.tenantId)?.count;
  };
  await eventually(attempts).toBe(2);
  expect([first?.problem, second?.problem]).toEqual([null, null]);
  expect(second?.headers['x-service-timestamp']).not.toBe(first?.headers['x-service-timestamp']);
  expect((second?.at ?? 0) - (first?.at ?? 0), 'not before five seconds').toBeGreaterThanOrEqual(5_000);
  await eventually(async () => {
    const listed = await client.get(`/webhooks/${webhook.id}/deliveries`);
    return listed.json<{ data: { status: string; attempts: number }[] }>().data[0];
  }).toMatchObject({ status: 'succeeded', attempts: 2 });
  const stored = admin.selectFrom('webhookHealth').select('lastFailureStatus').where('webhookId', '=', webhook.id);
  expect(await stored.executeTakeFirst()).toEqual({ lastFailureStatus: 500 });
});

test('delivers only events that match type, pattern, environment and bot, and none of another tenant', async () => {
  const { tenant, client, calls, path } = await aSubscriber({ eventTypes: ['bot.published'] });
  const create = async (name: string, more: object) => {
    const created = await client.post('/webhooks', {
      url: `${receiver.url}${path}-${name}`,
      eventTypes: ['*'],
      ...more,
    });
    expect(created.statusCode, created.body).toBe(201);
  };
  await create('all', {});
  await create('pattern', { eventTypes: ['test.*'] });
  await create('environment', { environmentId: tenant.environmentId });
  await create('bot', { botIds: [tenant.botId] });
  receiver.secrets = [];
  const stranger = await aTenant();
  await emitTestEvent(stranger, 9);
  await emitTestEvent(tenant, 1, { botId: tenant.botId, environmentId: tenant.environmentId });
  await emitTestEvent(tenant, 2, {
    botId: 'bot_01jz0000000000000000000000',
    environmentId: 'env_01jz0000000000000000000000',
  });
  const receivedBy = (name: string) =>
    receiver.calls
      .filter((call) => call.path === `${path}-${name}`)
      .map(({ body }) => JSON.parse(body) as { type: string; data: { object: { n: number } } })
      .filter(({ type }) => type === 'test.happened')
      .map(({ data }) => data.object.n)
      .toSorted((a, b) => a - b);
  await eventually(() => ['all', 'pattern', 'environment', 'bot'].map(receivedBy)).toEqual([[1, 2], [1, 2], [1], [1]]);
  expect(calls()).toEqual([]);
});

test('sends nothing while paused, and delivers everything in order within each conversation after resume', async () => {
  const { tenant, client, webhook, calls, read } = await aSubscriber({ ordering: 'conversation', rateLimit: 500 });
  await client.post(`/webhooks/${webhook.id}/pause`);
  const conversations = ['a', 'b', 'c'];
  for (let n = 0; n < 30; n++)
    await emitTestEvent(tenant, n, { conversationId: conversations[n % 3] ?? '', sequence: n });
  await new Promise((later) => setTimeout(later, 500));
  expect(calls()).toEqual([]);
  expect((await read()).health.waiting).toBe(30);
  const inProgress = new Set<string>();
  let overlaps = 0;
  receiver.respond = ({ body }, response) => {
    const { conversationId } = JSON.parse(body) as { conversationId: string };
    if (inProgress.has(conversationId)) overlaps++;
    inProgress.add(conversationId);
    setTimeout(() => {
      inProgress.delete(conversationId);
      response.writeHead(200).end();
    }, Math.random() * 20);
  };
  await client.post(`/webhooks/${webhook.id}/resume`);
  await eventually(() => calls().length).toBe(30);
  await eventually(async () => (await read()).health.waiting).toBe(0);
  receiver.respond = undefined;
  expect(overlaps, 'one at a time in each conversation').toBe(0);
  const sequences = Map.groupBy(
    calls().map(({ body }) => JSON.parse(body) as { conversationId: string; sequence: number }),
    ({ conversationId }) => conversationId,
  );
  for (const [, of] of sequences) {
    const order = of.map(({ sequence }) => sequence);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
  await eventually(async () => (await read()).health.waiting).toBe(0);
});

test('410 disables the endpoint, `Retry-After` delays it, and `abort` cancels one delivery', async () => {
  const { tenant, client, webhook, calls, read, path } = await aSubscriber();
  const responses = [
    [503, { 'retry-after': '3' }],
    [200, {}],
    [422, { 'x-service-delivery': 'abort' }],
    [410, {}],
  ] as const;
  receiver.respond = (call, response) => {
    const [status, headers] = (call.path === path && responses[calls().length - 1]) || ([200, {}] as const);
    response.writeHead(status, headers).end();
  };
  await emitTestEvent(tenant, 1);
  await eventually(() => calls().length).toBe(2);
  expect((calls()[1]?.at ?? 0) - (calls()[0]?.at ?? 0)).toBeGreaterThanOrEqual(3_000);
  await emitTestEvent(tenant, 2);
  await eventually(() => calls().length).toBe(3);
  await emitTestEvent(tenant, 3);
  await eventually(() => calls().length).toBe(4);
  await eventually(async () => (await read()).status).toBe('disabled');
  await emitTestEvent(tenant, 4);
  await new Promise((later) => setTimeout(later, 700));
  expect(calls()).toHaveLength(4);
  expect((await read()).health.waiting).toBe(2); // the one answered with 410, and the one after it
  const listed = await client.get(`/webhooks/${webhook.id}/deliveries?status=aborted`);
  expect(listed.json<{ data: unknown[] }>().data).toHaveLength(1);
  receiver.respond = undefined;
  await client.post(`/webhooks/${webhook.id}/resume`);
  await eventually(async () => (await read()).health.waiting, 20_000).toBe(0);
});

test('signs with both secrets during a rotation; returns 409 for another rotation unless forced', async () => {
  const { tenant, client, webhook, secret, calls } = await aSubscriber();
  const rotated = await client.post(`/webhooks/${webhook.id}/rotate-secret`, { overlapSeconds: 3_600 });
  const { secret: newer } = rotated.json<CreatedWebhook>();
  expect(newer).not.toBe(secret);
  for (const [n, current] of [secret, newer].entries()) {
    receiver.secrets = [current];
    await emitTestEvent(tenant, n);
    await eventually(() => calls().length).toBe(n + 1);
    expect(calls()[n]?.problem).toBeNull();
  }
  const third = await client.post(`/webhooks/${webhook.id}/rotate-secret`, {});
  expect(third.json()).toMatchObject({ error: { reason: 'rotation_in_progress' } });
  const forced = await client.post(`/webhooks/${webhook.id}/rotate-secret`, { force: true, overlapSeconds: 0 });
  receiver.secrets = [forced.json<CreatedWebhook>().secret];
  await emitTestEvent(tenant, 2);
  await eventually(() => calls().length).toBe(3);
  expect(calls()[2]?.problem).toBeNull();
  expect(calls()[2]?.headers['x-service-signature']).not.toContain(',');
});

test('POST /test returns the attempt, and the security test detects a receiver that accepts everything', async () => {
  const { client, webhook, read } = await aSubscriber();
  const careful = await client.post(`/webhooks/${webhook.id}/test`, { mode: 'security' });
  expect(careful.json(), careful.body).toMatchObject({
    attempt: { outcome: 'succeeded', status: 200, timings: { totalMs: expect.any(Number) } },
    checks: [
      { name: 'good', isPassed: true },
      { name: 'repeated', isPassed: true },
      { name: 'forged', isPassed: true },
      { name: 'stale', isPassed: true },
      { name: 'mismatched', isPassed: true },
    ],
  });
  receiver.respond = (_call, response) => response.writeHead(200).end();
  const careless = await client.post(`/webhooks/${webhook.id}/test`, { mode: 'security', type: 'message.created' });
  receiver.respond = undefined;
  const { checks } = careless.json<{ checks: { name: string; isPassed: boolean }[] }>();
  expect(checks.filter(({ isPassed }) => !isPassed).map(({ name }) => name)).toEqual(['forged', 'stale', 'mismatched']);
  expect((await read()).health).toMatchObject({ waiting: 0, lastSuccessAt: null });
});

test('replays a delivery or a range with the same keys, as new deliveries', async () => {
  const { tenant, client, webhook, calls } = await aSubscriber();
  for (let n = 0; n < 5; n++) await emitTestEvent(tenant, n);
  await eventually(() => calls().length).toBe(5);
  const listed = async () =>
    (await client.get(`/webhooks/${webhook.id}/deliveries?status=succeeded`)).json<{ data: { id: string }[] }>().data;
  await eventually(async () => (await listed()).length).toBe(5);
  const [newest] = await listed();
  expect((await client.post(`/webhooks/${webhook.id}/deliveries/${newest?.id}/replay`)).statusCode).toBe(201);
  await eventually(() => calls().length).toBe(6);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(5);
  const [since, until] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 60_000)];
  const started = await client.post(`/webhooks/${webhook.id}/replay`, { since, until, status: ['succeeded'] });
  expect(started.statusCode, started.body).toBe(201);
  const { replay } = started.json<{ replay: { id: string } }>();
  await eventually(async () => (await client.get(`/webhooks/${webhook.id}/replays/${replay.id}`)).json()).toMatchObject(
    {
      replay: { state: 'done', queued: expect.any(Number) },
    },
  );
  await eventually(() => calls().length).toBeGreaterThanOrEqual(11);
  expect(new Set(calls().map(({ headers }) => headers['idempotency-key'])).size).toBe(5);
});

test('GET /events lists events oldest first, and continues from the cursor', async () => {
  const { tenant, client } = await aSubscriber();
  for (let n = 0; n < 3; n++) await emitTestEvent(tenant, n);
  const page = async (after: string) =>
    (await client.get(`/events?limit=2${after}`)).json<{ data: { type: string }[]; nextCursor: string | null }>();
  const first = await page('');
  const second = await page(`&after=${first.nextCursor}`);
  expect([...first.data, ...second.data].map(({ type }) => type)).toEqual(Array(3).fill('test.happened'));
  const third = await page(`&after=${second.nextCursor}`);
  expect(third).toMatchObject({ data: [], nextCursor: second.nextCursor });
});

test('returns 400 for internal URLs, unknown event types and reserved headers', async () => {
  const { client } = await aSubscriber();
  const post = (body: object) =>
    client.post('/webhooks', { url: 'https://hooks.example.com/', eventTypes: ['*'], ...body });
  for (const url of ['http://hooks.example.com/', 'https://127.0.0.1/', 'https://localhost/', 'https://a.internal/'])
    expect((await post({ url })).statusCode, url).toBe(400);
  expect((await post({ eventTypes: [] })).statusCode).toBe(400);
  expect((await post({ eventTypes: ['conversation.exploded'] })).statusCode).toBe(400);
  expect((await post({ headers: { 'X-Service-Signature': 'v1=0' } })).statusCode).toBe(400);
});

const refusal = (response: { statusCode: number; json(): { error: { reason: string } } }) => [
  response.statusCode,
  response.json().error.reason,
];

test('on the free plan, returns 201 for two endpoints of a test environment, 403 for live or all, and 409 for a third', async () => {
  const tenant = await aTenant({ plan: 'free' });
  const { data } = (await tenant.get('/environments')).json<{ data: { id: string; name: string }[] }>();
  const idOf = (name: string) => data.find((one) => one.name === name)?.id ?? null;
  const create = (environmentId: string | null) =>
    tenant.post('/webhooks', { url: 'https://hooks.example.com/', eventTypes: ['*'], environmentId });
  for (const environmentId of [null, idOf('live')])
    expect(refusal(await create(environmentId))).toEqual([403, 'live_webhooks_not_included']);
  const first = await create(idOf('test'));
  expect(first.statusCode, first.body).toBe(201);
  const { id } = first.json<{ webhook: { id: string } }>().webhook;
  expect(refusal(await tenant.patch(`/webhooks/${id}`, { environmentId: idOf('live') }))).toEqual([
    403,
    'live_webhooks_not_included',
  ]);
  expect((await create(idOf('test'))).statusCode).toBe(201);
  expect(refusal(await create(idOf('test')))).toEqual([409, 'plan_limit_reached']);
});
