import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { isFull } from '../../../../tools/testing/size.ts';
import { admin, countLockWaits, type TestTenant, listen } from '../harness.ts';
import {
  aBot,
  aChatStack,
  aTenant,
  aVisitor,
  startWorkerInProcess,
  openApi,
  page,
  type SessionResponse,
  type TestBot,
} from './fixture.ts';
import { deploy, noValkey, open, publish, until, textOf, type SendResponse } from './helpers.ts';
import { readEvents, renderReply, type StreamEvent } from './stream-reader.ts';

const { model, chatSettings } = await aChatStack();
const worker = await startWorkerInProcess(chatSettings);
const first = await openApi(chatSettings);
const second = await openApi(chatSettings);
const deaf = await openApi({ ...chatSettings, ...(await noValkey()) });
const { app } = first;
const [base, secondBase, deafBase] = [await listen(app), await listen(second.app), await listen(deaf.app)];
afterAll(async () => {
  await Promise.all([first.close(), second.close(), deaf.close()]);
  await worker.stop();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The clock of the caches. Frozen until moved, so that no entry expires on its own. */
function stopClock() {
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
  return { move: (ms: number) => clock.mockReturnValue(now + ms) };
}

let tenant: TestTenant;
let quoting: TestBot;
let writing: TestBot;
beforeAll(async () => {
  tenant = await aTenant();
  quoting = await aBot(tenant);
  writing = await aBot(await aTenant(), { answers: { mode: 'model' } });
});

type Visitor = Awaited<ReturnType<typeof aVisitor>>;
const ask = (at: string, botId: string, { sessionToken }: SessionResponse, message: string, more: object = {}) =>
  readEvents(`${at}/widget/chatbots/${botId}/message`, {
    method: 'POST',
    headers: { origin: page, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionToken, message, ...more }),
  });
const followAt = (at: string, { headers }: Visitor, conversationId: string, after = 0) =>
  readEvents(`${at}/widget/conversations/${conversationId}/events?after=${after}`, { headers });

const tokens = (n: number, name = 'word') => Array.from({ length: n }, (_, index) => `${name}${index}`);
const logOf = (conversationId: string) =>
  admin
    .selectFrom('conversationEvents')
    .selectAll()
    .where('conversationId', '=', conversationId)
    .orderBy('seq')
    .execute();
const turnsOf = (conversationId: string) =>
  admin.selectFrom('turns').selectAll().where('conversationId', '=', conversationId).orderBy('seq').execute();
const isReplyTo = (turnId: string | undefined) => (entry: StreamEvent) =>
  entry.event === 'reply.completed' && entry.data.turnId === turnId;

describe('sending a message', () => {
  test('returns 400 for the URL of a page that is not on the web, since agents see it as a link', async () => {
    const visitor = await aVisitor(app, quoting);
    const statusFor = async (pageUrl: string) => (await visitor.say('hello', { context: { pageUrl } })).statusCode;
    for (const pageUrl of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ftp://shop.example/'])
      expect(await statusFor(pageUrl), pageUrl).toBe(400);
    expect(await statusFor('http://shop.example/')).toBe(200);
  });

  test('streams message.accepted, the turn, deltas and the reply in order, then ends', async () => {
    const mayEnd = Promise.withResolvers<void>();
    model.script = () => ({ tokens: tokens(12), everyMs: 40, hold: { at: 8, until: mayEnd.promise } });
    const visitor = await aVisitor(app, writing);
    const stream = await ask(base, writing.botId, visitor, 'how long does delivery take?');
    expect(stream.response.status).toBe(200);
    await stream.waitFor(({ event }) => event === 'reply.delta'); // live, not at the end
    mayEnd.resolve();
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
    expect(await stream.ended).toBe('ended');
    const kinds = stream.events.map(({ event }) => event);
    expect(kinds.slice(0, 2)).toEqual(['message.accepted', 'turn.started']);
    expect(kinds.at(-1)).toBe('reply.completed');
    expect(new Set(kinds.slice(2, -1))).toEqual(new Set(['reply.delta']));
    const ids = stream.events.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect([ids[0], ids[1], ids.at(-1)]).toEqual([1, 2, 3]);
    const { turnId, messageId = '' } = stream.events[1]?.data ?? {};
    const { texts, final } = renderReply(stream.events, messageId);
    expect(final).toBe(tokens(12).join(' '));
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(final?.startsWith(text)).toBe(true);
    for (const { data } of stream.events.slice(1)) expect(data.turnId).toBe(turnId);
  });

  test('does not repeat deltas of the previous reply', async () => {
    model.script = () => ({ tokens: tokens(10, 'first'), everyMs: 60 });
    const visitor = await aVisitor(app, writing);
    const { conversationId, reply } = (await visitor.say('how long does delivery take?')).json<SendResponse>();
    model.script = () => ({ tokens: tokens(10, 'second'), everyMs: 60, firstAfterMs: 500 });
    const pending = ask(base, writing.botId, visitor, 'and what does it cost?');
    await until(async () => (await turnsOf(conversationId)).some(({ status }) => status === 'running'));
    const joined = await followAt(base, visitor, conversationId, 3);
    const stream = await pending;
    await stream.ended;
    await joined.waitFor(({ event }) => event === 'reply.completed');
    for (const { events } of [stream, joined])
      expect(events.filter(({ event, data }) => event === 'reply.delta' && data.messageId === reply?.id)).toEqual([]);
  });

  test('creates one message, turn and reply for twenty concurrent posts with one clientMessageId', async () => {
    model.script = () => ({ tokens: tokens(3), everyMs: 30 });
    const calls = model.calls.length;
    const visitor = await aVisitor(app, writing);
    const tab = await aVisitor(second.app, writing, visitor.visitorToken);
    const more = { clientMessageId: 'one' };
    const posts = Array.from({ length: 9 }, () => [visitor.say('delivery?', more), tab.say('delivery?', more)]).flat();
    const streams = [
      ask(base, writing.botId, visitor, 'delivery?', more),
      ask(secondBase, writing.botId, tab, 'delivery?', more),
    ];
    const answers = (await Promise.all(posts)).map((response) => {
      expect(response.statusCode, response.body).toBe(200);
      return response.json<SendResponse>();
    });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const [{ conversationId, reply, turn } = {} as SendResponse] = answers;
    expect(reply?.text).toBe(tokens(3).join(' '));
    for (const stream of await Promise.all(streams)) {
      expect(await stream.ended).toBe('ended');
      expect(stream.events.at(-1)?.data.message?.id).toBe(reply?.id);
    }
    const log = await logOf(conversationId);
    expect(log.map(({ type }) => type)).toEqual(['message.created', 'turn.started', 'reply.completed']);
    expect((await turnsOf(conversationId)).map(({ id }) => id)).toEqual([turn?.id]);
    expect(model.calls.length - calls).toBe(1);
    // And for a much later retry.
    expect(await visitor.say('delivery?', more).then((late) => late.statusCode)).toBe(429); // the limit of twenty is used up
  });

  test('returns the first reply again for the same clientMessageId, also as a stream and from another process', async () => {
    const visitor = await aVisitor(app, quoting);
    const more = { clientMessageId: 'again' };
    const before = (await visitor.say('how much is delivery?', more)).json<SendResponse>();
    const tab = await aVisitor(second.app, quoting, visitor.visitorToken);
    expect((await tab.say('something else', more)).json<SendResponse>()).toEqual(before);
    const stream = await ask(secondBase, quoting.botId, tab, 'how much is delivery?', more);
    expect(await stream.ended).toBe('ended');
    expect(stream.events.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(stream.events.at(-1)?.data.message?.id).toBe(before.reply?.id);
  });

  test('creates one conversation with two turns, answered in order, for two concurrent first messages', async () => {
    model.script = ({ messages }) => ({ tokens: ['to', textOf(messages.at(-1))], everyMs: 20 });
    const visitor = await aVisitor(app, writing);
    const tab = await aVisitor(second.app, writing, visitor.visitorToken);
    const [one, two] = (await Promise.all([visitor.say('delivery one'), tab.say('delivery two')])).map((response) =>
      response.json<SendResponse>(),
    );
    expect(two?.conversationId).toBe(one?.conversationId);
    expect([one?.reply?.text, two?.reply?.text]).toEqual(['to delivery one', 'to delivery two']);
    const turns = await turnsOf(one?.conversationId ?? '');
    expect(turns.map(({ status }) => status)).toEqual(['done', 'done']);
    const replies = (await logOf(one?.conversationId ?? '')).filter(({ type }) => type === 'reply.completed');
    expect(replies.map(({ turnId }) => turnId)).toEqual(turns.map(({ id }) => id));
  });

  test('queues messages sent during a turn: one model call at a time', async () => {
    const mayContinue = Promise.withResolvers<void>();
    model.script = ({ messages }) => ({
      tokens: [...tokens(6), textOf(messages.at(-1))],
      everyMs: 1,
      hold: { at: 3, until: mayContinue.promise },
    });
    const visitor = await aVisitor(app, writing);
    const calls = model.calls.length;
    const streams = [];
    for (const n of [1, 2, 3, 4]) {
      const stream = await ask(base, writing.botId, visitor, `delivery ${n}`);
      await stream.waitFor(({ event }) => event === 'message.accepted');
      streams.push(stream);
    }
    await until(() => model.calls.length > calls);
    mayContinue.resolve(); // the first runs, the others are queued
    for (const { ended } of streams) expect(await ended).toBe('ended');
    const answers = streams.map(({ events }) => events.at(-1)?.data.message?.text ?? '');
    expect(answers.map((text) => text.split(' ').slice(-2).join(' '))).toEqual(
      [1, 2, 3, 4].map((n) => `delivery ${n}`),
    );
    const made = model.calls.slice(calls);
    expect(made).toHaveLength(4);
    for (const [index, call] of made.slice(1).entries())
      expect(call.at).toBeGreaterThanOrEqual(made[index]?.endedAt ?? Infinity);
    const conversationId = String(streams[0]?.events[0]?.data['conversationId']);
    expect((await logOf(conversationId)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
  });
});

describe('following a conversation', () => {
  test('returns exactly the remaining entries from every position', async () => {
    const visitor = await aVisitor(app, quoting);
    let conversationId = '';
    for (const question of ['hello', 'how much is delivery?', 'when are you open?'])
      ({ conversationId } = (await visitor.say(question)).json<SendResponse>());
    const [soFar, last] = [9, 12];
    const positions = Array.from({ length: soFar + 1 }, (_, after) => after).filter(
      (after) => isFull || after % 3 === 0,
    );
    const streams = await Promise.all(
      positions.map((after) => followAt(after % 2 ? base : secondBase, visitor, conversationId, after)),
    );
    await Promise.all(streams.slice(0, -1).map((stream) => stream.waitFor(({ id }) => id === soFar)));
    await visitor.say('and refunds?'); // and continues
    await Promise.all(streams.map((stream) => stream.waitFor(({ id }) => id === last)));
    const complete = streams[0]?.events ?? [];
    expect(complete.map(({ id }) => id)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    for (const [n, { events, hasEnded }] of streams.entries()) {
      const after = positions[n] ?? 0;
      expect(events.map(({ id, event, data }) => ({ id, event, data }))).toEqual(
        complete.slice(after).map(({ id, event, data }) => ({ id, event, data })),
      );
      expect(hasEnded()).toBe(false);
      const polled = await visitor.get(`/widget/conversations/${conversationId}/events?after=${after}`);
      const { data, lastSeq } = polled.json<{ data: { seq: number }[]; lastSeq: number }>();
      expect(data.map(({ seq }) => seq)).toEqual(complete.slice(after).map(({ id }) => id));
      expect(lastSeq).toBe(last);
    }
  });

  test('sends the text so far once to a client that connects mid-reply', async () => {
    const mayEnd = Promise.withResolvers<void>();
    model.script = () => ({ tokens: tokens(50), everyMs: 20, hold: { at: 30, until: mayEnd.promise } });
    const visitor = await aVisitor(app, writing);
    const pending = ask(base, writing.botId, visitor, 'how long does delivery take?');
    const source = await pending;
    const { data } = await source.waitFor(({ event }) => event === 'turn.started');
    await source.waitFor(({ data: { at = 0, text = '' } }) => at + text.length > 60);
    const back = await aVisitor(second.app, writing, visitor.visitorToken);
    const conversationId = back.conversation?.id ?? '';
    const joined = [await followAt(base, visitor, conversationId), await followAt(secondBase, back, conversationId, 2)];
    const again = await ask(secondBase, writing.botId, back, 'x', { clientMessageId: 'none' }); // is queued
    for (const reader of joined) await reader.waitFor(({ event }) => event === 'reply.delta');
    mayEnd.resolve();
    await source.ended;
    const messageId = data.messageId ?? '';
    const { final } = renderReply(source.events, messageId);
    expect(final).toBe(tokens(50).join(' '));
    for (const reader of joined) {
      await reader.waitFor(isReplyTo(data.turnId));
      const rendered = renderReply(reader.events, messageId); // throws if a delta is missing
      expect(rendered.final).toBe(final);
      expect(rendered.texts[0]?.length).toBeGreaterThan(50);
      const fromStart = reader.events.filter(({ event, data: { at } }) => event === 'reply.delta' && at === 0);
      expect(fromStart.filter((entry) => entry.data.messageId === messageId)).toHaveLength(1);
    }
    again.leave();
  });

  test('long-polls for new entries, up to the given wait', async () => {
    const visitor = await aVisitor(app, quoting);
    const { conversationId } = (await visitor.say('hello')).json<SendResponse>();
    const url = `/widget/conversations/${conversationId}/events`;
    const startedAt = performance.now();
    const nothing = await visitor.get(`${url}?after=3&wait=1`);
    expect(nothing.json()).toEqual({ data: [], lastSeq: 3 });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const waiting = visitor
      .get(`${url}?after=3&wait=20`)
      .then((response) => ({ answer: response, at: performance.now() }));
    await sleep(300);
    const sentAt = performance.now();
    await visitor.say('how much is delivery?');
    const { answer: response, at } = await waiting;
    expect(response.json<{ data: { seq: number }[] }>().data[0]?.seq).toBe(4);
    expect(at - sentAt).toBeLessThan(10_000);
  });

  test('disconnects a client that does not read, which can resume where it was', { timeout: 120_000 }, async () => {
    const visitor = await aVisitor(app, quoting);
    const { conversationId } = (await visitor.say('hello')).json<SendResponse>();
    const { tenantId } = tenant;
    const text = 'x'.repeat(100_000);
    const rows = Array.from({ length: 120 }, (_, index) => ({
      tenantId,
      conversationId,
      seq: index + 4,
      type: 'message.created',
      messageId: `msg_${index}`,
      payload: JSON.stringify({ role: 'agent', text }),
    }));
    for (let index = 0; index < rows.length; index += 50)
      await admin
        .insertInto('conversationEvents')
        .values(rows.slice(index, index + 50))
        .execute();
    await admin.updateTable('conversations').set({ lastSeq: 123 }).where('id', '=', conversationId).execute();

    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    const [ours] = await accepted;
    expect(ours.remotePort).toBe(socket.localPort);
    const { authorization, origin } = visitor.headers;
    socket.write(
      `GET /widget/conversations/${conversationId}/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: ${authorization}\r\norigin: ${origin}\r\n\r\n`,
    );
    await once(socket, 'readable');
    await once(ours, 'close'); // because nothing is read
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    socket.on('error', () => {});
    await new Promise((closed) => socket.once('close', closed));
    const lastId = Math.max(0, ...[...received.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)));
    expect(lastId).toBeLessThan(123);

    // The rest is delivered over repeated reconnects.
    let after = Math.max(0, lastId - 1);
    for (let times = 0; after < 123 && times < 40; times++) {
      const stream = await followAt(base, visitor, conversationId, after);
      await Promise.race([stream.ended, stream.waitFor(({ id }) => id === 123).catch(() => {})]);
      for (const { id } of stream.events) {
        expect(id).toBe(after + 1);
        after = id;
      }
      stream.leave();
    }
    expect(after).toBe(123);
  });

  test('keeps no stream open for a visitor who has left before it began', async () => {
    const visitor = await aVisitor(app, quoting);
    const { conversationId } = (await visitor.say('When do you open?')).json<SendResponse>();
    const metric = () => first.platform.metrics.getSingleMetricAsString('parley_open_streams');
    const openStreams = async () => /kind="followConversation"[^}]*} (\d+)/.exec(await metric())?.[1] ?? '0';
    await expect.poll(openStreams).toBe('0'); // those of other tests have ended
    const leaving = new AbortController();
    await admin.transaction().execute(async (tx) => {
      await sql`lock table conversations in access exclusive mode`.execute(tx); // so that the request waits
      const opened = fetch(`${base}/widget/conversations/${conversationId}/events`, {
        headers: { ...visitor.headers, accept: 'text/event-stream' },
        signal: leaving.signal,
      });
      await expect.poll(countLockWaits).toBeGreaterThan(0);
      leaving.abort();
      await expect(opened).rejects.toThrow('aborted');
      await sleep(100); // the server notices
    });
    await sleep(300); // it would be open by now
    expect(await openStreams()).toBe('0');
  });

  test('ends the stream when its key is revoked, within seconds without a signal', async () => {
    const owner = await aTenant();
    const own = await aBot(owner);
    const visitor = await aVisitor(app, own);
    const { conversationId } = (await visitor.say('hello')).json<SendResponse>();
    const streams = await Promise.all([base, deafBase].map((at) => followAt(at, visitor, conversationId)));
    for (const stream of streams) await stream.waitFor(({ id }) => id === 3);
    const clock = stopClock();
    await owner.post(`/api-keys/${own.keyId}/revoke`);
    const [here, deafOne] = streams;
    expect(await here?.ended, 'by a signal').toBe('ended');
    clock.move(4_999);
    expect(await deafOne?.ended, 'by the age of what is remembered').toBe('ended');
  });

  test('returns 404 for another visitor’s conversation', async () => {
    const [one, other] = [await aVisitor(app, quoting), await aVisitor(app, quoting)];
    const { conversationId } = (await one.say('hello')).json<SendResponse>();
    const stream = await followAt(base, other, conversationId);
    expect(stream.response.status).toBe(404);
  });

  test('ends streams on shutdown, and they resume at another process', async () => {
    const third = await openApi(chatSettings);
    const at = await listen(third.app);
    const visitor = await aVisitor(app, quoting);
    const { conversationId } = (await visitor.say('hello')).json<SendResponse>();
    const stream = await followAt(at, visitor, conversationId);
    await stream.waitFor(({ id }) => id === 3);
    const closing = third.close();
    expect(await stream.ended).toBe('ended');
    await closing;
    await visitor.say('how much is delivery?');
    const next = await followAt(base, visitor, conversationId, stream.events.at(-1)?.id);
    await next.waitFor(({ id }) => id === 6);
    expect(next.events.map(({ id }) => id)).toEqual([4, 5, 6]);
  });
});

describe('stopping a reply', () => {
  test('keeps the text so far and aborts the model call', async () => {
    model.script = () => ({ tokens: tokens(400), everyMs: 50 });
    const visitor = await aVisitor(app, writing);
    const stream = await ask(base, writing.botId, visitor, 'how long does delivery take?');
    await stream.waitFor(({ data: { at = 0 } }) => at > 30);
    const conversationId = String(stream.events[0]?.data['conversationId']);
    const stopped = await visitor.post(`/widget/conversations/${conversationId}/stop`);
    expect(stopped.statusCode, stopped.body).toBe(200);
    expect(await stream.ended).toBe('ended');
    const complete = stream.events.at(-1)?.data.message;
    expect(complete?.finish).toBe('stopped');
    expect(complete?.text.length).toBeGreaterThan(30);
    expect(
      tokens(400)
        .join(' ')
        .startsWith(complete?.text ?? '-'),
    ).toBe(true);
    const call = model.calls.at(-1);
    await until(() => call?.endedAt !== undefined);
    expect(call?.abortedByClient).toBe(true);
    expect((await turnsOf(conversationId))[0]).toMatchObject({ status: 'cancelled' });
    model.script = () => ({ tokens: ['next'], everyMs: 1 });
    expect((await visitor.say('and now?')).json<SendResponse>().reply?.text).toBe('next');
  });

  test('writes no text when stopped before the first token', async () => {
    model.script = () => ({ tokens: tokens(3), everyMs: 1, firstAfterMs: 600_000 });
    const visitor = await aVisitor(app, writing);
    const calls = model.calls.length;
    const pending = visitor.say('how long does delivery take?');
    await until(() => model.calls.length > calls);
    const back = await aVisitor(app, writing, visitor.visitorToken);
    await visitor.post(`/widget/conversations/${back.conversation?.id}/stop`);
    const { reply, turn } = (await pending).json<SendResponse>();
    expect(turn?.status).toBe('cancelled');
    expect(reply).toMatchObject({ finish: 'stopped', text: '' });
  });
});

describe('bot version', () => {
  test('stays the same within a conversation; the next conversation uses the new one', async () => {
    const owner = await aTenant();
    const own = await aBot(owner, { greeting: 'Greetings of version one' });
    const visitor = await aVisitor(app, own);
    const { conversationId, reply } = (await visitor.say('hello')).json<SendResponse>();
    expect(reply?.text).toBe('Greetings of version one');
    await publish(owner, own.botId, { greeting: 'Greetings of version two' });
    expect((await visitor.say('hello')).json<SendResponse>()).toMatchObject({
      conversationId,
      reply: { text: 'Greetings of version one' },
    });
    const other = await aVisitor(app, own);
    expect((await other.say('hello')).json<SendResponse>().reply?.text).toBe('Greetings of version two');
    await owner.post(`/conversations/${conversationId}/close`);
    const next = (await visitor.say('hello')).json<SendResponse>();
    expect(next.conversationId).not.toBe(conversationId);
    expect(next.reply?.text).toBe('Greetings of version two');
  });

  test('takes effect on every process immediately after a rollback', async () => {
    const owner = await aTenant();
    const own = await aBot(owner, { greeting: 'one' });
    const two = await publish(owner, own.botId, { greeting: 'two' });
    const versionAt = async (process: typeof app) =>
      (await open(process, own)).json<{ config: { versionId: string } }>().config.versionId;
    const apps = [app, second.app];
    stopClock();
    for (const process of apps) expect(await versionAt(process)).toBe(two);
    await deploy(owner, own.botId, own.versionId);
    for (const process of apps)
      await expect.poll(() => versionAt(process), { message: 'by a signal', interval: 25 }).toBe(own.versionId);
    for (const process of apps)
      expect((await (await aVisitor(process, own)).say('hello')).json<SendResponse>().reply?.text).toBe('one');
  });
});

describe('while Valkey is down', () => {
  test('replies correctly, a little later, as JSON and as a stream', async () => {
    model.script = () => ({ tokens: tokens(5), everyMs: 20 });
    const visitor = await aVisitor(deaf.app, writing);
    const response = await visitor.say('how long does delivery take?');
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json<SendResponse>().reply?.text).toBe(tokens(5).join(' '));
    const stream = await ask(deafBase, writing.botId, visitor, 'and what does it cost?');
    expect(await stream.ended).toBe('ended');
    expect(stream.events.at(-1)?.data.message?.text).toBe(tokens(5).join(' '));
    expect(stream.events.map(({ id }) => id)).toEqual([4, 5, 6]);
  });

  test('streams entries from another process, and can be stopped', async () => {
    model.script = () => ({ tokens: tokens(400), everyMs: 50 });
    const visitor = await aVisitor(deaf.app, writing);
    const calls = model.calls.length;
    const pending = visitor.say('how long does delivery take?');
    await until(() => model.calls.length > calls);
    const back = await aVisitor(deaf.app, writing, visitor.visitorToken);
    await visitor.post(`/widget/conversations/${back.conversation?.id}/stop`);
    const { reply } = (await pending).json<SendResponse>();
    expect(reply?.finish).toBe('stopped');
  });
});

test('returns 202 after 25 seconds with the current state; the stream has the reply', async () => {
  const mayEnd = Promise.withResolvers<void>();
  model.script = () => ({ tokens: tokens(20), everyMs: 1, hold: { at: 5, until: mayEnd.promise } });
  const calls = model.calls.length;
  const visitor = await aVisitor(app, writing);
  let isAnswered = false;
  const sentAt = Date.now();
  const pending = visitor.say('how long does delivery take?').finally(() => (isAnswered = true));
  await until(() => model.calls.length > calls);
  vi.useFakeTimers({ toFake: ['Date'], now: sentAt + 24_900 });
  await sleep(1_500); // longer than the interval between two polls
  expect(isAnswered).toBe(false);
  vi.setSystemTime(sentAt + 60_000); // simulates a slow acceptance
  const response = await pending;
  vi.useRealTimers();
  expect(response.statusCode).toBe(202);
  const { turn, reply, conversationId } = response.json<SendResponse>();
  expect(turn?.status).toBe('running');
  expect(reply).toBeNull();
  const stream = await followAt(base, visitor, conversationId, 1);
  mayEnd.resolve();
  const { data } = await stream.waitFor(isReplyTo(turn?.id));
  expect(data.message?.text).toBe(tokens(20).join(' '));
});
