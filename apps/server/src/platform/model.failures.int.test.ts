import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startModelServer, type ModelServer, type Reply } from '../../../../tools/model/index.ts';
import { aServer, onCleanup } from '../../test/egress.ts';
import { apiKey, ask, connectionTo, modelFailure, request } from '../../test/models.ts';
import { callModel, type ModelConnection, type ModelRequest } from './model.ts';
import { createSafeFetch } from './safe-fetch.ts';
import { guardedFetch } from './safe-fetch-web.ts';

/** For what is certain to happen, even on a busy machine. */
const soon = { timeout: 10_000 };
const tokens = ['The', 'shop', 'opens', 'at', 'nine.'];
let server: ModelServer;
let connection: ModelConnection;
beforeEach(async () => {
  server = await startModelServer();
  onCleanup(server.close);
  connection = connectionTo(server.url);
});

const respondWith = (reply: Partial<Reply>) => void (server.script = () => ({ tokens, everyMs: 1, ...reply }));

describe('without any text, callModel fails when the model', () => {
  test.each<[string, Partial<Reply>, Partial<ModelRequest>, string]>([
    ['is rate limited', { failWith: 429 }, {}, 'rate_limited'],
    ['returns 500', { failWith: 500 }, {}, 'unavailable'],
    ['rejects the key', { failWith: 401 }, {}, 'refused'],
    ['redirects', { failWith: 307 }, {}, 'refused'],
    ['resets the connection', { resetAfter: 0 }, {}, 'unavailable'],
    ['sends malformed data', { tokens: [], malformed: true }, {}, 'invalid_response'],
    ['sends its first token too late', { firstAfterMs: 600_000 }, { firstTokenMs: 150 }, 'timeout'],
    ['exceeds the total timeout', { firstAfterMs: 600_000 }, { totalMs: 150 }, 'timeout'],
    ['hangs', { hangAfter: 0 }, { firstTokenMs: 150 }, 'timeout'],
  ])('%s', async (_what, reply, limits, reason) => {
    respondWith(reply);
    expect(await modelFailure(ask(connection, limits))).toBe(reason);
    if (reason === 'timeout') await vi.waitFor(() => expect(server.calls[0]!.abortedByClient).toBe(true), soon);
  });

  test('is unreachable', async () => {
    await server.close();
    expect(await modelFailure(ask(connection))).toBe('unavailable');
  });

  test('sends headers too late, also through the HTTP client alone', async () => {
    const { port } = await aServer(() => undefined);
    const to = connectionTo(`http://127.0.0.1:${port}/v1`);
    expect(await modelFailure(ask(to, { firstTokenMs: 100 }))).toBe('timeout');
    const httpClient = createSafeFetch({ openHosts: ['127.0.0.1'], ownHosts: [] });
    onCleanup(httpClient.close);
    const fetch = guardedFetch(httpClient, { timeouts: { headersMs: 100 } });
    expect(await modelFailure(callModel(fetch, to, request, () => {}))).toBe('timeout');
  });

  test.each([
    ['an error instead of text', { error: { message: `your key ${apiKey} is broken` } }, 'unavailable'],
    [
      'a rate limit error instead of text',
      { error: { message: 'slow down', type: 'rate_limit_error' } },
      'rate_limited',
    ],
    ['something else', { hello: 'world' }, 'invalid_response'],
  ])('sends %s', async (_what, data, reason) => {
    const { port } = await aServer((_request, response) => response.end(`data: ${JSON.stringify(data)}\n\n`));
    expect(await modelFailure(ask(connectionTo(`http://127.0.0.1:${port}/v1`)))).toBe(reason);
  });

  test('repeats the key in its error; the key is not exposed', async () => {
    const { port } = await aServer(({ headers }, response) =>
      response.writeHead(401).end(JSON.stringify({ error: { message: `Wrong: ${headers.authorization}` } })),
    );
    expect(await modelFailure(ask(connectionTo(`http://127.0.0.1:${port}/v1`)))).toBe('refused');
    expect(await modelFailure(ask({ ...connection, apiKey: `${apiKey}\nx` }))).toBe('invalid_response');
  });
});

describe('after some text, callModel returns what arrived when the response', () => {
  test.each<[string, Partial<Reply>, Partial<ModelRequest>, string]>([
    ['stalls', { hangAfter: 3 }, { stallMs: 1_000 }, 'The shop opens'],
    ['takes too long', { hangAfter: 3 }, { totalMs: 1_500 }, 'The shop opens'],
    ['is cut off', { resetAfter: 3 }, {}, 'The shop opens'],
    ['is cut off after several tokens in one chunk', { resetAfter: 4, everyMs: 0 }, {}, 'The shop opens at'],
    ['becomes malformed', { malformed: true }, {}, tokens.join(' ')],
  ])('%s', async (_what, reply, limits, came) => {
    respondWith(reply);
    const { text, finish, usage } = await ask(connection, limits);
    expect([text, finish, usage.isEstimated]).toEqual([came, 'stalled', true]);
    expect(usage.outputTokens).toBeGreaterThanOrEqual(came.split(' ').length);
  });

  test('is cut off after its finish reason: it is complete, with estimated usage', async () => {
    const chunk = { choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] };
    const { port } = await aServer((_request, response) => {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      setTimeout(() => response.destroy(), 50);
    });
    const response = await ask(connectionTo(`http://127.0.0.1:${port}/v1`));
    expect(response).toMatchObject({ text: 'Yes.', finish: 'stop', usage: { isEstimated: true } });
  });

  test('exceeds maxBytes of the HTTP client', async () => {
    respondWith({ tokens: Array.from({ length: 100 }, () => 'word') });
    const httpClient = createSafeFetch({ openHosts: [server.host], ownHosts: [] });
    onCleanup(httpClient.close);
    const response = await callModel(guardedFetch(httpClient, { maxBytes: 2000 }), connection, request, () => {});
    expect(response.finish).toBe('stalled');
    expect(response.text).toMatch(/^word( word){5,15}$/);
  });

  test('is cut off inside a tool call; the call is dropped', async () => {
    const call = (part: object) => `data: ${JSON.stringify({ choices: [{ delta: part }] })}\n\n`;
    const { port } = await aServer((_request, response) => {
      response.write(call({ content: 'One moment.' }));
      const whole = { index: 0, id: 'c1', function: { name: 'refund', arguments: '{"all":true}' } };
      response.write(call({ tool_calls: [whole] }));
      setTimeout(() => response.destroy(), 50);
    });
    const response = await ask(connectionTo(`http://127.0.0.1:${port}/v1`));
    expect(response).toMatchObject({ finish: 'stalled', text: 'One moment.', toolCalls: [] });
  });
});

describe('abort', () => {
  test.each([
    ['after some text', { hangAfter: 2 }, 'The shop'],
    ['before any text', { hangAfter: 0 }, ''],
  ])('%s returns what arrived and closes the connection', async (_what, reply, came) => {
    respondWith(reply);
    const caller = new AbortController();
    const asking = ask(connection, { signal: caller.signal });
    await vi.waitFor(() => expect(server.calls.length).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    caller.abort();
    expect(await asking).toMatchObject({ text: came, finish: 'stopped', toolCalls: [] });
    await vi.waitFor(() => expect(server.calls[0]).toMatchObject({ abortedByClient: true, finished: false }), soon);
  });

  test('before the call uses no tokens', async () => {
    const response = await ask(connection, { signal: AbortSignal.abort() });
    expect(response).toMatchObject({ finish: 'stopped', usage: { inputTokens: 0, outputTokens: 0 } });
    expect(server.calls).toEqual([]);
  });
});
