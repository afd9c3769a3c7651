import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerFromChunks, tokensIn, vectorOf, type ChatRequest, type Reply } from './replies.ts';

export type { ChatRequest, Reply } from './replies.ts';

export interface ModelCall {
  at: number;
  body: ChatRequest;
  authorization: string | undefined;
  /** The response was sent completely. */
  finished: boolean;
  /** The caller disconnected first. */
  abortedByClient: boolean;
  endedAt: number | undefined;
}

export interface ModelServer {
  /** The `baseUrl` of a model. */
  url: string;
  /** For the settings that allow hosts. */
  host: string;
  /** The reply to each call; may be replaced at any time. Calls are numbered from 1. */
  script: (request: ChatRequest, callNumber: number) => Reply;
  /** The embedding of a text; may be replaced at any time. If it throws, the connection is cut. */
  vector: (text: string, dimensions: number) => number[];
  calls: ModelCall[];
  close(): Promise<void>;
}

/** A server with OpenAI's protocol and scripted replies: for development and tests. */
export async function startModelServer({ port = 0 }: { port?: number } = {}): Promise<ModelServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(model, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model: ModelServer = {
    url: `http://${host}/v1`,
    host,
    script: answerFromChunks,
    vector: vectorOf,
    calls: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}

async function handle(model: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const route = `${request.method} ${(request.url ?? '').split('?')[0]}`;
  if (route === 'GET /v1/models')
    return send(200, { object: 'list', data: [{ id: 'demo', object: 'model', owned_by: 'parley' }] });
  if (route === 'POST /v1/embeddings') {
    const { input, dimensions = 256 } = (await json(request)) as { input: string | string[]; dimensions?: number };
    const texts = [input].flat();
    const data = texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: model.vector(text, dimensions),
    }));
    const tokens = Math.ceil(texts.join('').length / 4);
    return send(200, { object: 'list', data, usage: { prompt_tokens: tokens, total_tokens: tokens } });
  }
  if (route !== 'POST /v1/chat/completions') return send(404, { error: { message: 'There is no such thing here.' } });

  const body = (await json(request)) as ChatRequest;
  const { authorization } = request.headers;
  const call: ModelCall = {
    at: Date.now(),
    body,
    authorization,
    finished: false,
    abortedByClient: false,
    endedAt: undefined,
  };
  const reply = model.script(body, model.calls.push(call));
  const disconnected = new AbortController();
  response.on('close', () => {
    call.endedAt = Date.now();
    call.finished = response.writableFinished;
    call.abortedByClient = !call.finished && !cut.has(request.socket);
    disconnected.abort();
  });
  if (reply.failWith)
    return send(reply.failWith, { error: { message: `Failing with ${reply.failWith}, as configured.` } });
  return sendReply(body, reply, response, disconnected.signal);
}

/** Connections that were cut by us, not by the caller. */
const cut = new WeakSet<Socket>();

/** Token by token; without streaming, everything is sent at the end. */
async function sendReply(body: ChatRequest, reply: Reply, response: ServerResponse, disconnected: AbortSignal) {
  const max = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
  const tokens = reply.tokens.slice(0, max);
  const envelope = { id: 'chatcmpl-1', created: Math.floor(Date.now() / 1000), model: body.model };
  const event = (data: object) => {
    if (body.stream)
      response.write(`data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', ...data })}\n\n`);
  };
  const delta = (part: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta: part, finish_reason }] });

  if (body.stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const pause = (ms = 0) => ms > 0 && sleep(ms, undefined, { signal: disconnected });
  await pause(reply.firstAfterMs);
  for (const [index, token] of tokens.entries()) {
    if (await isCutOff(reply, index, response, disconnected)) return;
    if (reply.pause?.after === index) await reply.pause.until;
    if (index > 0) await pause(reply.everyMs);
    if (reply.hold?.at === index) await Promise.race([reply.hold.until, once(disconnected, 'abort')]);
    delta({ ...(index === 0 && { role: 'assistant' }), content: index === 0 ? token : ` ${token}` });
  }
  if (await isCutOff(reply, tokens.length, response, disconnected)) return;
  if (reply.malformed) response.write('data: {"choices":[{"delta":\n\n');

  const calls = (reply.toolCalls ?? []).map(({ id, name, input }, index) => ({
    index,
    id: id ?? `call_${index + 1}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  for (const call of calls) {
    const [start, end] = [call.function.arguments.slice(0, 3), call.function.arguments.slice(3)];
    delta({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: start } }] });
    delta({ tool_calls: [{ index: call.index, function: { arguments: end } }] });
  }
  const reason = calls.length > 0 ? 'tool_calls' : tokens.length < reply.tokens.length ? 'length' : 'stop';
  const input = tokensIn(body);
  const usage = { prompt_tokens: input, completion_tokens: tokens.length, total_tokens: input + tokens.length };
  if (body.stream) {
    delta({}, reason);
    if (body.stream_options?.include_usage && !reply.noUsage) event({ choices: [], usage });
    response.end('data: [DONE]\n\n');
    return;
  }
  const message = { role: 'assistant', content: tokens.join(' '), ...(calls.length > 0 && { tool_calls: calls }) };
  const choices = [{ index: 0, message, finish_reason: reason }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...envelope, object: 'chat.completion', choices, ...(!reply.noUsage && { usage }) }));
}

/** Whether the reply is cut off here. A hanging reply waits until the caller disconnects. */
async function isCutOff(reply: Reply, afterTokens: number, response: ServerResponse, disconnected: AbortSignal) {
  if (reply.hangAfter === afterTokens) await sleep(2 ** 31 - 1, undefined, { signal: disconnected });
  if (reply.resetAfter !== afterTokens) return false;
  const { socket } = response;
  if (!socket) return true;
  cut.add(socket);
  await sleep(5); // flush what was written
  socket.resetAndDestroy();
  return true;
}
