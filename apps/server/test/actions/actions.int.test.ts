import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
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
} from './fixture.ts';

const stack = await aWebhookStack();
const { receiver, model, api } = stack;
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);

const callsTo = (path: string) => receiver.calls.filter((call) => call.path === path);

test('runs an action without a model from a trigger phrase and a value, and shows the response to the visitor', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (call, response) =>
      reply(response, 200, {
        output: { status: 'on its way' },
        display: `Order ${String(call.input['orderId'])} is on its way.`,
      }),
    [lookUp],
  );
  const visitor = await shop.visitor();
  const response = await visitor.say('Where is my order A-4711?');
  expect(response.statusCode, response.body).toBe(200);
  const { reply: message, turn, conversationId } = response.json<SendResult>();
  expect(message?.text).toBe('Order A-4711 is on its way.');
  expect(turn).toMatchObject({ status: 'done', mode: 'extractive' });
  const [call] = callsTo(shop.path);
  expect(call?.problem).toBeNull();
  const body = JSON.parse(call?.body ?? '') as Invocation;
  expect(body).toMatchObject({
    type: 'action.invoke',
    action: 'order_status',
    input: { orderId: 'A-4711' },
    test: false,
  });
  expect(call?.headers['idempotency-key']).toBe(body.id);
  expect(call?.headers['x-service-action-id']).toBe(body.actionId);
  const types = (await logOf(visitor, conversationId)).map(({ type }) => type);
  expect(types).toEqual(['message.created', 'turn.started', 'action.started', 'action.finished', 'reply.completed']);
  expect(await shop.run(body.id)).toMatchObject({
    state: 'succeeded',
    outcome: 'succeeded',
    attempts: [{ end: 'answered' }],
  });
});

test('asks for missing fields one by one, and again for invalid values', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: { status: 'packed' } }),
    [{ ...lookUp, questions: { orderId: 'Which order is it?' } }],
  );
  const visitor = await shop.visitor();
  expect((await visitor.say('track my parcel')).json<SendResult>().reply?.text).toBe('Which order is it?');
  expect((await visitor.say('the red one')).json<SendResult>().reply?.text).toContain('Which order is it?');
  expect(callsTo(shop.path)).toHaveLength(0);
  expect((await visitor.say('it is B-1234, please')).json<SendResult>().reply?.text).toBe('- **status:** packed');
  expect(callsTo(shop.path)).toHaveLength(1);
});

test('a visitor who asks for a person instead of a missing field waits for one, and nothing is called', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 200, { output: {} }), [lookUp]);
  const visitor = await shop.visitor();
  await visitor.say('track my parcel');
  await visitor.say('I want to speak to a person');
  expect((await visitor.say('B-1234')).json<SendResult>().reply).toBeNull(); // an agent has the conversation
  expect(callsTo(shop.path)).toHaveLength(0);
});

test('sends a write only after the visitor confirmed exactly these arguments', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: {}, display: 'Your order is cancelled.' }),
    [cancel],
  );
  const visitor = await shop.visitor();
  const { conversationId, reply: message } = (await visitor.say('cancel my order A-100')).json<SendResult>();
  expect(message?.text).toContain('confirm');
  const card = await awaitEntry(visitor, conversationId, isCard);
  expect(card.data).toMatchObject({ title: 'Cancel an order', fields: [{ label: 'Order number', value: 'A-100' }] });
  expect(callsTo(shop.path)).toHaveLength(0);
  const other = await visitor.post(`/widget/conversations/${conversationId}/confirm`, {
    runId: card.data['runId'],
    argsHash: 'b'.repeat(64),
    isConfirmed: true,
  });
  expect(other.statusCode).toBe(409);
  const stranger = await shop.visitor();
  await stranger.say('hello');
  expect((await confirm(stranger, conversationId, card)).statusCode).toBe(404);
  expect(callsTo(shop.path)).toHaveLength(0);
  expect((await confirm(visitor, conversationId, card)).statusCode).toBe(200);
  expect((await confirm(visitor, conversationId, card)).statusCode).toBe(200);
  await awaitEntry(visitor, conversationId, isBotMessage(/^Your order is cancelled\.$/));
  expect(callsTo(shop.path)).toHaveLength(1);
  expect((await confirm(visitor, conversationId, card, false)).statusCode).toBe(409);
});

test('sends nothing after the visitor declined', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 200, { output: {} }), [cancel]);
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<SendResult>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  await confirm(visitor, conversationId, card, false);
  await awaitEntry(visitor, conversationId, isBotMessage(/won’t do that/));
  expect(callsTo(shop.path)).toHaveLength(0);
});

test('a model calls the action as a tool and replies with its result', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: { status: 'in Hamburg' } }),
    [lookUp],
    { answers: { mode: 'model' } },
  );
  model.script = (request) => {
    const result = request.messages.findLast(({ role }) => role === 'tool');
    return result
      ? {
          tokens: ['It', 'is', JSON.stringify(result.content).includes('in Hamburg') ? 'in Hamburg.' : 'lost.'],
          everyMs: 0,
        }
      : { tokens: [], everyMs: 0, toolCalls: [{ name: 'order_status', input: { orderId: 'A-4711' } }] };
  };
  const visitor = await shop.visitor();
  const { reply: message, turn } = (await visitor.say('where is A-4711?')).json<SendResult>();
  expect(message?.text).toBe('It is in Hamburg.');
  expect(turn).toMatchObject({ status: 'done', mode: 'model' });
  expect(callsTo(shop.path)).toHaveLength(1);
});

test('sends a signed end-user assertion, bound to the arguments, for a signed-in contact', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: {}, display: 'Yours.' }),
    [{ ...lookUp, requiresContact: true }],
  );
  const visitor = await shop.visitor();
  expect((await visitor.say('where is my order A-1234')).json<SendResult>().reply?.text).toContain('signed in');
  expect(callsTo(shop.path)).toHaveLength(0);
  const contact = await shop.contact('user-7');
  expect((await contact.say('where is my order A-1234')).json<SendResult>().reply?.text).toBe('Yours.');
  const [call] = callsTo(shop.path);
  const body = JSON.parse(call?.body ?? '') as Invocation;
  expect(body.actor).toMatchObject({ type: 'contact', externalUserId: 'user-7' });
  const jwks = (await api.app.inject({ method: 'GET', url: '/.well-known/jwks.json' })).json<{ keys: never[] }>();
  expect(JSON.stringify(jwks)).not.toContain('"d"');
  const { payload } = await jwtVerify(String(call?.headers['x-service-end-user']), createLocalJWKSet(jwks), {
    audience: shop.tenant.tenantId,
    algorithms: ['ES256'],
  });
  expect(payload).toMatchObject({ sub: 'user-7', args_hash: body.argsHash, run_id: body.id });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
});

test('a test run sends a signed request marked as a test, and returns the exchange', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 200, { output: { ok: true } }), [
    cancel,
  ]);
  const tested = await shop.tenant.post(`/actions/${shop.ids.get('cancel_order')}/try`, {
    input: { orderId: 'A-555' },
  });
  expect(tested.statusCode, tested.body).toBe(200);
  expect(tested.json()).toMatchObject({
    run: { state: 'succeeded', isTest: true },
    exchange: {
      response: { status: 200 },
      request: { headers: { 'idempotency-key': expect.stringMatching(/^arun_/) as string } },
    },
  });
  expect(JSON.parse(callsTo(shop.path)[0]?.body ?? '')).toMatchObject({ test: true, input: { orderId: 'A-555' } });
  const wrong = await shop.tenant.post(`/actions/${shop.ids.get('cancel_order')}/try`, {
    input: { orderId: 'nonsense' },
  });
  expect(wrong.statusCode).toBe(400);
});

test('tells the visitor that it takes longer when the backend returns 202', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 202, {}), [lookUp]);
  const visitor = await shop.visitor();
  const { conversationId, reply: message } = (await visitor.say('where is my order A-777')).json<SendResult>();
  expect(message?.text).toContain('taking a little longer');
  const [run] = await shop.runs();
  expect(run?.state).toBe('accepted');
  await awaitEntry(visitor, conversationId, ({ type }) => type === 'action.started');
  expect((await logOf(visitor, conversationId)).some(isFinished)).toBe(false);
});
