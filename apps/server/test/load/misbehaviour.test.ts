import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { createClient } from '../../../../load/client.ts';
import { createMeasures } from '../../../../load/measures.ts';
import { visit } from '../../../../load/visitor.ts';

// What the product must never do, done by a server of the test: the suite has to notice it.

interface Message {
  clientMessageId: string;
}
type OnMessage = (message: Message, response: ServerResponse, n: number) => void;

/** A widget API that does with messages what the test says. */
async function aServer(onMessage: OnMessage) {
  const messages: Message[] = [];
  const json = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const readBody = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString()) as Message;
  };
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/cdn/')) return void json(response, 200, {});
    if (url === '/widget/sessions/anonymous') return void json(response, 200, { sessionToken: 'token' });
    if (url.includes('/events')) {
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    }
    void readBody(request).then((message) => {
      messages.push(message);
      onMessage(message, response, messages.length);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const measures = createMeasures(['all'], () => 'all');
  const client = createClient(measures);
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** A visitor with one message, who doesn't wait long. */
  const aVisit = async ({ isOver = new AbortController().signal, seed = oneMessage, hurry = 100_000 } = {}) => {
    const tenant = { tenantId: 'ten_1', botId: 'bot_1', publicKey: 'pk' };
    const deps = { target: { apiUrl, siteUrl: 'https://shop.example' }, client, measures, isOver };
    await visit({ ...deps, hurry, giveUpMs: 1_500, settleMs: 300 }, tenant, seed, performance.now());
    return { ...measures.result(), messages, outcomes: measures.phase('all').outcomes('widget') };
  };
  return { aVisit, json };
}
/** With this seed, a visitor sends one message. */
const oneMessage = 4;
const fourMessages = 5;

const entry = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const accepted = (seq: number) =>
  entry(seq, 'message.accepted', { conversationId: 'conv_1', message: { seq, turnId: 'turn_1' } });
const completed = (seq: number) => entry(seq, 'reply.completed', { turnId: 'turn_1', message: { role: 'bot' } });
const stream = (response: ServerResponse, ...entries: string[]) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(entries.join(''));

test('a message that is accepted and answered is neither lost nor repeated', async () => {
  const { aVisit } = await aServer((_message, response) => stream(response, accepted(1), completed(2)));
  const { totals, problems, messages } = await aVisit();
  expect(messages).toHaveLength(1);
  expect(totals).toEqual({ visits: 1, messages: 1, 'messages accepted': 1 });
  expect(problems).toEqual({});
});

test('a visitor who is still thinking when the run ends sends nothing more', async () => {
  const over = new AbortController();
  const { aVisit } = await aServer((_message, response) => {
    stream(response, accepted(1), completed(2));
    setTimeout(() => over.abort(), 100);
  });
  const { messages, totals } = await aVisit({ isOver: over.signal, seed: fourMessages, hurry: 1 });
  expect(messages).toHaveLength(1);
  expect(totals).toEqual({ visits: 1, messages: 1, 'messages accepted': 1 });
});

test('an accepted message whose answer never comes is lost', async () => {
  const { aVisit } = await aServer((_message, response) => stream(response, accepted(1)));
  expect((await aVisit()).totals).toMatchObject({ 'messages accepted': 1, 'messages lost': 1 });
});

test('an answer or message that is written twice, and an entry that is sent twice, are counted', async () => {
  const again = entry(2, 'message.created', { message: { role: 'visitor' } });
  const { aVisit } = await aServer((_message, response) =>
    stream(response, accepted(1), again, completed(3), completed(3), completed(4)),
  );
  expect((await aVisit()).totals).toMatchObject({
    'messages repeated': 1,
    'entries repeated': 1,
    'answers repeated': 1,
  });
});

test('a refused message is sent again with the same ID, after the time that the refusal says', async () => {
  const times: number[] = [];
  const { aVisit, json } = await aServer((_message, response, n) => {
    times.push(performance.now());
    const headers = { 'retry-after': '1', 'x-request-id': 'req_1', ratelimit: '"x";r=0;t=1' };
    if (n === 1) json(response, 429, {}, headers);
    else stream(response, accepted(1), completed(2));
  });
  const { messages, totals, outcomes } = await aVisit();
  expect(messages[1]?.clientMessageId).toBe(messages[0]?.clientMessageId);
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
  expect(totals).toMatchObject({ 'requests repeated': 1, 'messages accepted': 1 });
  expect(totals).not.toHaveProperty('refusals without their headers');
  expect(outcomes).toMatchObject({ limited: 1, failed: 0 });
});

test('a 503 without Retry-After, and a connection that breaks, are counted; what is never accepted is not lost', async () => {
  const { aVisit, json } = await aServer((_message, response, n) => {
    if (n === 1) json(response, 503, {}, { 'x-request-id': 'req_1' });
    else response.destroy();
  });
  const { totals, outcomes, problems } = await aVisit();
  expect(totals).toMatchObject({ 'refusals without their headers': 1, 'messages given up': 1 });
  expect(totals).not.toHaveProperty('messages lost');
  expect(outcomes.unavailable).toBe(1);
  expect(outcomes.failed).toBeGreaterThan(0);
  expect(problems).toHaveProperty('503 without retry-after');
});
