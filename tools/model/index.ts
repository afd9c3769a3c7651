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
  /** The answer was sent to its end. */
  finished: boolean;
  /** The caller went away before. */
  abortedByClient: boolean;
  endedAt: number | undefined;
}

export interface ModelServer {
  /** What a model's `baseUrl` is set to. */
  url: string;
  /** For the settings that open hosts. */
  host: string;
  /** How each call is answered; may be replaced at any time. Calls are numbered from 1. */
  script: (request: ChatRequest, callNumber: number) => Reply;
  /** What a text means; may be replaced at any time. One that throws breaks the connection off. */
  vector: (text: string, dimensions: number) => number[];
  calls: ModelCall[];
  close(): Promise<void>;
}

/** A real server that speaks the protocol of OpenAI, and thinks nothing: for development and tests. */
export async function startModelServer({ port = 0 }: { port?: number } = {}): Promise<ModelServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(model, request, response).catch(() => response.destroy());
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

async function answer(model: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
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
  const gone = new AbortController();
  response.on('close', () => {
    call.endedAt = Date.now();
    call.finished = response.writableFinished;
    call.abortedByClient = !call.finished && !cut.has(request.socket);
    gone.abort();
  });
  if (reply.failWith)
    return send(reply.failWith, { error: { message: `Failing with ${reply.failWith}, as configured.` } });
  return speak(body, reply, response, gone.signal);
}

/** Connections that we cut, and not the caller. */
const cut = new WeakSet<Socket>();

/** Word by word, also when the caller wants it whole: then all of it is sent at the end. */
async function speak(body: ChatRequest, reply: Reply, response: ServerResponse, gone: AbortSignal) {
  const max = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
  const words = reply.words.slice(0, max);
  const envelope = { id: 'chatcmpl-1', created: Math.floor(Date.now() / 1000), model: body.model };
  const event = (data: object) => {
    if (body.stream)
      response.write(`data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', ...data })}\n\n`);
  };
  const delta = (part: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta: part, finish_reason }] });

  if (body.stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const pause = (ms = 0) => ms > 0 && sleep(ms, undefined, { signal: gone });
  await pause(reply.firstAfterMs);
  for (const [index, word] of words.entries()) {
    if (await isCutOff(reply, index, response, gone)) return;
    if (reply.pause?.after === index) await reply.pause.until;
    if (index > 0) await pause(reply.everyMs);
    if (reply.hold?.at === index) await Promise.race([reply.hold.until, once(gone, 'abort')]);
    delta({ ...(index === 0 && { role: 'assistant' }), content: index === 0 ? word : ` ${word}` });
  }
  if (await isCutOff(reply, words.length, response, gone)) return;
  if (reply.malformed) response.write('data: {"choices":[{"delta":\n\n');

  const calls = (reply.toolCalls ?? []).map(({ id, name, input }, index) => ({
    index,
    id: id ?? `call_${index + 1}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  for (const call of calls) {
    const [begin, end] = [call.function.arguments.slice(0, 3), call.function.arguments.slice(3)];
    delta({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: begin } }] });
    delta({ tool_calls: [{ index: call.index, function: { arguments: end } }] });
  }
  const reason = calls.length > 0 ? 'tool_calls' : words.length < reply.words.length ? 'length' : 'stop';
  const input = tokensIn(body);
  const usage = { prompt_tokens: input, completion_tokens: words.length, total_tokens: input + words.length };
  if (body.stream) {
    delta({}, reason);
    if (body.stream_options?.include_usage && !reply.noUsage) event({ choices: [], usage });
    response.end('data: [DONE]\n\n');
    return;
  }
  const message = { role: 'assistant', content: words.join(' '), ...(calls.length > 0 && { tool_calls: calls }) };
  const choices = [{ index: 0, message, finish_reason: reason }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...envelope, object: 'chat.completion', choices, ...(!reply.noUsage && { usage }) }));
}

/** Whether this is where the answer breaks off. One that hangs is held until the caller goes. */
async function isCutOff(reply: Reply, afterWords: number, response: ServerResponse, gone: AbortSignal) {
  if (reply.hangAfter === afterWords) await sleep(2 ** 31 - 1, undefined, { signal: gone });
  if (reply.resetAfter !== afterWords) return false;
  const { socket } = response;
  if (!socket) return true;
  cut.add(socket);
  await sleep(5); // what was written goes out first
  socket.resetAndDestroy();
  return true;
}
