import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startModelServer, type ModelServer, type Reply } from '../../../../tools/model/index.ts';
import { aServer, onCleanup } from '../../test/egress.ts';
import { apiKey, ask, connectionTo, modelFailure, request } from '../../test/models.ts';
import { callModel, type ModelConnection, type ModelRequest } from './model.ts';
import { createSafeFetch } from './safe-fetch.ts';
import { guardedFetch } from './safe-fetch-web.ts';

/** For what is sure to come, however busy the machine is. */
const soon = { timeout: 10_000 };
const words = ['The', 'shop', 'opens', 'at', 'nine.'];
let server: ModelServer;
let connection: ModelConnection;
beforeEach(async () => {
  server = await startModelServer();
  onCleanup(server.close);
  connection = connectionTo(server.url);
});

const answerWith = (reply: Partial<Reply>) => void (server.script = () => ({ words, everyMs: 1, ...reply }));

describe('without any text, a model that', () => {
  test.each<[string, Partial<Reply>, Partial<ModelRequest>, string]>([
    ['is asked too often', { failWith: 429 }, {}, 'rate_limited'],
    ['is broken', { failWith: 500 }, {}, 'unavailable'],
    ['does not know the key', { failWith: 401 }, {}, 'refused'],
    ['redirects', { failWith: 307 }, {}, 'refused'],
    ['is cut off', { resetAfter: 0 }, {}, 'unavailable'],
    ['talks nonsense', { words: [], malformed: true }, {}, 'invalid_response'],
    ['thinks too long', { firstAfterMs: 600_000 }, { firstTokenMs: 150 }, 'timeout'],
    ['thinks too long in all', { firstAfterMs: 600_000 }, { totalMs: 150 }, 'timeout'],
    ['hangs', { hangAfter: 0 }, { firstTokenMs: 150 }, 'timeout'],
  ])('%s fails', async (_what, reply, limits, reason) => {
    answerWith(reply);
    expect(await modelFailure(ask(connection, limits))).toBe(reason);
    if (reason === 'timeout') await vi.waitFor(() => expect(server.calls[0]!.abortedByClient).toBe(true), soon);
  });

  test('is not there fails', async () => {
    await server.close();
    expect(await modelFailure(ask(connection))).toBe('unavailable');
  });

  test('sends headers only after too long fails, also through the door alone', async () => {
    const { port } = await aServer(() => undefined);
    const to = connectionTo(`http://127.0.0.1:${port}/v1`);
    expect(await modelFailure(ask(to, { firstTokenMs: 100 }))).toBe('timeout');
    const httpClient = createSafeFetch({ openHosts: ['127.0.0.1'], ownHosts: [] });
    onCleanup(httpClient.close);
    const fetch = guardedFetch(httpClient, { timeouts: { headersMs: 100 } });
    expect(await modelFailure(callModel(fetch, to, request, () => {}))).toBe('timeout');
  });

  test.each([
    ['an error in place of words', { error: { message: `your key ${apiKey} is broken` } }, 'unavailable'],
    ['a limit in place of words', { error: { message: 'slow down', type: 'rate_limit_error' } }, 'rate_limited'],
    ['something else', { hello: 'world' }, 'invalid_response'],
  ])('sends %s fails', async (_what, data, reason) => {
    const { port } = await aServer((_request, response) => response.end(`data: ${JSON.stringify(data)}\n\n`));
    expect(await modelFailure(ask(connectionTo(`http://127.0.0.1:${port}/v1`)))).toBe(reason);
  });

  test('repeats the key in its error keeps it from everybody', async () => {
    const { port } = await aServer(({ headers }, response) =>
      response.writeHead(401).end(JSON.stringify({ error: { message: `Wrong: ${headers.authorization}` } })),
    );
    expect(await modelFailure(ask(connectionTo(`http://127.0.0.1:${port}/v1`)))).toBe('refused');
    expect(await modelFailure(ask({ ...connection, apiKey: `${apiKey}\nx` }))).toBe('invalid_response');
  });
});

describe('after some text, an answer that', () => {
  test.each<[string, Partial<Reply>, Partial<ModelRequest>, string]>([
    ['falls silent', { hangAfter: 3 }, { stallMs: 1_000 }, 'The shop opens'],
    ['takes too long', { hangAfter: 3 }, { totalMs: 1_500 }, 'The shop opens'],
    ['is cut off', { resetAfter: 3 }, {}, 'The shop opens'],
    ['is cut off, with words that came together', { resetAfter: 4, everyMs: 0 }, {}, 'The shop opens at'],
    ['turns to nonsense', { malformed: true }, {}, words.join(' ')],
  ])('%s is what came', async (_what, reply, limits, came) => {
    answerWith(reply);
    const { text, finish, usage } = await ask(connection, limits);
    expect([text, finish, usage.isEstimated]).toEqual([came, 'stalled', true]);
    expect(usage.outputTokens).toBeGreaterThanOrEqual(came.split(' ').length);
  });

  test('is cut off after it said that it is done is whole, and its usage a guess', async () => {
    const chunk = { choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] };
    const { port } = await aServer((_request, response) => {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      setTimeout(() => response.destroy(), 50);
    });
    const answer = await ask(connectionTo(`http://127.0.0.1:${port}/v1`));
    expect(answer).toMatchObject({ text: 'Yes.', finish: 'stop', usage: { isEstimated: true } });
  });

  test('is longer than the door lets through is what came', async () => {
    answerWith({ words: Array.from({ length: 100 }, () => 'word') });
    const httpClient = createSafeFetch({ openHosts: [server.host], ownHosts: [] });
    onCleanup(httpClient.close);
    const answer = await callModel(guardedFetch(httpClient, { maxBytes: 2000 }), connection, request, () => {});
    expect(answer.finish).toBe('stalled');
    expect(answer.text).toMatch(/^word( word){5,15}$/);
  });

  test('stops wanting tools is not run by halves', async () => {
    const call = (part: object) => `data: ${JSON.stringify({ choices: [{ delta: part }] })}\n\n`;
    const { port } = await aServer((_request, response) => {
      response.write(call({ content: 'One moment.' }));
      const whole = { index: 0, id: 'c1', function: { name: 'refund', arguments: '{"all":true}' } };
      response.write(call({ tool_calls: [whole] }));
      setTimeout(() => response.destroy(), 50);
    });
    const answer = await ask(connectionTo(`http://127.0.0.1:${port}/v1`));
    expect(answer).toMatchObject({ finish: 'stalled', text: 'One moment.', toolCalls: [] });
  });
});

describe('a stop', () => {
  test.each([
    ['after some text', { hangAfter: 2 }, 'The shop'],
    ['before any', { hangAfter: 0 }, ''],
  ])('%s gives what came, and the server sees it', async (_what, reply, came) => {
    answerWith(reply);
    const caller = new AbortController();
    const asking = ask(connection, { signal: caller.signal });
    await vi.waitFor(() => expect(server.calls.length).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    caller.abort();
    expect(await asking).toMatchObject({ text: came, finish: 'stopped', toolCalls: [] });
    await vi.waitFor(() => expect(server.calls[0]).toMatchObject({ abortedByClient: true, finished: false }), soon);
  });

  test('before it is asked costs nothing', async () => {
    const answer = await ask(connection, { signal: AbortSignal.abort() });
    expect(answer).toMatchObject({ finish: 'stopped', usage: { inputTokens: 0, outputTokens: 0 } });
    expect(server.calls).toEqual([]);
  });
});
