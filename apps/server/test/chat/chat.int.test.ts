import { afterAll, expect, test } from 'vitest';
import { forceWakeConversation } from '../../src/features/conversations/turn/conversation.interface.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin, listen, withLoadAllowance } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, startWorkerInProcess, openApi, page } from './fixture.ts';
import { readEvents } from './stream-reader.ts';

const { model, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi({ ...chatSettings, LOG_LEVEL: process.env['CHAT_LOG'] ?? 'silent' });
const base = await listen(app);
afterAll(async () => {
  await close();
  await worker.stop();
});

interface SendResult {
  conversationId: string;
  message: { id: string; seq: number };
  reply: { text: string; citations: { title: string }[]; isAnswer: boolean } | null;
  turn: { status: string; mode: string } | null;
}

test('answers from the knowledge with a citation, without a model', async () => {
  const bot = await aBot(await aTenant());
  const visitor = await aVisitor(app, bot);
  const response = await visitor.say('how long do I have to get my money back?');
  expect(response.statusCode, response.body).toBe(200);
  const { reply, turn } = response.json<SendResult>();
  expect(turn).toMatchObject({ status: 'done', mode: 'extractive' });
  expect(reply?.text).toContain('30 days');
  expect(reply?.citations[0]?.title).toBe('Help');
});

test('answers with a model from the chunks, and counts tokens and cost', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant, { answers: { mode: 'model' } });
  model.script = () => ({ tokens: ['Thirty', 'days', '[1].'], everyMs: 1 });
  const visitor = await aVisitor(app, bot);
  const response = await visitor.say('how long do I have to get my money back?');
  const { reply, turn } = response.json<SendResult>();
  expect(turn, response.body).toMatchObject({ status: 'done', mode: 'model' });
  expect(reply?.text).toBe('Thirty days [1].');
  expect(reply?.citations).toHaveLength(1);
  const usage = await admin
    .selectFrom('usageDays')
    .selectAll()
    .where('tenantId', '=', tenant.tenantId)
    .executeTakeFirstOrThrow();
  expect(usage).toMatchObject({ messages: 1, turns: 1, modelTurns: 1 });
  expect(Number(usage.spendMicros)).toBeGreaterThan(0);
});

test('answers a message that was accepted while its conversation was being closed', async () => {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  const visitor = await aVisitor(app, await aBot(tenant));
  const { conversationId } = (await visitor.say('hello')).json<SendResult>();
  // Possible result of two concurrent transactions: closed, with one more question.
  const [turnId, messageId, replyId] = [newId('turn'), newId('message'), newId('message')];
  const position = { tenantId, conversationId: conversationId as Id<'conversation'> };
  const payload = JSON.stringify({ role: 'visitor', text: 'what does delivery cost?' });
  const message = { type: 'message.created', messageId, turnId, payload };
  await admin
    .insertInto('conversationEvents')
    .values({ ...position, seq: 4, ...message })
    .execute();
  await admin
    .insertInto('turns')
    .values({ ...position, id: turnId, seq: 4, messageId, replyId })
    .execute();
  await admin
    .updateTable('conversations')
    .set({ state: 'closed', lastSeq: 4 })
    .where('id', '=', conversationId)
    .execute();
  await forceWakeConversation(worker.platform.restate, { ...position, turnId });
  const reply = () =>
    admin.selectFrom('conversationEvents').select('payload').where('messageId', '=', replyId).executeTakeFirst();
  await expect.poll(async () => JSON.stringify(await reply()), { timeout: 10_000 }).toContain('4.90');
});

const ask = (botId: string, { sessionToken }: { sessionToken: string }, message: string, more: object = {}) =>
  readEvents(`${base}/widget/chatbots/${botId}/message`, {
    method: 'POST',
    headers: { origin: page, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionToken, message, ...more }),
  });

test('streams message.accepted immediately, also for a repeated message and while an agent has the conversation', async () => {
  model.script = () => ({ tokens: ['late'], everyMs: 1, firstAfterMs: 2_000 });
  const owner = await aTenant();
  const own = await aBot(owner, { answers: { mode: 'model' } });
  const visitor = await aVisitor(app, own);
  const more = { clientMessageId: 'one' };
  const startedAt = Date.now();
  const sent = await ask(own.botId, visitor, 'how long does delivery take?', more);
  const accepted = await sent.waitFor(() => true);
  expect(accepted.atMs - startedAt).toBeLessThan(await withLoadAllowance(1_000)); // long before the first token
  const { conversationId } = accepted.data as { conversationId: string };
  const [message] = (await visitor.get(`/widget/conversations/${conversationId}/messages`)).json<{ data: object[] }>()
    .data;
  expect([accepted.event, accepted.id, accepted.data]).toEqual(['message.accepted', 1, { conversationId, message }]);
  await sent.ended;
  const again = await ask(own.botId, visitor, 'how long does delivery take?', more);
  await again.ended;
  expect(again.events.map(({ id, event }) => [id, event])).toEqual([
    [1, 'message.accepted'],
    [2, 'turn.started'],
    [3, 'reply.completed'],
  ]);
  expect(again.events[0]?.data).toEqual(accepted.data);

  await owner.post(`/conversations/${conversationId}/claim`, {});
  const toPerson = await ask(own.botId, visitor, 'are you there?');
  expect(await toPerson.ended).toBe('ended');
  expect(toPerson.events.map(({ event, data }) => [event, data['conversationId']])).toEqual([
    ['message.accepted', conversationId],
  ]);
});

test('starts the stream with a comment line, so that a buffering proxy is detected', async () => {
  const visitor = await aVisitor(app, await aBot(await aTenant()));
  const { conversationId } = (await visitor.say('hello')).json<SendResult>();
  const leaving = new AbortController();
  const response = await fetch(`${base}/widget/conversations/${conversationId}/events?after=3`, {
    headers: { ...visitor.headers, accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  const startedAt = performance.now();
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value as Uint8Array)).toBe(':\n\n');
  expect(performance.now() - startedAt).toBeLessThan(await withLoadAllowance(1_000));
  leaving.abort();
});
