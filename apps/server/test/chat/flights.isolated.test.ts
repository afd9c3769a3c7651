import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { aShop, handleCalls, lookUp, reply, type Handler } from '../actions/fixture.ts';
import { countFlights } from '../flights.ts';
import { openApi, urlAs } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, serveWorkflows, type TestBot } from './fixture.ts';
import type { SendResponse } from './helpers.ts';

// How often the API and the worker wait for PostgreSQL until a message is answered, without the relay and the sweeper.

const receiver = await startReceiver();
const { dir, model, chatSettings } = await aChatStack();
const caFile = join(dir, 'flights-ca.pem');
writeFileSync(caFile, receiver.caPem);
const [toApi, toWorker] = await Promise.all([countFlights(urlAs('parley_app')), countFlights(urlAs('parley_app'))]);
const settings = { ...chatSettings, EGRESS_TENANT_OPEN_HOSTS: receiver.host, EGRESS_CA_FILE: caFile };
const worker = await serveWorkflows({ ...settings, DATABASE_URL: toWorker.url });
const api = await openApi({ ...settings, DATABASE_URL: toApi.url });
const handlers = new Map<string, Handler>();
handleCalls(receiver, handlers);
afterAll(async () => {
  await api.close();
  await worker.stop();
  await receiver.stop();
  toApi.close();
  toWorker.close();
});

const question = 'how long do I have to get my money back?';

interface MessageInput {
  text: string;
  isNew?: boolean;
  expected: object;
}

/** The fewest of some rounds: a cache may expire in one of them, or a connection be opened. */
async function flightsOf(bot: TestBot, { text, isNew = false, expected }: MessageInput) {
  const counts = { accepted: Infinity, turn: Infinity };
  let visitor = await aVisitor(api.app, bot);
  for (let round = 0; round < 6; round++) {
    if (isNew) visitor = await aVisitor(api.app, bot);
    const clientMessageId = `message-${round}`;
    const counted = await toApi.during(() => toWorker.during(() => visitor.say(text, { clientMessageId })));
    const { flights, result: response } = counted.result;
    expect(response.json<SendResponse>().turn, response.body).toMatchObject({ status: 'done', ...expected });
    counts.accepted = Math.min(counts.accepted, counted.flights);
    counts.turn = Math.min(counts.turn, counted.flights + flights);
  }
  return counts;
}

test('a message is accepted in three round trips, and answered from the knowledge after three more', async () => {
  const bot = await aBot(await aTenant());
  const expected = { mode: 'extractive' };
  expect(await flightsOf(bot, { text: question, expected })).toEqual({ accepted: 3, turn: 6 });
  // Also if it starts a conversation.
  expect(await flightsOf(bot, { text: question, isNew: true, expected })).toEqual({ accepted: 3, turn: 6 });
});

test('a turn with one call of a model takes 13 round trips', async () => {
  model.script = () => ({ tokens: ['Thirty', 'days', '[1].'], everyMs: 1 });
  const bot = await aBot(await aTenant(), { answers: { mode: 'model' } });
  expect(await flightsOf(bot, { text: question, expected: { mode: 'model' } })).toEqual({ accepted: 3, turn: 13 });
});

test('a turn with an action takes 14 round trips', async () => {
  const handler: Handler = (_call, response) => reply(response, 200, { output: {}, display: 'On its way.' });
  const { bot } = await aShop({ receiver, api }, handlers, handler, [lookUp]);
  const expected = { mode: 'extractive' };
  expect(await flightsOf(bot, { text: 'Where is my order A-4711?', expected })).toEqual({ accepted: 3, turn: 14 });
});
