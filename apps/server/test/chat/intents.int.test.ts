import { afterAll, expect, test } from 'vitest';
import { textsIn } from '../../src/features/answers/index.ts';
import { admin, eventsOf } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, openApi, startWorkerInProcess } from './fixture.ts';
import type { SendResponse } from './helpers.ts';

const { model, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const { app, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

const en = textsIn('en');
const de = textsIn('de');

async function aChat(content: Record<string, unknown> = {}, plan: 'team' | 'free' = 'team') {
  const tenant = await aTenant({ plan });
  const visitor = await aVisitor(app, await aBot(tenant, content));
  const say = async (text: string, more: object = {}) => (await visitor.say(text, more)).json<SendResponse>();
  const stateOf = async (id: string) =>
    (await tenant.get(`/conversations/${id}`)).json<{ conversation: { state: string } }>().conversation.state;
  return { tenant, say, stateOf };
}

test('a visitor who asks for a person waits for one, and the bot says so', async () => {
  const { tenant, say, stateOf } = await aChat();
  const { conversationId, reply } = await say('I want to speak to a person');
  expect(reply).toMatchObject({ role: 'bot', text: en.handedOff, citations: [] });
  expect(await stateOf(conversationId)).toBe('waiting_human');
  const types = await eventsOf(tenant.tenantId);
  expect(types.filter((type) => type === 'conversation.handoff_requested')).toHaveLength(1);
  expect(await say('hello?')).toMatchObject({ reply: null, turn: null }); // the bot does not talk in between
});

test('the owner’s handoff message is what a visitor who asks for a person reads', async () => {
  const { say } = await aChat({ handoff: { message: 'Ada is on her way.' } });
  expect((await say('agent please')).reply?.text).toBe('Ada is on her way.');
});

test.each([
  ['the plan has no handoff', {}, 'free' as const],
  ['the bot offers none', { handoff: { isOffered: false } }, 'team' as const],
])('a visitor who asks for a person is told that there is none if %s', async (_, content, plan) => {
  const { say, stateOf } = await aChat(content, plan);
  const { conversationId, reply } = await say('Can I talk to a human?');
  expect(reply).toMatchObject({ text: en.noPerson, isHandoffOffered: false });
  expect(await stateOf(conversationId)).toBe('bot');
  // Nor does a refusal promise one.
  expect((await say('Do you rent out tractors on Jupiter?')).reply?.text).toBe(en.noAnswer);
});

test('thanks, greetings and the like get a reply of their own, and count as no question', async () => {
  const { tenant, say } = await aChat({ greeting: 'Ahoy!', replies: { goodbye: 'Fair winds!' } });
  const replies = [
    ['thanks!', en.thanks],
    ['hello', 'Ahoy!'],
    ['bye bye', 'Fair winds!'],
    ['are you a robot?', en.identity],
    ['you are useless', en.abuse],
    ['never mind', en.stop],
  ] as const;
  for (const [text, expected] of replies)
    expect((await say(text)).reply, text).toMatchObject({ text: expected, isAnswer: null, isHandoffOffered: false });
  const days = await admin.selectFrom('usageDays').selectAll().where('tenantId', '=', tenant.tenantId).execute();
  expect(days.map(({ answered, unanswered }) => [answered, unanswered])).toEqual([[0, 0]]);
});

test('a question is answered whatever is around it', async () => {
  const { say } = await aChat();
  expect((await say('Thanks! And how long does delivery take?')).reply?.text).toContain('two to four working days');
  expect((await say('Hello, how long does the delivery take for one person?')).reply?.text).toContain('two to four');
});

test('a message to which nothing was found gets the reply to what it probably is', async () => {
  const { say, stateOf } = await aChat();
  expect((await say('Splendid stuff indeed, cheers old chap')).reply?.text).toBe(en.thanks);
  const { conversationId, reply } = await say('Does an operator read my novel as well?');
  expect(reply).toMatchObject({ text: `${en.noAnswer} ${en.orPerson}`, isHandoffOffered: true });
  expect(await stateOf(conversationId)).toBe('bot'); // not certain enough to hand it over
});

test('a reply is in the language of the message, if the bot has it', async () => {
  const { say, stateOf } = await aChat({ languages: ['en', 'de'] });
  const page = { context: { language: 'en' } };
  expect((await say('Vermieten Sie auch Traktoren auf dem Jupiter?', page)).reply?.text).toBe(
    `${de.noAnswer} ${de.orPerson}`,
  );
  expect((await say('Do you rent out tractors on Jupiter?', { context: { language: 'de' } })).reply?.text).toBe(
    `${en.noAnswer} ${en.orPerson}`,
  );
  expect((await say('vielen Dank!', page)).reply?.text).toBe(de.thanks);
  const { conversationId, reply } = await say('Ich möchte mit einem Mitarbeiter sprechen', page);
  expect(reply?.text).toBe(de.handedOff);
  expect(await stateOf(conversationId)).toBe('waiting_human');
});

test('a bot with a model follows the same rules, without asking the model', async () => {
  const { say, stateOf } = await aChat({ answers: { mode: 'model' } });
  const calls = model.calls.length;
  expect((await say('thank you so much')).reply?.text).toBe(en.thanks);
  const { conversationId, reply, turn } = await say('let me talk to a human');
  expect([reply?.text, turn?.mode]).toEqual([en.handedOff, 'extractive']);
  expect(await stateOf(conversationId)).toBe('waiting_human');
  expect(model.calls).toHaveLength(calls);
});
