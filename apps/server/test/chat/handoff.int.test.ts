import { afterAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { admin, aUser, eventsOf, type TestTenant, listen } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, startWorkerInProcess, openApi, page } from './fixture.ts';
import { allow, until, type MessageResponse, type SendResponse } from './helpers.ts';
import { invocationsFinished } from '../settled.ts';
import { readEvents } from './stream-reader.ts';
import { isFull } from '../../../../tools/testing/size.ts';

const { model, restate, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
const base = await listen(app);
afterAll(async () => {
  await close();
  await worker.stop();
});

const anAgent = ({ tenantId }: TestTenant, roles = ['agent']) => aUser([{ tenantId, roles }]);

/** A visitor with a message, and two agents. */
async function aChat(content: Record<string, unknown> = {}, plan: 'team' | 'free' = 'team') {
  const tenant = await aTenant({ plan });
  const bot = await aBot(tenant, content);
  const visitor = await aVisitor(app, bot);
  const { conversationId } = (await visitor.say('how much is delivery?')).json<SendResponse>();
  const [agent, other] = [await anAgent(tenant), await anAgent(tenant)];
  return {
    tenant,
    bot,
    visitor,
    conversationId,
    agent,
    other,
    at: `/conversations/${conversationId}`,
    mine: `/widget/conversations/${conversationId}`,
  };
}
type Chat = Awaited<ReturnType<typeof aChat>>;

const stateOf = async ({ tenant, at }: Chat) =>
  (await tenant.get(at)).json<{ conversation: { state: string; assigneeId: string | null; lastSeq: number } }>()
    .conversation;
const follow = ({ visitor, mine }: Chat, after = 0) =>
  readEvents(`${base}${mine}/events?after=${after}`, { headers: visitor.headers });
const followAsAgent = ({ agent, at }: Chat) => readEvents(`${base}${at}/events?after=0`, { headers: agent.headers });
const ok = (response: { statusCode: number; body: string }) =>
  expect(response.statusCode, response.body).toBeLessThan(300);
const reasonOf = (response: { body: string }) =>
  (JSON.parse(response.body) as { error: { reason: string } }).error.reason;

describe('agent', () => {
  test('claims, replies, hands back and closes, on the same stream as the bot', async () => {
    const chat = await aChat();
    const { visitor, agent, at, mine, tenant } = chat;
    const stream = await follow(chat);
    const requested = await visitor.post(`${mine}/handoff`, { reason: 'I want a person' });
    expect(requested.json()).toMatchObject({ conversation: { state: 'waiting_human' } });
    ok(await visitor.post(`${mine}/handoff`, {})); // idempotent
    const waiting = await visitor.say('is somebody there?');
    expect(waiting.json<SendResponse>()).toMatchObject({ reply: null, turn: null });

    ok(await agent.post(`${at}/claim`, {}));
    expect(await stateOf(chat)).toMatchObject({ state: 'human', assigneeId: agent.userId });
    ok(await agent.post(`${at}/replies`, { text: 'A person here.', clientMessageId: 'r1' }));
    ok(await agent.post(`${at}/replies`, { text: 'A person here.', clientMessageId: 'r1' }));
    expect((await visitor.say('how much is delivery?')).json<SendResponse>()).toMatchObject({
      reply: null,
      turn: null,
    });

    ok(await agent.post(`${at}/hand-back`));
    expect(await stateOf(chat)).toMatchObject({ state: 'bot', assigneeId: null });
    const answered = (await visitor.say('how much is delivery?')).json<SendResponse>();
    expect(answered.reply?.text).toContain('4.90');
    ok(await agent.post(`${at}/close`));
    const { data } = await stream.waitFor(({ data: { state } }) => state === 'closed');
    expect(data).toMatchObject({ state: 'closed' });

    const states = stream.events.flatMap(({ event, data: { state } }) =>
      event === 'conversation.updated' ? [state] : [],
    );
    expect(states).toEqual(['waiting_human', 'human', 'bot', 'closed']);
    const roles = stream.events.flatMap(({ data: { message } }) => (message ? [message.role] : []));
    expect(roles).toEqual(['visitor', 'bot', 'bot', 'visitor', 'agent', 'visitor', 'visitor', 'bot']);
    expect(stream.events.map(({ id }) => id)).toEqual(stream.events.map((_, position) => position + 1));

    const next = (await visitor.say('how much is delivery?')).json<SendResponse>();
    expect(next.conversationId).not.toBe(chat.conversationId);
    expect(next.reply?.text).toContain('4.90');
    const emitted = (await eventsOf(tenant.tenantId)).filter((type) => type.startsWith('conversation.'));
    expect(emitted).toEqual([
      'conversation.created',
      'conversation.handoff_requested',
      'conversation.handoff_accepted',
      'conversation.reopened',
      'conversation.resolved',
      'conversation.created',
    ]);
  });

  test('returns 409 to all but one of the concurrent claims', async () => {
    for (let round = 0; round < (isFull ? 5 : 2); round++) {
      const chat = await aChat();
      const responses = await Promise.all([chat.agent, chat.other].map((one) => one.post(`${chat.at}/claim`, {})));
      expect(responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
      const winner = responses[0]?.statusCode === 200 ? chat.agent : chat.other;
      expect((await stateOf(chat)).assigneeId).toBe(winner.userId);
      const late = await (winner === chat.agent ? chat.other : chat.agent).post(`${chat.at}/claim`, {});
      expect([late.statusCode, reasonOf(late)]).toEqual([409, 'claimed_by_another']);
      ok(await winner.post(`${chat.at}/claim`, {})); // their own claim, repeated
      expect((await eventsOf(chat.tenant.tenantId)).filter((type) => /accepted/.test(type))).toHaveLength(1);
    }
  });

  test('assigns it to a colleague, who then replies; 404 for someone who is not a member', async () => {
    const chat = await aChat();
    const { agent, other, at } = chat;
    ok(await agent.post(`${at}/claim`, {}));
    ok(await agent.post(`${at}/claim`, { assigneeId: other.userId }));
    expect((await stateOf(chat)).assigneeId).toBe(other.userId);
    ok(await other.post(`${at}/replies`, { text: 'I am here now.' }));
    expect((await agent.post(`${at}/replies`, { text: 'Me too.' })).statusCode).toBe(409);
    const stranger = await anAgent(await aTenant());
    for (const assigneeId of [stranger.userId, newId('user')])
      expect((await agent.post(`${at}/claim`, { assigneeId })).statusCode).toBe(404);
    expect((await stateOf(chat)).assigneeId).toBe(other.userId);
  });

  test('returns 409 when someone other than the assignee replies', async () => {
    const chat = await aChat();
    const { agent, other, at } = chat;
    expect(reasonOf(await agent.post(`${at}/replies`, { text: 'Too early.' }))).toBe('not_claimed');
    ok(await agent.post(`${at}/claim`, {}));
    expect(reasonOf(await other.post(`${at}/replies`, { text: 'Not mine.' }))).toBe('not_claimed');
    ok(await agent.post(`${at}/replies`, { text: 'Mine.' }));
    const texts = await chat.visitor.get(`${chat.mine}/messages`);
    expect(texts.body).toContain('Mine.');
    expect(texts.body).not.toMatch(/Too early|Not mine/);
  });

  test('returns 403 without conversation.reply, and for reading without conversation.view', async () => {
    const chat = await aChat();
    const { tenant, at } = chat;
    const viewer = await anAgent(tenant, ['viewer']);
    const calls = [`${at}/claim`, `${at}/replies`, `${at}/notes`, `${at}/hand-back`, `${at}/close`];
    for (const url of calls) {
      const body = /replies|notes/.test(url) ? { text: 'x' } : /claim/.test(url) ? {} : undefined;
      const response = await viewer.post(url, body);
      expect([url, response.statusCode, reasonOf(response)]).toEqual([url, 403, 'permission_missing']);
    }
    ok(await viewer.get(at));
    const stranger = await anAgent(await aTenant());
    for (const url of [at, `${at}/messages`, `${at}/events`]) expect((await stranger.get(url)).statusCode).toBe(404);
    expect((await stranger.post(`${at}/claim`, {})).statusCode).toBe(404);
  });

  test('returns 403 when the plan lacks human_handoff', async () => {
    const chat = await aChat({}, 'free');
    const requested = await chat.visitor.post(`${chat.mine}/handoff`, {});
    expect([requested.statusCode, reasonOf(requested)]).toEqual([403, 'entitlement_missing']);
    for (const [url, body] of [
      ['claim', {}],
      ['replies', { text: 'x' }],
    ] as const) {
      const response = await chat.agent.post(`${chat.at}/${url}`, body);
      expect([response.statusCode, reasonOf(response)]).toEqual([403, 'entitlement_missing']);
    }
    await allow(chat.tenant, { human_handoff: 1 });
    await until(async () => (await chat.visitor.post(`${chat.mine}/handoff`, {})).statusCode === 200);
  });
});

describe('note', () => {
  test('is not in the visitor’s stream, messages or export, and leaves no gap in the sequence', async () => {
    const chat = await aChat();
    const { agent, visitor, at, mine } = chat;
    const [live, staff] = [await follow(chat), await followAsAgent(chat)];
    await live.waitFor(({ id }) => id === 3);
    ok(await agent.post(`${at}/notes`, { text: 'SECRET-NOTE' }));
    ok(await agent.post(`${at}/claim`, {}));
    ok(await agent.post(`${at}/notes`, { text: 'SECRET-NOTE again' }));
    ok(await agent.post(`${at}/replies`, { text: 'Good day.' }));
    await live.waitFor(({ data: { message } }) => message?.text === 'Good day.');
    const later = await follow(chat);
    await later.waitFor(({ data: { message } }) => message?.text === 'Good day.');
    for (const { events } of [live, later]) {
      expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(JSON.stringify(events)).not.toContain('SECRET');
    }
    expect(live.events.map(({ event, data }) => [event, data])).toEqual(
      later.events.map(({ event, data }) => [event, data]),
    );
    await staff.waitFor(({ id }) => id === 7);
    expect(staff.events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(JSON.stringify(staff.events)).toContain('SECRET-NOTE again');
    expect((await agent.get(`${at}/messages`)).body).toContain('SECRET-NOTE');
    for (const url of [`${mine}/messages`, `${mine}/events`, '/widget/me'])
      expect((await visitor.get(url)).body, url).not.toContain('SECRET');
    expect((await agent.get('/conversations')).json<{ data: { preview: string }[] }>().data[0]?.preview).toBe(
      'Good day.',
    );
    expect((await eventsOf(chat.tenant.tenantId)).filter((type) => type === 'message.created')).toHaveLength(3);
  });

  test('is not part of the model’s input', async () => {
    const chat = await aChat({ answers: { mode: 'model' } });
    ok(await chat.agent.post(`${chat.at}/notes`, { text: 'SECRET-NOTE' }));
    await chat.visitor.say('what did they note about me?');
    expect(JSON.stringify(model.calls.at(-1)?.body)).not.toContain('SECRET');
  });
});

describe('claim', () => {
  test('cancels queued and running turns, and the bot stops replying', async () => {
    const chat = await aChat({ answers: { mode: 'model' } });
    const { visitor, agent, at, conversationId } = chat;
    const mayContinue = Promise.withResolvers<void>();
    const tokens = Array.from({ length: 60 }, (_, n) => `word${n}`);
    model.script = () => ({ tokens, everyMs: 1, hold: { at: 20, until: mayContinue.promise } });
    const calls = model.calls.length;
    const turnsOf = () =>
      admin.selectFrom('turns').selectAll().where('conversationId', '=', conversationId).orderBy('seq').execute();
    const post = (message: string) =>
      readEvents(`${base}/widget/chatbots/${chat.bot.botId}/message`, {
        method: 'POST',
        headers: { origin: page, 'content-type': 'application/json' },
        body: JSON.stringify({ sessionToken: visitor.sessionToken, message }),
      });
    const running = await post('how much is delivery?');
    await running.waitFor(({ event }) => event === 'reply.delta');
    const queued = visitor.say('and refunds?');
    await until(async () => (await turnsOf()).length === 3);
    ok(await agent.post(`${at}/claim`, {}));
    expect
      .soft((await queued).json<SendResponse>())
      .toMatchObject({ reply: null, turn: { status: 'cancelled', reason: 'handed_off' } });
    const turns = await turnsOf();
    expect(turns.map(({ status }) => status)).toEqual(['done', 'cancelled', 'cancelled']);

    // Waiting clients learn that there will be no reply, and receive no more deltas.
    expect(await running.ended, 'the stream of the cancelled turn ends').toBe('ended');
    expect(running.events.filter(({ data: { text } }) => text?.includes('word20'))).toEqual([]);
    await until(() => model.calls.at(-1)?.endedAt !== undefined);
    mayContinue.resolve();
    await invocationsFinished(restate, chat.tenant);
    expect(model.calls.length - calls).toBe(1);
    expect(
      (await visitor.get(`${chat.mine}/messages`))
        .json<{ data: MessageResponse[] }>()
        .data.filter(({ role }) => role === 'bot'),
    ).toHaveLength(1);
    expect.soft(model.calls.at(-1)?.abortedByClient, 'the model is not paid for what nobody will see').toBe(true);

    model.script = () => ({ tokens: ['Back', 'again.'], everyMs: 1 });
    ok(await agent.post(`${at}/hand-back`));
    expect((await visitor.say('how much is delivery?')).json<SendResponse>().reply?.text).toBe('Back again.');
  });

  test('returns 409 for a closed conversation', async () => {
    const chat = await aChat();
    ok(await chat.agent.post(`${chat.at}/close`));
    ok(await chat.agent.post(`${chat.at}/close`));
    for (const [url, body] of [
      ['claim', {}],
      ['hand-back', undefined],
    ] as const)
      expect(reasonOf(await chat.agent.post(`${chat.at}/${url}`, body))).toBe('conversation_closed');
    expect(reasonOf(await chat.visitor.post(`${chat.mine}/handoff`, {}))).toBe('conversation_closed');
  });

  test('close cancels the running turn: no reply follows', async () => {
    const chat = await aChat({ answers: { mode: 'model' } });
    const mayAnswer = Promise.withResolvers<void>();
    model.script = () => ({ tokens: ['late'], everyMs: 1, hold: { at: 0, until: mayAnswer.promise } });
    const calls = model.calls.length;
    const pending = chat.visitor.say('how much is delivery?');
    await until(() => model.calls.length > calls);
    ok(await chat.agent.post(`${chat.at}/close`));
    expect((await pending).json<SendResponse>()).toMatchObject({ reply: null, turn: { status: 'cancelled' } });
    mayAnswer.resolve();
    await until(() => model.calls.at(-1)?.endedAt !== undefined);
    await invocationsFinished(restate, chat.tenant);
    const log = await admin
      .selectFrom('conversationEvents')
      .selectAll()
      .where('conversationId', '=', chat.conversationId)
      .orderBy('seq')
      .execute();
    expect(log.at(-1)?.type).toBe('conversation.updated');
  });
});

describe('handoff offer', () => {
  test('is made after consecutive unanswered questions, and an answer resets the count', async () => {
    const tenant = await aTenant();
    const bot = await aBot(tenant, { handoff: { afterUnanswered: 3 } });
    const visitor = await aVisitor(app, bot);
    const offers = [];
    for (const question of ['xyzzy?', 'plugh?', 'how much is delivery?', 'xyzzy?', 'plugh?', 'frotz?', 'blorple?']) {
      const { reply } = (await visitor.say(question)).json<SendResponse>();
      offers.push([reply?.isAnswer, reply?.isHandoffOffered]);
    }
    const [no, yes, offered] = [
      [false, false],
      [true, false],
      [false, true],
    ];
    expect(offers).toEqual([no, no, yes, no, no, offered, offered]);
  });

  test('is not made when the bot does not offer handoff', async () => {
    const bot = await aBot(await aTenant(), { handoff: { afterUnanswered: 1, isOffered: false } });
    const visitor = await aVisitor(app, bot);
    expect((await visitor.say('xyzzy?')).json<SendResponse>().reply).toMatchObject({
      isAnswer: false,
      isHandoffOffered: false,
    });
  });

  test('is not made when the plan lacks human_handoff', async () => {
    const bot = await aBot(await aTenant({ plan: 'free' }), { handoff: { afterUnanswered: 1 } });
    const visitor = await aVisitor(app, bot);
    expect((await visitor.say('xyzzy?')).json<SendResponse>().reply).toMatchObject({
      isAnswer: false,
      isHandoffOffered: false,
    });
  });
});
