import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { signatureHeader } from '../../src/features/webhooks/delivery/signature.ts';
import { admin, anOperator } from '../harness.ts';
import { settled } from '../settled.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import {
  handleCalls,
  aShop,
  awaitEntry,
  cancel,
  confirm,
  isCard,
  isFinished,
  isBotMessage,
  logOf,
  lookUp,
  reply,
  type Handler,
  type Invocation,
  type SendResult,
  type Shop,
} from './fixture.ts';

const stack = await aWebhookStack();
const { receiver, api, restate } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);

const invocations = (shop: Shop): Invocation[] =>
  receiver.calls
    .filter(({ path }) => path === shop.path)
    .map(({ body }) => JSON.parse(body) as Invocation)
    .filter(({ type }) => type === 'action.invoke');

const ok: Handler = (_call, response) => reply(response, 200, { output: {}, display: 'It is done.' });
const acceptOnly: Handler = (_call, response) => reply(response, 202, {});

/** A run that waits for confirmation. */
async function awaitingConfirmation(shop: Shop) {
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<SendResult>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  return { visitor, conversationId, card, runId: String(card.data['runId']) };
}
/** A run that the backend accepted with 202. */
async function accepted(shop: Shop) {
  const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isBotMessage(/taking a little longer/));
  return { visitor, conversationId, runId };
}

interface InboundEndpoint {
  webhookId: string;
  secret: string;
  tenantId: string;
}
async function createInboundEndpoint(shop: Shop, webhookId: string = shop.webhookId): Promise<InboundEndpoint> {
  const created = await shop.tenant.post(`/webhooks/${webhookId}/inbound-secret`);
  return { webhookId, secret: created.json<{ secret: string }>().secret, tenantId: shop.tenant.tenantId };
}
function complete({ webhookId, secret, tenantId }: InboundEndpoint, data: object, key: string = randomUUID()) {
  const payload = JSON.stringify({ type: 'action.completed', data });
  const at = Math.floor(Date.now() / 1_000);
  return api.app.inject({
    method: 'POST',
    url: '/webhooks/inbound',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': signatureHeader([secret], at, Buffer.from(payload)),
      'x-service-timestamp': String(at),
      'x-service-tenant-id': tenantId,
      'x-service-webhook-id': webhookId,
      'idempotency-key': key,
    },
    payload,
  });
}

const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;
/** Moves a deadline into the past, so that the sweeper picks up the run. */
async function makeOverdue(runId: string, field: 'confirmBy' | 'completeBy') {
  const past = new Date(Date.now() - 60_000);
  await admin
    .updateTable('actionRuns')
    .set({ [field]: past })
    .where('id', '=', runId)
    .execute();
  await sql`update directory.timers set due_at = ${past} where subject_id = ${runId}`.execute(admin);
}

test('action.completed after 202 notifies the visitor, is idempotent, and returns 409 for another outcome', async () => {
  const outputSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['refund'],
    properties: { refund: { type: 'number' } },
  };
  const shop = await aShop(stack, handlers, acceptOnly, [{ ...cancel, outputSchema }]);
  const { visitor, conversationId, runId } = await accepted(shop);
  const inbound = await createInboundEndpoint(shop);
  const good = { runId, status: 'succeeded', output: { refund: 12 }, display: 'You get 12 euros back.' };

  const wrong = await complete(inbound, { ...good, output: { refund: 'twelve' } });
  expect([wrong.statusCode, reasonOf(wrong)]).toEqual([422, 'invalid_output']);
  expect((await shop.run(runId)).state).toBe('accepted');

  const second = await shop.tenant.post('/webhooks', { url: `${receiver.url}/other`, eventTypes: ['ping'] });
  const other = await createInboundEndpoint(shop, second.json<{ webhook: { id: string } }>().webhook.id);
  expect((await complete(other, good)).statusCode).toBe(404);
  const stranger = await aShop(stack, handlers, ok, []);
  expect((await complete(await createInboundEndpoint(stranger), good)).statusCode).toBe(404);
  expect((await shop.run(runId)).state).toBe('accepted');

  const first = await complete(inbound, good);
  expect(first.statusCode, first.body).toBe(200);
  await awaitEntry(visitor, conversationId, isBotMessage(/^You get 12 euros back\.$/));
  const again = await complete(inbound, good);
  expect([again.statusCode, again.body]).toEqual([200, first.body]);
  const contrary = await complete(inbound, { runId, status: 'failed', error: { code: 'no', message: '' } });
  expect([contrary.statusCode, reasonOf(contrary)]).toEqual([409, 'run_ended']);
  expect((await logOf(visitor, conversationId)).filter(isBotMessage(/12 euros/))).toHaveLength(1);
  expect(invocations(shop)).toHaveLength(1);
});

test('an unconfirmed run expires, notifies the visitor and sends nothing', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel]);
  const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
  await makeOverdue(runId, 'confirmBy');
  const end = await awaitEntry(visitor, conversationId, isFinished);
  expect(end.data).toMatchObject({ state: 'expired', outcome: 'failed' });
  const late = await confirm(visitor, conversationId, card);
  expect([late.statusCode, reasonOf(late)]).toEqual([409, 'confirmation_expired']);
  expect((await logOf(visitor, conversationId)).at(-1)?.data.message?.role).toBe('bot');
  expect(invocations(shop)).toHaveLength(0);
});

test('an accepted run without completion ends as unknown, and a late completion reconciles it', async () => {
  const shop = await aShop(stack, handlers, acceptOnly, [cancel]);
  const { visitor, conversationId, runId } = await accepted(shop);
  await makeOverdue(runId, 'completeBy');
  const end = await awaitEntry(visitor, conversationId, isFinished);
  expect(end.data).toMatchObject({ state: 'unknown', outcome: 'unknown' });
  const completed = await complete(await createInboundEndpoint(shop), { runId, status: 'succeeded', output: {} });
  expect(completed.statusCode, completed.body).toBe(200);
  await awaitEntry(visitor, conversationId, (one) => isFinished(one) && one.data['state'] === 'reconciled');
  expect(await shop.run(runId)).toMatchObject({ state: 'reconciled', outcome: 'succeeded' });
  expect(invocations(shop)).toHaveLength(1);
});

test('closing the conversation cancels an unconfirmed run, and confirming it returns 409', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel]);
  const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
  expect((await shop.tenant.post(`/conversations/${conversationId}/close`)).statusCode).toBe(200);
  expect(await shop.run(runId)).toMatchObject({ state: 'cancelled', outcome: 'failed' });
  const late = await confirm(visitor, conversationId, card);
  expect([late.statusCode, reasonOf(late)]).toEqual([409, 'confirmation_expired']);
  expect(invocations(shop)).toHaveLength(0);
});

/** A backend that responds when `release` is called. */
function aSlowSystem() {
  let [onArrive, release]: [() => void, () => void] = [() => {}, () => {}];
  const arrived = new Promise<void>((resolve) => (onArrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const handler: Handler = async (_call, response) => {
    onArrive();
    await released;
    return reply(response, 200, { output: {}, display: 'It is done.' });
  };
  return { handler, arrived, release };
}

/** A run whose request has arrived in the tenant's system when the command is sent, and which succeeds afterwards. */
async function inProgressDuring(command: 'close' | 'claim') {
  const slow = aSlowSystem();
  const shop = await aShop(stack, handlers, slow.handler, [cancel]);
  const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
  await confirm(visitor, conversationId, card);
  await slow.arrived;
  expect((await shop.tenant.post(`/conversations/${conversationId}/${command}`, {})).statusCode).toBe(200);
  slow.release();
  await awaitEntry(visitor, conversationId, isFinished);
  expect((await shop.run(runId)).state).toBe('succeeded');
  return { visitor, conversationId };
}

test('a run in progress finishes and notifies the visitor after the conversation is closed', async () => {
  const { visitor, conversationId } = await inProgressDuring('close');
  await awaitEntry(visitor, conversationId, isBotMessage(/^It is done\.$/));
});

test('a run in progress finishes after a claim, and the bot leaves it to the agent to say so', async () => {
  const { visitor, conversationId } = await inProgressDuring('claim');
  const log = await logOf(visitor, conversationId); // the message would be in the same transaction as the end of the run
  expect(log.filter(isBotMessage(/It is done/))).toEqual([]);
});

test('erasure by the visitor deletes all runs, including unknown ones, and sends nothing more', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 500, {}), [
    { ...cancel, effect: 'at_most_once' },
  ]);
  const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isFinished);
  expect((await shop.run(runId)).state).toBe('unknown');
  const operator = await anOperator();
  /** Pages through the list, because it contains runs of other tests. */
  const isListed = async (cursor = ''): Promise<boolean> => {
    const page = await operator.get(`/admin/unknown-runs?limit=100${cursor && `&cursor=${cursor}`}`);
    const { nextCursor } = page.json<{ nextCursor: string | null }>();
    return page.body.includes(runId) || (nextCursor !== null && isListed(nextCursor));
  };
  expect(await isListed()).toBe(true);
  await visitor.say('cancel my order A-200'); // and one that awaits confirmation
  await awaitEntry(visitor, conversationId, (one) => isCard(one) && one.data['runId'] !== runId);
  const sent = invocations(shop).length;
  expect((await visitor.del('/widget/me')).statusCode).toBe(200);
  const rows = await admin.selectFrom('actionRuns').select('id').where('conversationId', '=', conversationId).execute();
  expect(rows).toEqual([]);
  expect(await isListed()).toBe(false);
  expect((await shop.tenant.get(`/action-runs/${runId}`)).statusCode).toBe(404);
  expect(
    (await complete(await createInboundEndpoint(shop), { runId, status: 'succeeded', output: {} })).statusCode,
  ).toBe(404);
  await settled(restate, shop.tenant);
  expect(invocations(shop)).toHaveLength(sent);
  const events = await admin.selectFrom('events').select('body').where('tenantId', '=', shop.tenant.tenantId).execute();
  expect(events.some(({ body }) => body.includes('A-100') || body.includes('A-200'))).toBe(false);
});

test.each([
  ['paused', (shop: Shop) => shop.tenant.post(`/webhooks/${shop.webhookId}/pause`)],
  [
    'deleted',
    (shop: Shop) =>
      api.app.inject({ method: 'DELETE', url: `/webhooks/${shop.webhookId}`, headers: shop.tenant.headers }),
  ],
  [
    'disabled',
    async (shop: Shop) => {
      await admin.updateTable('webhooks').set({ status: 'disabled' }).where('id', '=', shop.webhookId).execute();
      return { statusCode: 200 };
    },
  ],
] as const)(
  'a run fails without sending anything and notifies the visitor when the endpoint is %s',
  async (_name, change) => {
    const shop = await aShop(stack, handlers, ok, [cancel]);
    const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
    expect((await change(shop)).statusCode).toBeLessThan(300);
    await confirm(visitor, conversationId, card);
    const end = await awaitEntry(visitor, conversationId, isFinished);
    expect(end.data).toMatchObject({ state: 'failed', outcome: 'failed' });
    expect((await shop.run(runId)).reason).toMatch(/^endpoint_/);
    await awaitEntry(visitor, conversationId, isBotMessage(/didn’t work/));
    expect(invocations(shop)).toHaveLength(0);
  },
);

test('a plan without actions offers none, and does not send runs proposed before', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel, lookUp]);
  const { visitor, conversationId, card, runId } = await awaitingConfirmation(shop);
  const operator = await anOperator();
  const url = `/admin/tenants/${shop.tenant.tenantId}/entitlements`;
  expect((await operator.patch(url, { overrides: { private_actions: 0 } })).statusCode).toBe(200);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isFinished);
  const { reason } = (await admin.selectFrom('actionRuns').select('reason').where('id', '=', runId).execute())[0] ?? {
    reason: '',
  };
  expect(reason).toBe('not_in_plan');
  const { reply: message } = (await visitor.say('where is my order A-777')).json<SendResult>();
  expect(message?.isAnswer).toBe(false);
  expect(invocations(shop)).toHaveLength(0);
  expect((await shop.tenant.get('/action-runs')).statusCode).toBe(403);
});

test('a conversation keeps its published version when actions are changed or deleted in the draft', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel, lookUp]);
  const { visitor, conversationId, card } = await awaitingConfirmation(shop);
  const id = shop.ids.get('cancel_order');
  expect((await shop.tenant.patch(`/actions/${id}`, { name: 'other', title: 'Other' })).statusCode).toBe(200);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isBotMessage(/^It is done\.$/));
  const deleted = await api.app.inject({ method: 'DELETE', url: `/actions/${id}`, headers: shop.tenant.headers });
  expect(deleted.statusCode, deleted.body).toBe(200);
  await visitor.say('cancel my order A-300');
  const second = await awaitEntry(visitor, conversationId, (one) => isCard(one) && one.seq > card.seq);
  expect(second.data).toMatchObject({ title: 'Cancel an order', fields: [{ value: 'A-300' }] });
  await confirm(visitor, conversationId, second);
  await awaitEntry(visitor, conversationId, (one) => isFinished(one) && one.seq > second.seq);
  expect(invocations(shop).map(({ action, input }) => [action, input['orderId']])).toEqual([
    ['cancel_order', 'A-100'],
    ['cancel_order', 'A-300'],
  ]);
});
