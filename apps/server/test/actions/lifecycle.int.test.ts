import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { signatureHeader } from '../../src/features/webhooks/delivery/signature.ts';
import { admin, anOperator } from '../harness.ts';
import { settled } from '../settled.ts';
import { aWebhookStack } from '../webhooks/fixture.ts';
import {
  answerBy,
  aShop,
  awaitEntry,
  cancel,
  confirm,
  isCard,
  isFinished,
  isSaid,
  logOf,
  lookUp,
  reply,
  type Handler,
  type Invocation,
  type Sent,
  type Shop,
} from './fixture.ts';

const stack = await aWebhookStack();
const { receiver, api, restate } = stack;
const handlers = new Map<string, Handler>();
answerBy(receiver, handlers);

const invocations = (shop: Shop): Invocation[] =>
  receiver.calls
    .filter(({ path }) => path === shop.path)
    .map(({ body }) => JSON.parse(body) as Invocation)
    .filter(({ type }) => type === 'action.invoke');

const ok: Handler = (_call, response) => reply(response, 200, { output: {}, display: 'It is done.' });
const later: Handler = (_call, response) => reply(response, 202, {});

/** Something that waits for the visitor's word. */
async function asked(shop: Shop) {
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<Sent>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  return { visitor, conversationId, card, runId: String(card.data['runId']) };
}
/** Something that the tenant's system has accepted, and will finish later. */
async function accepted(shop: Shop) {
  const { visitor, conversationId, card, runId } = await asked(shop);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isSaid(/taking a little longer/));
  return { visitor, conversationId, runId };
}

interface Line {
  webhookId: string;
  secret: string;
  tenantId: string;
}
async function anInboundLine(shop: Shop, webhookId: string = shop.webhookId): Promise<Line> {
  const made = await shop.tenant.post(`/webhooks/${webhookId}/inbound-secret`);
  return { webhookId, secret: made.json<{ secret: string }>().secret, tenantId: shop.tenant.tenantId };
}
function complete({ webhookId, secret, tenantId }: Line, data: object, key: string = randomUUID()) {
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
/** Its time is over, and the sweeper finds it. */
async function makeOverdue(runId: string, field: 'confirmBy' | 'completeBy') {
  const past = new Date(Date.now() - 60_000);
  await admin
    .updateTable('actionRuns')
    .set({ [field]: past })
    .where('id', '=', runId)
    .execute();
  await sql`update directory.timers set due_at = ${past} where subject_id = ${runId}`.execute(admin);
}

test('202, and later action.completed: the visitor is told; the same again is the same; the contrary is 409', async () => {
  const outputSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['refund'],
    properties: { refund: { type: 'number' } },
  };
  const shop = await aShop(stack, handlers, later, [{ ...cancel, outputSchema }]);
  const { visitor, conversationId, runId } = await accepted(shop);
  const line = await anInboundLine(shop);
  const good = { runId, status: 'succeeded', output: { refund: 12 }, display: 'You get 12 euros back.' };

  const wrong = await complete(line, { ...good, output: { refund: 'twelve' } });
  expect([wrong.statusCode, reasonOf(wrong)]).toEqual([422, 'invalid_output']);
  expect((await shop.run(runId)).state).toBe('accepted');

  const second = await shop.tenant.post('/webhooks', { url: `${receiver.url}/other`, eventTypes: ['ping'] });
  const other = await anInboundLine(shop, second.json<{ webhook: { id: string } }>().webhook.id);
  expect((await complete(other, good)).statusCode).toBe(404);
  const stranger = await aShop(stack, handlers, ok, []);
  expect((await complete(await anInboundLine(stranger), good)).statusCode).toBe(404);
  expect((await shop.run(runId)).state).toBe('accepted');

  const first = await complete(line, good);
  expect(first.statusCode, first.body).toBe(200);
  await awaitEntry(visitor, conversationId, isSaid(/^You get 12 euros back\.$/));
  const again = await complete(line, good);
  expect([again.statusCode, again.body]).toEqual([200, first.body]);
  const contrary = await complete(line, { runId, status: 'failed', error: { code: 'no', message: '' } });
  expect([contrary.statusCode, reasonOf(contrary)]).toEqual([409, 'run_ended']);
  expect((await logOf(visitor, conversationId)).filter(isSaid(/12 euros/))).toHaveLength(1);
  expect(invocations(shop)).toHaveLength(1);
});

test('never confirmed: when its time is over the visitor is told, and nothing is sent', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel]);
  const { visitor, conversationId, card, runId } = await asked(shop);
  await makeOverdue(runId, 'confirmBy');
  const end = await awaitEntry(visitor, conversationId, isFinished);
  expect(end.data).toMatchObject({ state: 'expired', outcome: 'failed' });
  const late = await confirm(visitor, conversationId, card);
  expect([late.statusCode, reasonOf(late)]).toEqual([409, 'confirmation_expired']);
  expect((await logOf(visitor, conversationId)).at(-1)?.data.message?.role).toBe('bot');
  expect(invocations(shop)).toHaveLength(0);
});

test('accepted and never completed: nobody knows, and that is what is said; found out later, that is said too', async () => {
  const shop = await aShop(stack, handlers, later, [cancel]);
  const { visitor, conversationId, runId } = await accepted(shop);
  await makeOverdue(runId, 'completeBy');
  const end = await awaitEntry(visitor, conversationId, isFinished);
  expect(end.data).toMatchObject({ state: 'unknown', outcome: 'unknown' });
  const known = await complete(await anInboundLine(shop), { runId, status: 'succeeded', output: {} });
  expect(known.statusCode, known.body).toBe(200);
  await awaitEntry(visitor, conversationId, (one) => isFinished(one) && one.data['state'] === 'reconciled');
  expect(await shop.run(runId)).toMatchObject({ state: 'reconciled', outcome: 'succeeded' });
  expect(invocations(shop)).toHaveLength(1);
});

test('closed while a card waits: it is cancelled, and cannot be confirmed any more', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel]);
  const { visitor, conversationId, card, runId } = await asked(shop);
  expect((await shop.tenant.post(`/conversations/${conversationId}/close`)).statusCode).toBe(200);
  expect(await shop.run(runId)).toMatchObject({ state: 'cancelled', outcome: 'failed' });
  const late = await confirm(visitor, conversationId, card);
  expect([late.statusCode, reasonOf(late)]).toEqual([409, 'confirmation_expired']);
  expect(invocations(shop)).toHaveLength(0);
});

/** A system that answers when it is told to. */
function aSlowSystem() {
  let [arrive, release]: [() => void, () => void] = [() => {}, () => {}];
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const handler: Handler = async (_call, response) => {
    arrive();
    await released;
    return reply(response, 200, { output: {}, display: 'It is done.' });
  };
  return { handler, arrived, release };
}

test('closed, or taken over, while it is under way: it goes on to its end, and the end is told', async () => {
  for (const how of ['close', 'claim']) {
    const slow = aSlowSystem();
    const shop = await aShop(stack, handlers, slow.handler, [cancel]);
    const { visitor, conversationId, card, runId } = await asked(shop);
    await confirm(visitor, conversationId, card);
    await slow.arrived;
    expect((await shop.tenant.post(`/conversations/${conversationId}/${how}`, {})).statusCode).toBe(200);
    slow.release();
    await awaitEntry(visitor, conversationId, isSaid(/^It is done\.$/));
    expect((await shop.run(runId)).state).toBe('succeeded');
  }
});

test('erased by the visitor: no row is left of it, nor where the unknown are listed, and nothing is sent', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 500, {}), [
    { ...cancel, effect: 'at_most_once' },
  ]);
  const { visitor, conversationId, card, runId } = await asked(shop);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isFinished);
  expect((await shop.run(runId)).state).toBe('unknown');
  const operator = await anOperator();
  /** Page by page: other tenants' runs are listed as well. */
  const listed = async (cursor = ''): Promise<boolean> => {
    const page = await operator.get(`/admin/unknown-runs?limit=100${cursor && `&cursor=${cursor}`}`);
    const { nextCursor } = page.json<{ nextCursor: string | null }>();
    return page.body.includes(runId) || (nextCursor !== null && listed(nextCursor));
  };
  expect(await listed()).toBe(true);
  await visitor.say('cancel my order A-200'); // and one that waits
  await awaitEntry(visitor, conversationId, (one) => isCard(one) && one.data['runId'] !== runId);
  const sent = invocations(shop).length;
  expect((await visitor.del('/widget/me')).statusCode).toBe(200);
  const rows = await admin.selectFrom('actionRuns').select('id').where('conversationId', '=', conversationId).execute();
  expect(rows).toEqual([]);
  expect(await listed()).toBe(false);
  expect((await shop.tenant.get(`/action-runs/${runId}`)).statusCode).toBe(404);
  expect((await complete(await anInboundLine(shop), { runId, status: 'succeeded', output: {} })).statusCode).toBe(404);
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
] as const)('the endpoint is %s: it has failed, nothing is sent, and the visitor is told', async (_name, change) => {
  const shop = await aShop(stack, handlers, ok, [cancel]);
  const { visitor, conversationId, card, runId } = await asked(shop);
  expect((await change(shop)).statusCode).toBeLessThan(300);
  await confirm(visitor, conversationId, card);
  const end = await awaitEntry(visitor, conversationId, isFinished);
  expect(end.data).toMatchObject({ state: 'failed', outcome: 'failed' });
  expect((await shop.run(runId)).reason).toMatch(/^endpoint_/);
  await awaitEntry(visitor, conversationId, isSaid(/didn’t work/));
  expect(invocations(shop)).toHaveLength(0);
});

test('a plan without actions: none is offered, and what waits in an earlier version is not called', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel, lookUp]);
  const { visitor, conversationId, card, runId } = await asked(shop);
  const operator = await anOperator();
  const url = `/admin/tenants/${shop.tenant.tenantId}/entitlements`;
  expect((await operator.patch(url, { overrides: { private_actions: 0 } })).statusCode).toBe(200);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isFinished);
  const { reason } = (await admin.selectFrom('actionRuns').select('reason').where('id', '=', runId).execute())[0] ?? {
    reason: '',
  };
  expect(reason).toBe('not_in_plan');
  const { reply: said } = (await visitor.say('where is my order A-777')).json<Sent>();
  expect(said?.isAnswer).toBe(false);
  expect(invocations(shop)).toHaveLength(0);
  expect((await shop.tenant.get('/action-runs')).statusCode).toBe(403);
});

test('a conversation keeps its version: a changed draft, or a deleted action, changes nothing for it', async () => {
  const shop = await aShop(stack, handlers, ok, [cancel, lookUp]);
  const { visitor, conversationId, card } = await asked(shop);
  const id = shop.ids.get('cancel_order');
  expect((await shop.tenant.patch(`/actions/${id}`, { name: 'other', title: 'Other' })).statusCode).toBe(200);
  await confirm(visitor, conversationId, card);
  await awaitEntry(visitor, conversationId, isSaid(/^It is done\.$/));
  const gone = await api.app.inject({ method: 'DELETE', url: `/actions/${id}`, headers: shop.tenant.headers });
  expect(gone.statusCode, gone.body).toBe(200);
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
