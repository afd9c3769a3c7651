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
import { actorsFor, actorGroups } from './fuzz-actors.ts';
import { plain, mutate } from './fuzz-mutations.ts';
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

// The routes that can stream events, over a real connection that is closed after the first event. Their responses
// without a stream are tested in fuzz.int.test.ts.

const streaming = operations.filter(({ streams }) => streams);
const routes = [...Map.groupBy(streaming, ({ route }) => route)].map(([name, addresses]) => ({ name, addresses }));

beforeAll(async () => {
  await fuzzed.app.listen({ port: 0, host: '127.0.0.1' });
});

const placeholders: walk.ValueSources = {
  id: (prefix) => fc.nat(99).map((n) => `${prefix}_*${n}`),
  named: {
    sessionToken: fc.oneof({ weight: 4, arbitrary: fc.constant('own_*sessionToken') }, fc.constant('no truth')),
    wait: fc.constant(0),
  },
};

/** A longer head is refused by the HTTP parser. */
const maxHeadLength = 8_000;

/** Connection headers, which HTTP clients set themselves. */
const ofConnection = ['host', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'accept-encoding'];
const canBeSent = ([name, value]: [string, unknown]) =>
  !ofConnection.includes(name) && typeof value === 'string' && /^[\t -~]*$/.test(value);

const firstEventMs = 30;

/** Reads the head and, of a stream, the first event; then disconnects. Each call uses its own connection. */
async function open(actor: Actor, { method, url, headers, payload, encoding }: Request) {
  const { port } = fuzzed.app.server.address() as AddressInfo;
  const sentHeaders = { ...actor.headers, ...Object.fromEntries(Object.entries(headers).filter(canBeSent)) };
  const filled = Object.entries(sentHeaders).map(([name, value]) => [name, fill(String(value), actor)]);
  const bytes = Buffer.from(fill(payload ?? '', actor), encoding ?? 'utf8');
  const length = payload === undefined ? {} : { 'content-length': String(bytes.length) };
  const startedAt = performance.now();
  const sent = request({
    port,
    method,
    agent: false,
    path: fill(url, actor),
    headers: { ...Object.fromEntries(filled), ...length, accept: 'text/event-stream' },
  });
  sent.on('error', () => {}); // we disconnect on purpose; what was received before counts
  sent.end(bytes);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const ms = performance.now() - startedAt;
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  let body = '';
  const event = new Promise<void>((resolve) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
      if (body.includes('event: ')) resolve(); // the comment line before it is not an event
    });
  });
  await Promise.race([once(response, 'close'), ...(isStream ? [event, sleep(firstEventMs)] : [])]);
  if (isStream) expect(body.slice(0, 3), 'a stream starts with a comment').toBe(':\n\n');
  sent.destroy();
  const received = { statusCode: response.statusCode ?? 0, headers: response.headers, body };
  return { response: received as unknown as Response, ms, isStream };
}

let opened = 0;
/** Retries with another actor while it only meets a rate limit. */
async function exchange(operation: Operation, request: Request) {
  const actors = operation.id === 'sendMessage' ? actorGroups.newcomer : actorsFor(operation);
  for (let attempt = 1; ; attempt++) {
    const actor = await actors.next();
    const { isStream, ...result } = await open(actor, request);
    if (isStream) {
      opened++;
      const isOfWidget = operation.pathTemplate.startsWith('/widget/');
      const allowed = result.response.headers['access-control-allow-origin'];
      expect(allowed, operation.pathTemplate).toBe(isOfWidget ? '*' : undefined);
    }
    if (result.response.statusCode !== 429 || attempt === 10) return result;
    await actors.replace(actor);
  }
}

describe.each(routes)('$name', ({ name, addresses }) => {
  test(`returns no 5xx and valid events on ${validRuns} streams that are opened and closed`, { timeout }, async () => {
    const before = opened;
    const requests = requestsFor(addresses, validRuns, (operation, numRuns) =>
      fc
        .sample(walk.requestValuesOf(operation, placeholders), { numRuns, seed: seedOf(`${operation.id} stream`) })
        .map((parts) => plain(operation, parts)),
    );
    await run('valid', requests, exchange);
    expect(opened - before, `streams of ${name}`).toBeGreaterThan(requests.length / 4);
  });

  test(`returns no 5xx and no internals to ${mutatedRuns} mutated requests`, { timeout }, async () => {
    const requests = requestsFor(addresses, mutatedRuns, (operation, numRuns) =>
      fc
        .sample(fc.tuple(walk.requestValuesOf(operation, placeholders), fc.gen()), {
          numRuns,
          seed: seedOf(`${operation.id} mutated stream`),
        })
        .map(([parts, generate]) => mutate(operation, parts, generate))
        .filter(({ url, headers }) => url.length + JSON.stringify(headers).length < maxHeadLength)
        // Mutated connection headers are not sent, so no status is expected for them.
        .map(({ expected, ...request }) =>
          expected && Object.entries(request.headers).every(canBeSent) ? { ...request, expected } : request,
        ),
    );
    await run('mutated', requests, exchange);
  });
});

test('closes every stream on our side after the client disconnects', async () => {
  expect(opened).toBeGreaterThan(0);
  const open = () => new Promise<number>((resolve) => fuzzed.app.server.getConnections((_error, n) => resolve(n)));
  for (let attempts = 0; attempts < 100 && (await open()) > 0; attempts++) {
    await sleep(20);
  }
  expect(await open()).toBe(0);
});

test('returns 403 without a stream to a page of another origin', async () => {
  const actor = await actorGroups.newcomer.next();
  const [follow] = streaming.filter(({ audience }) => audience === 'visitor');
  if (!follow) throw new Error('no route streams to visitors');
  const url = walk.urlOf(follow, { path: { id: 'conv_*0' }, query: {} });
  const otherOrigin = { what: 'another page', method: 'GET', url, headers: { origin: 'https://evil.example' } };
  const { response, isStream } = await open({ ...actor, headers: { ...actor.headers, origin: page } }, otherOrigin);
  expect([response.statusCode, isStream]).toEqual([403, false]);
});

afterAll(() => report('fuzz of streams', routes.length));
