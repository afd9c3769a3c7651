import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from '../../../../tools/receiver/index.ts';
import { aShop, handleCalls, lookUp, reply, type Handler } from '../actions/fixture.ts';
import { countFlights } from '../flights.ts';
import { admin, openApi, urlAs } from '../harness.ts';
import { aBot, aChatStack, aTenant, aVisitor, serveWorkflows, type TestBot } from './fixture.ts';
import type { SendResponse } from './helpers.ts';

// How often the API and the worker wait for PostgreSQL until a message is answered, without the relay and the sweeper.

const receiver = await startReceiver();
const { dir, model, chatSettings } = await aChatStack();
const caFile = join(dir, 'flights-ca.pem');
writeFileSync(caFile, receiver.caPem);
const [toApi, toWorker] = await Promise.all([countFlights(urlAs('parley_app')), countFlights(urlAs('parley_app'))]);
const embeddings = { provider: 'openai-compatible', baseUrl: model.url, model: 'test', dimensions: 8, inputPrice: 0 };
const settings = {
  ...chatSettings,
  EGRESS_TENANT_OPEN_HOSTS: receiver.host,
  EGRESS_CA_FILE: caFile,
  EMBEDDINGS: JSON.stringify(embeddings), // the image contains a model, so this is what most deployments have
};
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

/** A bot whose chunks have vectors. */
async function aBotWithVectors(draft: Parameters<typeof aBot>[1] = {}) {
  const tenant = await aTenant();
  const bot = await aBot(tenant, draft);
  await sql`
    insert into knowledge_embeddings (tenant_id, document_id, place, source_id, model, embedding)
    select tenant_id, document_id, place, source_id, 'test/8', '\\x0102030405060708' from knowledge_chunks
    where tenant_id = ${tenant.tenantId}`.execute(admin);
  return bot;
}

test('a message is accepted in three round trips, and answered from the knowledge after four more', async () => {
  const bot = await aBotWithVectors();
  const expected = { mode: 'extractive' };
  expect(await flightsOf(bot, { text: question, expected })).toEqual({ accepted: 3, turn: 7 });
  // Also if it starts a conversation.
  expect(await flightsOf(bot, { text: question, isNew: true, expected })).toEqual({ accepted: 3, turn: 7 });
});

test('a turn with one call of a model takes 14 round trips', async () => {
  model.script = () => ({ tokens: ['Thirty', 'days', '[1].'], everyMs: 1 });
  const bot = await aBotWithVectors({ answers: { mode: 'model' } });
  expect(await flightsOf(bot, { text: question, expected: { mode: 'model' } })).toEqual({ accepted: 3, turn: 14 });
});

test('a turn with an action takes 16 round trips', async () => {
  const handler: Handler = (_call, response) => reply(response, 200, { output: {}, display: 'On its way.' });
  const { bot } = await aShop({ receiver, api }, handlers, handler, [lookUp]);
  const expected = { mode: 'extractive' };
  expect(await flightsOf(bot, { text: 'Where is my order A-4711?', expected })).toEqual({ accepted: 3, turn: 16 });
});
