import { Agent, request as send } from 'node:http';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startModelServer, type ModelServer, type Reply } from '../../../../tools/model/index.ts';
import { aServer, onCleanup } from '../../test/egress.ts';
import {
  apiKey,
  aProvider,
  ask,
  connectionTo,
  fetchTo,
  modelFailure,
  request,
  secretPrompt,
} from '../../test/models.ts';
import { callModel, costMicros, embed, type ModelConnection } from './model.ts';

const tokens = ['The', 'shop', 'opens', 'at', 'nine.'];
let server: ModelServer;
let connection: ModelConnection;
beforeEach(async () => {
  server = await startModelServer();
  onCleanup(server.close);
  connection = connectionTo(server.url);
});

const respondWith = (reply: Partial<Reply>) => void (server.script = () => ({ tokens, everyMs: 1, ...reply }));

describe('callModel', () => {
  test('streams text as it is generated, and reports usage', async () => {
    respondWith({ everyMs: 100 });
    const { text, received, tookMs, finish, usage, toolCalls } = await ask(connection);
    expect([text, finish, toolCalls]).toEqual(['The shop opens at nine.', 'stop', []]);
    expect(received.length).toBe(5);
    expect(received[0]!.atMs).toBeLessThan(tookMs - 300);
    const inputTokens = Math.ceil((secretPrompt.length + 'When do you open?'.length + 2) / 4);
    expect(usage).toEqual({ inputTokens, outputTokens: 5, isEstimated: false });
    expect(costMicros(connection, usage)).toBe(Math.ceil(inputTokens * 0.4 + 5 * 1.6));
    expect(server.calls[0]).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      body: { model: 'demo', stream: true, max_tokens: 100, temperature: 0.2 },
    });
  });

  test('does not retry', async () => {
    respondWith({ failWith: 500 });
    await modelFailure(ask(connection));
    expect(server.calls.length).toBe(1);
  });

  test('reuses the connection for the next call', async () => {
    const choices = [{ delta: { content: 'Good day.' }, finish_reason: 'stop' }];
    const provider = await aProvider({ choices });
    const fetch = fetchTo(`127.0.0.1:${provider.port}`);
    for (let n = 0; n < 3; n += 1) await callModel(fetch, connectionTo(provider.url), request, () => {});
    expect([provider.requests.length, provider.connections]).toEqual([3, 1]);
  });

  test('reports finish "length" at the token limit', async () => {
    expect(await ask(connection, { maxOutputTokens: 2 })).toMatchObject({
      finish: 'length',
      usage: { outputTokens: 2 },
    });
  });

  test('stops reading when the server exceeds the token limit', async () => {
    const { port } = await aServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = `data: ${JSON.stringify({ choices: [{ delta: { content: 'on and '.repeat(10) } }] })}\n\n`;
      const timer = setInterval(() => response.write(chunk), 1);
      response.on('close', () => clearInterval(timer));
    });
    const { finish, text } = await ask(connectionTo(`http://127.0.0.1:${port}/v1`), { maxOutputTokens: 20 });
    expect([finish, text.length]).toEqual(['length', 420]);
  });

  test('estimates usage upwards when the provider reports none', async () => {
    respondWith({ noUsage: true });
    const { usage } = await ask(connection);
    expect(usage.isEstimated).toBe(true);
    expect(usage.outputTokens).toBeGreaterThanOrEqual(tokens.length);
    expect(usage.inputTokens).toBeGreaterThanOrEqual(Math.ceil(secretPrompt.length / 4));
  });

  test.each([-5, 1e300, 0])('estimates usage when the provider reports %d tokens', async (tokens) => {
    const { port } = await aServer((_request, response) => {
      const chunk = { choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] };
      const usage = { choices: [], usage: { prompt_tokens: tokens, completion_tokens: tokens } };
      response.writeHead(200).end(`data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(usage)}\n\n`);
    });
    const { usage } = await ask(connectionTo(`http://127.0.0.1:${port}/v1`));
    expect(usage).toMatchObject({ isEstimated: true, outputTokens: 3 });
    expect(usage.inputTokens).toBeGreaterThan(10);
  });

  test('rethrows an error of onText and closes the connection', async () => {
    respondWith({ everyMs: 50 });
    const call = callModel(fetchTo(server.host), connection, request, () => {
      throw new Error('error in onText');
    });
    await expect(call).rejects.toThrow('error in onText');
    await vi.waitFor(() => expect(server.calls[0]!.abortedByClient).toBe(true));
  });
});

describe('tools', () => {
  const inputSchema = { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] };
  const tools = [{ name: 'find_order', description: 'Finds an order.', inputSchema }];

  test('are called in one response, and their results are sent in the next request', async () => {
    server.script = (_request, callNumber) =>
      callNumber === 1
        ? { tokens: ['Let', 'me', 'look.'], everyMs: 1, toolCalls: [{ name: 'find_order', input: { orderId: '17' } }] }
        : { tokens: ['It', 'is', 'on', 'its', 'way.'], everyMs: 1 };
    const first = await ask(connection, { tools });
    expect(first).toMatchObject({
      text: 'Let me look.',
      finish: 'tool_calls',
      toolCalls: [{ id: 'call_1', name: 'find_order', input: { orderId: '17' } }],
    });
    const results = [{ id: 'call_1', output: { status: 'sent' } }];
    const second = await ask(connection, { tools, toolResults: [{ ...first, results }] });
    expect(second).toMatchObject({ text: 'It is on its way.', finish: 'stop', toolCalls: [] });
    expect(server.calls[0]!.body.tools).toMatchObject([{ function: { name: 'find_order', parameters: inputSchema } }]);
    expect(server.calls[1]!.body.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'find_order', arguments: '{"orderId":"17"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"status":"sent"}' },
    ]);
  });

  test('that were not run get a result too, which providers require', async () => {
    const toolCalls = [{ id: 'a', name: 'find_order', input: {} }];
    await ask(connection, { tools, toolResults: [{ text: '', toolCalls, results: [] }] });
    expect(server.calls[0]!.body.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Not run.' });
  });

  test('with input that is not JSON get it as text, for the schema to reject', async () => {
    const { port } = await aServer((_request, response) => {
      const tool = { index: 0, id: 'c1', function: { name: 'find_order', arguments: '{"orderId": 17' } };
      const chunk = { choices: [{ delta: { tool_calls: [tool] }, finish_reason: 'tool_calls' }] };
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
    const { toolCalls } = await ask(connectionTo(`http://127.0.0.1:${port}/v1`), { tools });
    expect(toolCalls).toEqual([{ id: 'c1', name: 'find_order', input: '{"orderId": 17' }]);
  });
});

describe('model URL', () => {
  test.each([
    ['http', 'http://models.example.com/v1'],
    ['an IP address', 'https://10.0.0.5/v1'],
    ['a private name', 'https://models.internal/v1'],
  ])('with %s is refused unless the operator opened the host', async (_what, baseUrl) => {
    expect(await modelFailure(callModel(fetchTo(), connectionTo(baseUrl), request, () => {}))).toBe('refused');
  });

  test('on localhost is refused unless opened, for text and for embeddings', async () => {
    expect(await modelFailure(callModel(fetchTo(), connection, request, () => {}))).toBe('refused');
    expect(await modelFailure(embed(fetchTo(), connection, ['a']))).toBe('refused');
    expect(server.calls).toEqual([]);
    await callModel(fetchTo(server.host), connection, request, () => {});
    expect(server.calls.length).toBe(1);
  });

  test('redirects are not followed, and the key is not sent anywhere else', async () => {
    const { port } = await aServer((_request, response) =>
      response.writeHead(307, { location: `${server.url}/chat/completions` }).end(),
    );
    const to = connectionTo(`http://127.0.0.1:${port}/v1`);
    const fetch = fetchTo(server.host, `127.0.0.1:${port}`);
    expect(await modelFailure(callModel(fetch, to, request, () => {}))).toBe('refused');
    expect(server.calls).toEqual([]);
  });

  test('is required', async () => {
    expect(await modelFailure(ask({ ...connection, baseUrl: null }))).toBe('refused');
  });
});

describe('embed', () => {
  test('returns vectors in the order of the texts; similar texts have similar vectors', async () => {
    const texts = ['When does the shop open?', 'The shop does open at nine', 'Refunds take a week', 'Ünïcode 日本'];
    const [question, hours, refunds, ...more] = await embed(fetchTo(server.host), connection, texts);
    const likeness = (one: number[], other: number[]) => one.reduce((sum, value, at) => sum + value * other[at]!, 0);
    expect(more.length).toBe(1);
    expect(likeness(question!, hours!)).toBeGreaterThan(likeness(question!, refunds!) + 0.3);
    expect(await embed(fetchTo(server.host), connection, [])).toEqual([]);
  });

  test('fails like callModel, and refuses providers without embeddings', async () => {
    const { port } = await aServer((_request, response) => response.writeHead(429).end());
    const to = connectionTo(`http://127.0.0.1:${port}/v1`);
    expect(await modelFailure(embed(fetchTo('127.0.0.1'), to, ['a']))).toBe('rate_limited');
    expect(await modelFailure(embed(fetchTo('127.0.0.1'), { ...to, provider: 'google' }, ['a']))).toBe('refused');
  });
});

test('does not log, warn or call any other host', async () => {
  const outside = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('must not be called'));
  const spies = [
    vi.spyOn(process, 'emitWarning'),
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name)),
  ];
  onCleanup(() => vi.restoreAllMocks());
  await ask(connection);
  respondWith({ failWith: 500 });
  await modelFailure(ask(connection));
  await embed(fetchTo(server.host), connection, ['a']);
  const { port } = await aServer((_request, response) => response.writeHead(500).end());
  await modelFailure(embed(fetchTo('127.0.0.1'), connectionTo(`http://127.0.0.1:${port}/v1`), ['a']));
  // The AI SDK would warn about this if its warnings were not disabled.
  const { embedMany } = await import('ai');
  const warnings = [{ type: 'other' as const, message: 'look' }];
  const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', maxEmbeddingsPerCall: 1 };
  const doEmbed = async () => ({ embeddings: [[1]], warnings });
  await embedMany({ model: { ...model, doEmbed, supportsParallelCalls: false } as never, values: ['a'] });
  expect(outside).not.toHaveBeenCalled();
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});

test('adds little latency to the first token', async () => {
  respondWith({ tokens: ['Yes.'], everyMs: 0 });
  const fetch = fetchTo(server.host);
  const agent = new Agent({ keepAlive: true });
  onCleanup(() => agent.destroy());
  const body = JSON.stringify({ model: 'demo', stream: true, messages: [{ role: 'user', content: 'Open?' }] });
  const bare = () =>
    new Promise<number>((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const sent = send(`${server.url}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
        let firstMs = 0;
        response.once('data', () => (firstMs = performance.now() - startedAt));
        response.on('end', () => resolve(firstMs)).resume();
      });
      sent.on('error', reject).end(body);
    });
  const ours = async () => {
    const startedAt = performance.now();
    let firstMs = 0;
    await callModel(fetch, connection, request, () => (firstMs ||= performance.now() - startedAt));
    return firstMs;
  };
  const times: [number, number][] = [];
  for (let n = 0; n < 220; n += 1) times.push([await bare(), await ours()]);
  const middle = (which: 0 | 1) =>
    times
      .slice(20)
      .map((pair) => pair[which])
      .toSorted((one, other) => one - other)[100]!;
  const [plain, guarded] = [middle(0), middle(1)];
  console.info(`first token, p50 of 200: bare ${plain.toFixed(2)} ms, callModel ${guarded.toFixed(2)} ms`);
  expect(guarded - plain).toBeLessThan(20);
});
