import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { instruments } from '../../src/platform/metrics/instruments.ts';
import { admin } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, openApi, startWorkerInProcess, type TestBot } from './fixture.ts';
import { until } from './helpers.ts';

// More messages than the workers can start: those that were accepted are answered, the others are refused and come again.

const { chatSettings } = await aChatStack();
let worker = await startWorkerInProcess(chatSettings);
const { app, platform, close } = await openApi(chatSettings);
afterAll(async () => {
  await close();
  await worker.stop();
});

const countMessages = async ({ botId }: TestBot, statuses = ['queued', 'running', 'done']) => {
  const { n } = await admin
    .selectFrom('turns')
    .innerJoin('conversations', 'conversations.id', 'turns.conversationId')
    .where('botId', '=', botId)
    .where('status', 'in', statuses)
    .select((eb) => eb.fn.countAll().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
};

test('without a worker, 50 messages are accepted and answered later; further ones get 503 until one has started', async () => {
  const [bot, neighbour] = [await aBot(await aTenant()), await aBot(await aTenant())];
  await worker.stop();
  const visitors = await Promise.all(Array.from({ length: 50 }, () => aVisitor(app, bot)));
  const answers = visitors.map(({ say }) => say('When do you open?'));
  await until(async () => (await countMessages(bot)) === 50);
  await sleep(1_000);

  const refusedTotal = async () =>
    Number((await instruments.getSingleMetricAsString('parley_messages_refused_total')).split(' ').at(-1));
  const refusedBefore = await refusedTotal();
  const late = await aVisitor(app, bot);
  const refused = await late.say('When do you open?');
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ error: { code: 'UNAVAILABLE', reason: 'busy' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(3);
  expect(await countMessages(bot), 'nothing of it was stored').toBe(50);
  expect(await platform.metrics.getSingleMetricAsString('parley_messages_waiting')).toMatch(/ 50$/);
  expect(await refusedTotal()).toBe(refusedBefore + 1);
  const ofNeighbour = (await aVisitor(app, neighbour)).say('When do you open?');
  await until(async () => (await countMessages(neighbour)) === 1);

  worker = await startWorkerInProcess(chatSettings);
  // A response comes after at most 25 seconds; a busy machine may take longer.
  const allDone = (of: TestBot, expected: number) =>
    until(async () => (await countMessages(of, ['done'])) === expected, 60_000);
  await Promise.all([allDone(bot, 50), allDone(neighbour, 1)]);
  for (const { statusCode } of await Promise.all([...answers, ofNeighbour])) expect([200, 202]).toContain(statusCode);
  expect([200, 202]).toContain((await late.say('When do you open?')).statusCode);
  await allDone(bot, 51);
});
