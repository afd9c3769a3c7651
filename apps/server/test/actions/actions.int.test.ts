import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
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
} from './fixture.ts';

const stack = await aWebhookStack();
const { receiver, model, api } = stack;
const handlers = new Map<string, Handler>();
answerBy(receiver, handlers);

const callsTo = (path: string) => receiver.calls.filter((call) => call.path === path);

test('200: without a model, a phrase and a number are enough: the answer of the tenant’s system is what the visitor reads', async () => {
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
  const { reply: said, turn, conversationId } = response.json<Sent>();
  expect(said?.text).toBe('Order A-4711 is on its way.');
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

test('200: what is missing is asked for, one by one, and what does not fit is asked for again', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: { status: 'packed' } }),
    [{ ...lookUp, questions: { orderId: 'Which order is it?' } }],
  );
  const visitor = await shop.visitor();
  expect((await visitor.say('track my parcel')).json<Sent>().reply?.text).toBe('Which order is it?');
  expect((await visitor.say('the red one')).json<Sent>().reply?.text).toContain('Which order is it?');
  expect(callsTo(shop.path)).toHaveLength(0);
  expect((await visitor.say('it is B-1234, please')).json<Sent>().reply?.text).toBe('- **status:** packed');
  expect(callsTo(shop.path)).toHaveLength(1);
});

test('what writes is shown first: nothing is sent before exactly these arguments are confirmed', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: {}, display: 'Your order is cancelled.' }),
    [cancel],
  );
  const visitor = await shop.visitor();
  const { conversationId, reply: said } = (await visitor.say('cancel my order A-100')).json<Sent>();
  expect(said?.text).toContain('confirm');
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
  await awaitEntry(visitor, conversationId, isSaid(/^Your order is cancelled\.$/));
  expect(callsTo(shop.path)).toHaveLength(1);
  expect((await confirm(visitor, conversationId, card, false)).statusCode).toBe(409);
});

test('declined: nothing is sent, and the visitor is told so', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 200, { output: {} }), [cancel]);
  const visitor = await shop.visitor();
  const { conversationId } = (await visitor.say('cancel my order A-100')).json<Sent>();
  const card = await awaitEntry(visitor, conversationId, isCard);
  await confirm(visitor, conversationId, card, false);
  await awaitEntry(visitor, conversationId, isSaid(/won’t do that/));
  expect(callsTo(shop.path)).toHaveLength(0);
});

test('200: a model calls it as a tool, gets the result as data, and answers with it', async () => {
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
          words: ['It', 'is', JSON.stringify(result.content).includes('in Hamburg') ? 'in Hamburg.' : 'lost.'],
          everyMs: 0,
        }
      : { words: [], everyMs: 0, toolCalls: [{ name: 'order_status', input: { orderId: 'A-4711' } }] };
  };
  const visitor = await shop.visitor();
  const { reply: said, turn } = (await visitor.say('where is A-4711?')).json<Sent>();
  expect(said?.text).toBe('It is in Hamburg.');
  expect(turn).toMatchObject({ status: 'done', mode: 'model' });
  expect(callsTo(shop.path)).toHaveLength(1);
});

test('for a signed-in contact the call carries who they are, signed with a published key, and bound to the arguments', async () => {
  const shop = await aShop(
    stack,
    handlers,
    (_call, response) => reply(response, 200, { output: {}, display: 'Yours.' }),
    [{ ...lookUp, requiresContact: true }],
  );
  const visitor = await shop.visitor();
  expect((await visitor.say('where is my order A-1234')).json<Sent>().reply?.text).toContain('signed in');
  expect(callsTo(shop.path)).toHaveLength(0);
  const contact = await shop.contact('user-7');
  expect((await contact.say('where is my order A-1234')).json<Sent>().reply?.text).toBe('Yours.');
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

test('tried: a real signed call, marked as a test, with what was sent and what came back', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 200, { output: { ok: true } }), [
    cancel,
  ]);
  const tried = await shop.tenant.post(`/actions/${shop.ids.get('cancel_order')}/try`, { input: { orderId: 'A-555' } });
  expect(tried.statusCode, tried.body).toBe(200);
  expect(tried.json()).toMatchObject({
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

test('202: the visitor is told that it takes longer, and then how it ended', async () => {
  const shop = await aShop(stack, handlers, (_call, response) => reply(response, 202, {}), [lookUp]);
  const visitor = await shop.visitor();
  const { conversationId, reply: said } = (await visitor.say('where is my order A-777')).json<Sent>();
  expect(said?.text).toContain('taking a little longer');
  const [run] = await shop.runs();
  expect(run?.state).toBe('accepted');
  await awaitEntry(visitor, conversationId, ({ type }) => type === 'action.started');
  expect((await logOf(visitor, conversationId)).some(isFinished)).toBe(false);
});
