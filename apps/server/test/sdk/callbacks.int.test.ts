import { createParley, ParleyError } from '@parley/sdk';
import { actionHandler, memoryStore, withIdempotency, type ActionArguments } from '@parley/sdk/actions';
import { createInbound } from '@parley/sdk/inbound';
import { createReceiver, type ReceiverOptions } from '@parley/sdk/receiver';
import { verifyWebhook, type WebhookEvent } from '@parley/sdk/webhooks';
import { expect, test, vi } from 'vitest';
import type { ReceivedCall } from '../../../../tools/receiver/index.ts';
import { aKey, aTenant, listen } from '../harness.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';

// Requests of the real worker over TLS, received with the SDK.

vi.setConfig({ testTimeout: 120_000 });
const { receiver, api } = await aWebhookStack();
const apiUrl = await listen(api.app);
const eventually = <T>(check: () => T | Promise<T>) => expect.poll(check, { timeout: 60_000 });

const headersOf = ({ headers }: ReceivedCall) =>
  new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** An endpoint at the receiver, handled by the SDK. */
async function anEndpoint(options: Omit<ReceiverOptions, 'secrets'> = {}) {
  const tenant = await aTenant();
  const permissions = ['tenant.view', 'bot.view', 'bot.manage', 'webhook.manage', 'integration.manage'];
  const key = await aKey(tenant, { permissions: [...permissions, 'webhook.view', 'integration.view'] });
  const parley = createParley({ apiUrl, keyId: key.id, key: key.secret });
  const url = `${receiver.url}/${tenant.tenantId}`;
  const { webhook, secret } = await parley.createWebhook({ body: { url, eventTypes: ['*'] } });
  const events: WebhookEvent[] = [];
  const secrets = [secret];
  const receive = createReceiver({ onEvent: (event) => events.push(event), ...options, secrets });
  receiver.respond = async (call, response) => {
    const result = await receive(new Request(url, { method: 'POST', headers: headersOf(call), body: call.body }));
    response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text());
  };
  /** The last call of a type to this endpoint. Endpoints of earlier tests may still receive events. */
  const lastCall = (type: string) =>
    receiver.calls.findLast(
      ({ path, body }) => path === `/${tenant.tenantId}` && (JSON.parse(body) as { type: string }).type === type,
    ) as ReceivedCall;
  return { tenant, parley, webhook, secrets, events, lastCall };
}

test('verifies an event from the worker and passes it to the handler', async () => {
  const { tenant, parley, webhook, events } = await anEndpoint();
  const { bot } = await parley.createBot({ body: { name: 'Bot of today' } });
  await parley.publishBot({ path: { id: bot.id }, body: {} });
  await eventually(() => events.map(({ type }) => type)).toContain('bot.published');
  const event = events.find(({ type }) => type === 'bot.published');
  expect(event).toMatchObject({ tenantId: tenant.tenantId, botId: bot.id, test: false });
  if (event?.type === 'bot.published') expect(event.data.object.number).toBe(1); // narrows the type of data
  await eventually(async () => {
    const { data } = await parley.listWebhookDeliveries({ path: { webhookId: webhook.id } });
    return data.every(({ status }) => status === 'succeeded');
  }).toBe(true);
});

test('passes the security test of the service', async () => {
  const { parley, webhook } = await anEndpoint();
  const { attempt, checks } = await parley.testWebhook({ path: { webhookId: webhook.id }, body: { mode: 'security' } });
  expect(attempt).toMatchObject({ status: 200 });
  expect(checks.map(({ name, isPassed }) => [name, isPassed])).toEqual(
    ['good', 'repeated', 'forged', 'stale', 'mismatched'].map((name) => [name, true]),
  );
});

test('rejects a request with a changed byte or header', async () => {
  const { parley, webhook, secrets, lastCall } = await anEndpoint();
  await parley.testWebhook({ path: { webhookId: webhook.id }, body: {} });
  const call = lastCall('ping');
  const verify = (more: object = {}) => verifyWebhook({ body: call.body, headers: call.headers, secrets, ...more });
  expect(await verify()).toMatchObject({ type: 'ping', test: true });
  for (let at = 0; at < call.body.length; at += 7) {
    const body = Buffer.from(call.body);
    body[at] = (body[at] ?? 0) ^ 4;
    await expect(verify({ body })).rejects.toMatchObject({ reason: 'bad_signature' });
  }
  for (const name of ['x-service-tenant-id', 'x-service-action-id', 'idempotency-key', 'x-service-event'])
    await expect(verify({ headers: { ...call.headers, [name]: 'other' } })).rejects.toMatchObject({
      reason: 'header_mismatch',
    });
});

test('accepts requests with the old or the new secret during a rotation', async () => {
  const { parley, webhook, secrets } = await anEndpoint();
  const { secret } = await parley.rotateWebhookSecret({ path: { webhookId: webhook.id }, body: {} });
  const test = async () => (await parley.testWebhook({ path: { webhookId: webhook.id }, body: {} })).attempt.status;
  expect(await test(), 'with the old one').toBe(200);
  secrets.splice(0, 1, secret);
  expect(await test(), 'with the new one').toBe(200);
});

test('runs an action once, and returns the same response when the call is repeated', async () => {
  const handled: string[] = [];
  const store = memoryStore();
  const cancel = withIdempotency(store)(async ({ input, actor, call }: ActionArguments<{ orderId: string }>) => {
    handled.push(call.id);
    return { output: { orderId: input.orderId, of: actor.externalUserId ?? 'nobody' }, display: 'Cancelled.' };
  });
  const { tenant, parley, webhook, lastCall } = await anEndpoint({ actions: actionHandler({ cancel_order: cancel }) });
  const { action } = await parley.createAction({
    path: { id: tenant.botId },
    body: {
      name: 'cancel_order',
      title: 'Cancel',
      description: 'Cancels an order.',
      webhookId: webhook.id,
      risk: 'write',
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['orderId'],
        properties: { orderId: { type: 'string' } },
      },
    },
  });
  const tried = await parley.tryAction({
    path: { id: action.id },
    body: { input: { orderId: 'A-1' }, externalUserId: 'user-7' },
  });
  expect(tried.run).toMatchObject({ state: 'succeeded', output: { orderId: 'A-1', of: 'user-7' } });
  // The endpoint also receives events, including those of this run.
  const again = await replayCall(lastCall('action.invoke'));
  expect(again).toMatchObject({ output: { orderId: 'A-1' }, display: 'Cancelled.' });
  expect(handled).toEqual([tried.run.id]);
});

test('fails the run with unknown_action when there is no handler', async () => {
  const { tenant, parley, webhook } = await anEndpoint({ actions: actionHandler({}) });
  const { action } = await parley.createAction({
    path: { id: tenant.botId },
    body: { name: 'refund', title: 'Refund', description: 'Refunds.', webhookId: webhook.id, risk: 'read' },
  });
  const { run } = await parley.tryAction({ path: { id: action.id }, body: { input: {} } });
  expect(run).toMatchObject({ state: 'failed', error: { code: 'unknown_action' } });
  await expect(parley.getAction({ path: { id: 'act_01jz0000000000000000000000' } })).rejects.toThrow(ParleyError);
});

test('completes an accepted action with a later command, which can be repeated', async () => {
  const { tenant, parley, webhook } = await anEndpoint({
    actions: actionHandler({ refund: withIdempotency(memoryStore())(() => ({ accepted: true })) }),
  });
  const { action } = await parley.createAction({
    path: { id: tenant.botId },
    body: { name: 'refund', title: 'Refund', description: 'Refunds.', webhookId: webhook.id, risk: 'read' },
  });
  const { run } = await parley.tryAction({ path: { id: action.id }, body: { input: {} } });
  expect(run.state).toBe('accepted');
  const { secret } = await parley.makeInboundSecret({ path: { webhookId: webhook.id } });
  const command = {
    type: 'action.completed',
    data: { runId: run.id, status: 'succeeded', output: { sum: 3 } },
  } as const;
  const target = { apiUrl, tenantId: tenant.tenantId, webhookId: webhook.id };
  // Never the same: of the last digit only four bits count, so that one in 16 secrets ends in any given one.
  const otherSecret = secret.replace(/^whsec_(.)/, (_mark, digit: string) => `whsec_${digit === 'A' ? 'B' : 'A'}`);
  const stranger = createInbound({ ...target, secret: otherSecret });
  await expect(stranger(command)).rejects.toMatchObject({ status: 401, reason: 'signature_mismatch' });
  const notify = createInbound({ ...target, secret });
  expect(await notify(command)).toMatchObject({ result: { type: 'action.completed', id: run.id } });
  await notify(command);
  const ended = await parley.getActionRun({ path: { id: run.id } });
  expect(ended.run).toMatchObject({ state: 'succeeded', output: { sum: 3 } });
});

/** Sends the same bytes and headers again, as after a lost response. */
async function replayCall(call: ReceivedCall): Promise<unknown> {
  const responseBody = Promise.withResolvers<string>();
  const response = { writeHead: () => ({ end: (text: string) => responseBody.resolve(text) }) };
  await receiver.respond?.(call, response as never, undefined as never);
  return JSON.parse(await responseBody.promise);
}
