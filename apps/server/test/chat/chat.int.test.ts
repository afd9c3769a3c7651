import { afterAll, expect, test } from 'vitest';
import { wakeAnew } from '../../src/features/conversations/waking.ts';
import type { Id } from '../../src/platform/ids.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { admin } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, aWorkerHere, openApi } from './fixture.ts';

const { model, chatSettings } = await aChatStack();
const worker = await aWorkerHere(chatSettings);
const { app, close } = await openApi({ ...chatSettings, LOG_LEVEL: process.env['CHAT_LOG'] ?? 'silent' });
afterAll(async () => {
  await close();
  await worker.stop();
});

interface Sent {
  conversationId: string;
  message: { id: string; seq: number };
  reply: { text: string; citations: { title: string }[]; isAnswer: boolean } | null;
  turn: { status: string; mode: string } | null;
}

test('200: a question is answered from the knowledge, with its source, and without a model', async () => {
  const bot = await aBot(await aTenant());
  const visitor = await aVisitor(app, bot);
  const answer = await visitor.say('how long do I have to get my money back?');
  expect(answer.statusCode, answer.body).toBe(200);
  const { reply, turn } = answer.json<Sent>();
  expect(turn).toMatchObject({ status: 'done', mode: 'extractive' });
  expect(reply?.text).toContain('30 days');
  expect(reply?.citations[0]?.title).toBe('Help');
});

test('200: a model answers from the passages, and its tokens and cost are counted', async () => {
  const tenant = await aTenant();
  const bot = await aBot(tenant, { answers: { mode: 'model' } });
  model.script = () => ({ words: ['Thirty', 'days', '[1].'], everyMs: 1 });
  const visitor = await aVisitor(app, bot);
  const answer = await visitor.say('how long do I have to get my money back?');
  const { reply, turn } = answer.json<Sent>();
  expect(turn, answer.body).toMatchObject({ status: 'done', mode: 'model' });
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

test('a message accepted at the moment its conversation is closed is answered all the same', async () => {
  const tenant = await aTenant();
  const { tenantId } = tenant;
  const visitor = await aVisitor(app, await aBot(tenant));
  const { conversationId } = (await visitor.say('hello')).json<Sent>();
  // What two transactions at once may leave: closed, and with one more question in it.
  const [turnId, messageId, replyId] = [newId('turn'), newId('message'), newId('message')];
  const place = { tenantId, conversationId: conversationId as Id<'conversation'> };
  const payload = JSON.stringify({ role: 'visitor', text: 'what does delivery cost?' });
  const message = { type: 'message.created', messageId, turnId, payload };
  await admin
    .insertInto('conversationEvents')
    .values({ ...place, seq: 4, ...message })
    .execute();
  await admin
    .insertInto('turns')
    .values({ ...place, id: turnId, seq: 4, messageId, replyId })
    .execute();
  await admin
    .updateTable('conversations')
    .set({ state: 'closed', lastSeq: 4 })
    .where('id', '=', conversationId)
    .execute();
  await wakeAnew(worker.platform.engine, { ...place, turnId });
  const reply = () =>
    admin.selectFrom('conversationEvents').select('payload').where('messageId', '=', replyId).executeTakeFirst();
  await expect.poll(async () => JSON.stringify(await reply()), { timeout: 10_000 }).toContain('4.90');
});
