import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page } from '../chat/fixture.ts';
import type { Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { crewOf, crews } from './fuzz-crews.ts';
import { plain, spoil } from './fuzz-mutations.ts';
import {
  fill,
  fuzzed,
  mutatedRuns,
  operations,
  report,
  requestsFor,
  run,
  seedOf,
  timeout,
  validRuns,
  type Actor,
  type Request,
} from './fuzz-run.ts';

// The routes that answer with events as they come, asked for those: over a real connection, which is hung up after the
// first of them. What the same routes answer without a stream is in fuzz.int.test.ts.

const streaming = operations.filter(({ streams }) => streams);
const routes = [...Map.groupBy(streaming, ({ route }) => route)].map(([name, addresses]) => ({ name, addresses }));

beforeAll(async () => {
  await fuzzed.app.listen({ port: 0, host: '127.0.0.1' });
});

const marks: walk.ValueSources = {
  id: (prefix) => fc.nat(99).map((n) => `${prefix}_*${n}`),
  named: {
    sessionToken: fc.oneof({ weight: 4, arbitrary: fc.constant('own_*sessionToken') }, fc.constant('no truth')),
    wait: fc.constant(0),
  },
};

/** A longer one is refused before it reaches us. */
const longestHead = 8_000;

/** Headers that no client of HTTP sends as they are: those of the connection itself. */
const ofConnection = ['host', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'accept-encoding'];
const canBeSent = ([name, value]: [string, unknown]) =>
  !ofConnection.includes(name) && typeof value === 'string' && /^[\t -~]*$/.test(value);

const soonMs = 30;

/** Reads the head and, of a stream, what comes soon; then hangs up. Every time on a connection of its own. */
async function open(actor: Actor, { method, url, headers, payload, encoding }: Request) {
  const { port } = fuzzed.app.server.address() as AddressInfo;
  const sent = { ...actor.headers, ...Object.fromEntries(Object.entries(headers).filter(canBeSent)) };
  const filled = Object.entries(sent).map(([name, value]) => [name, fill(String(value), actor)]);
  const bytes = Buffer.from(fill(payload ?? '', actor), encoding ?? 'utf8');
  const length = payload === undefined ? {} : { 'content-length': String(bytes.length) };
  const began = performance.now();
  const asked = request({
    port,
    method,
    agent: false,
    path: fill(url, actor),
    headers: { ...Object.fromEntries(filled), ...length, accept: 'text/event-stream' },
  });
  asked.on('error', () => {}); // we hang up on purpose; what came before that is the answer
  asked.end(bytes);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const ms = performance.now() - began;
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  let body = '';
  const event = new Promise<void>((resolve) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
      if (body.includes('event: ')) resolve(); // the line of comment before it is no event
    });
  });
  await Promise.race([once(response, 'close'), ...(isStream ? [event, sleep(soonMs)] : [])]);
  if (isStream) expect(body.slice(0, 3), 'a stream begins with a comment').toBe(':\n\n');
  asked.destroy();
  const said = { statusCode: response.statusCode ?? 0, headers: response.headers, body };
  return { answer: said as unknown as Response, ms, isStream };
}

let opened = 0;
/** By others as long as it only meets a limit. */
async function exchange(operation: Operation, request: Request) {
  const crew = operation.id === 'sendMessage' ? crews.newcomer : crewOf(operation);
  for (let attempt = 1; ; attempt++) {
    const actor = await crew.next();
    const { isStream, ...answered } = await open(actor, request);
    if (isStream) {
      opened++;
      const isOfWidget = operation.pathTemplate.startsWith('/widget/');
      const allowed = answered.answer.headers['access-control-allow-origin'];
      expect(allowed, operation.pathTemplate).toBe(isOfWidget ? '*' : undefined);
    }
    if (answered.answer.statusCode !== 429 || attempt === 10) return answered;
    await crew.relieve(actor);
  }
}

describe.each(routes)('$name', ({ name, addresses }) => {
  test(`${validRuns} streams opened and hung up on: no 5xx, and events as they should be`, { timeout }, async () => {
    const before = opened;
    const requests = requestsFor(addresses, validRuns, (operation, numRuns) =>
      fc
        .sample(walk.requestValuesOf(operation, marks), { numRuns, seed: seedOf(`${operation.id} stream`) })
        .map((parts) => plain(operation, parts)),
    );
    await run('valid', requests, exchange);
    expect(opened - before, `streams of ${name}`).toBeGreaterThan(requests.length / 4);
  });

  test(`${mutatedRuns} mutated requests: no 5xx, nothing of our insides`, { timeout }, async () => {
    const requests = requestsFor(addresses, mutatedRuns, (operation, numRuns) =>
      fc
        .sample(fc.tuple(walk.requestValuesOf(operation, marks), fc.gen()), {
          numRuns,
          seed: seedOf(`${operation.id} mutated stream`),
        })
        .map(([parts, generate]) => spoil(operation, parts, generate))
        .filter(({ url, headers }) => url.length + JSON.stringify(headers).length < longestHead)
        // What was done to headers of the connection does not arrive, so that nothing is due for it.
        .map(({ due, ...request }) =>
          due && Object.entries(request.headers).every(canBeSent) ? { ...request, due } : request,
        ),
    );
    await run('mutated', requests, exchange);
  });
});

test('nobody is left on the line: every stream that was hung up on is closed on our side', async () => {
  expect(opened).toBeGreaterThan(0);
  const open = () => new Promise<number>((resolve) => fuzzed.app.server.getConnections((_error, n) => resolve(n)));
  for (let attempts = 0; attempts < 100 && (await open()) > 0; attempts++) {
    await sleep(20);
  }
  expect(await open()).toBe(0);
});

test('a page of somebody else gets no stream', async () => {
  const actor = await crews.newcomer.next();
  const [follow] = streaming.filter(({ audience }) => audience === 'visitor');
  if (!follow) throw new Error('no visitor can follow anything');
  const url = walk.urlOf(follow, { path: { id: 'conv_*0' }, query: {} });
  const asked = { what: 'another page', method: 'GET', url, headers: { origin: 'https://evil.example' } };
  const { answer: response, isStream } = await open({ ...actor, headers: { ...actor.headers, origin: page } }, asked);
  expect([response.statusCode, isStream]).toEqual([403, false]);
});

afterAll(() => report('fuzz of streams', routes.length));
