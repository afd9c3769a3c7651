import type * as fc from 'fast-check';
import { expect } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { openApi, type Headers, type Response, afterOwnFile } from '../harness.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { broken } from './answers.ts';

// What the fuzz tests share: how a request is sent, and what no answer may hold.
// FUZZ_VALID and FUZZ_MUTATED say how many of each a route gets; FUZZ_SEED repeats a run.

const seed = seedFrom('FUZZ_SEED');
export const validRuns = countOf('FUZZ_VALID', { sample: 2, full: 20 });
export const mutatedRuns = countOf('FUZZ_MUTATED', { sample: 3, full: 40 });
const workers = 8;
const longestMs = { usual: 5_000, dear: 20_000 };
export const timeout = 60_000 + (validRuns + mutatedRuns) * 100;

/** A program that sends people to our sign-in pages. */
export const client = { clientId: 'fuzz', redirectUris: ['http://127.0.0.1:1/back'] };
const clients = (['customer', 'admin'] as const).map((pool) => ({ pool, ...client }));
/** With everything open that can be: a route that only says no is not tried. */
export const fuzzed = await openApi({ SIGNUP: 'open', OIDC_CLIENTS: JSON.stringify(clients) });
afterOwnFile(() => fuzzed.close());
export const operations = walk.operationsOf(fuzzed.app.swagger());

// ---- who sends

export interface Actor {
  headers: Headers;
  /** A server key, for the routes that one may use. */
  key?: Headers;
  ids: Map<string, string[]>;
  /** What only they know, by the name of the field that wants it. */
  own: Record<string, string>;
}
export const nobody: Actor = {
  headers: {},
  ids: new Map(),
  own: {
    email: 'nobody@example.com',
    password: 'no password of anybody',
    ...Object.fromEntries(
      ['refreshToken', 'uid', 'sessionToken', 'visitorToken', 'publicKey', 'tenantId', 'workspaceId']
        .concat('environmentId', 'botId')
        .map((name) => [name, 'none']),
    ),
  },
};

/** Tokens end, and what is proved is soon too old. */
const longestServiceMs = 200_000;

/** Several, in turn: some routes are limited per tenant, and one tenant alone would soon meet nothing but 429. */
export function crew(recruit: () => Promise<Actor>, { size, shift = Number.POSITIVE_INFINITY }: Size) {
  const members = Array.from({ length: size }, () => ({
    actor: undefined as Promise<Actor> | undefined,
    served: 0,
    since: 0,
  }));
  let turn = 0;
  return {
    async next(): Promise<Actor> {
      const member = members[turn++ % size];
      if (!member) return nobody;
      if (member.served++ % shift === 0 || Date.now() - member.since > longestServiceMs) {
        member.since = Date.now();
        member.actor = recruit();
      }
      return (await member.actor) ?? nobody;
    },
    async relieve(tired: Actor) {
      for (const member of members) if ((await member.actor) === tired) member.served = 0;
    },
    /** Somebody new whom nobody else sends as: whoever shares them could spend them first, again and again. */
    recruit,
    relieveAll() {
      for (const member of members) member.served = 0;
    },
  };
}
interface Size {
  size: number;
  shift?: number;
}
export type Crew = ReturnType<typeof crew>;

// ---- requests

export interface Request {
  /** What is wrong with it. */
  what: string;
  method: string;
  url: string;
  headers: Record<string, string | string[]>;
  payload?: string;
  encoding?: BufferEncoding;
  /** The only statuses that are right. */
  due?: readonly number[];
}
export type Spoiled = Partial<Request> & { what: string };
export type Choose = <T>(from: readonly T[]) => T;

// A value that only its sender knows is a mark until the request is sent, for only then is it known by whom:
// `key_*3` is the fourth of their keys, `own_*email` their address.
export const fill = (text: string, { ids, own }: Actor) =>
  text.replaceAll(/\b([a-z]{2,5})_\*(\w+)/g, (_mark, prefix: string, which: string) => {
    if (prefix === 'own') return own[which] ?? nobody.own[which] ?? '';
    const known = ids.get(prefix) ?? [];
    return known[Number(which) % known.length] ?? `${prefix}_${'0'.repeat(26)}`;
  });

/** From an address of its own: what is public is limited by it. */
export async function sendAs(actor: Actor, request: Request, credential: Headers = actor.headers): Promise<Answered> {
  const payload = request.payload === undefined ? undefined : fill(request.payload, actor);
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, typeof value === 'string' ? fill(value, actor) : value] as const,
  );
  const began = performance.now();
  const response = await fuzzed.app.inject({
    method: request.method as 'GET',
    url: fill(request.url, actor),
    headers: { ...credential, ...Object.fromEntries(headers) },
    remoteAddress: anIp(),
    ...(payload !== undefined && { payload: request.encoding ? Buffer.from(payload, request.encoding) : payload }),
  });
  return { answer: response, ms: performance.now() - began };
}
interface Answered {
  answer: Response;
  ms: number;
}

// ---- bars

const secretWords = /postgres|kysely|\bpg_\w|node_modules|node:internal/i;
const insides = [
  /\n\s+at .+:\d+/, // a stack trace
  /\b(?:select\s.+\sfrom|insert into|delete from|update\s\S+\sset)\s/i,
  /\bviolates \w|relation "|column "|syntax error at|invalid byte sequence|invalid input syntax/i,
  /(?:\/[\w.-]+){2,}\.[cm]?[jt]s\b/,
  /<script.{0,5}alert\(1\)/, // what was sent, not made harmless; JSON says what it is, and no browser runs it
];

function complaints(operation: Operation, request: Request, { answer: response, ms }: Answered): string[] {
  const { statusCode: status } = response;
  const body = response.body.replaceAll(/\bsrc="[^"]*"/g, ''); // what a page loads is no secret
  const found: string[] = [];
  if (status >= 500) found.push(`answered ${status}`);
  const wrong = broken(operation, response);
  if (wrong !== undefined) found.push(wrong);
  if (request.due && !request.due.includes(status)) found.push(`${request.due.join(' or ')} was due, not ${status}`);
  const word = secretWords.exec(body)?.[0];
  // A word that the document itself uses for this answer is no secret, nor is one that was sent, by chance or on purpose.
  const known = JSON.stringify(operation.responses) + request.url + (request.payload ?? '');
  if (word !== undefined && !known.includes(word)) found.push(`says '${word}'`);
  for (const inside of operation.format === 'json' ? insides.slice(0, -1) : insides)
    if (inside.test(body)) found.push(`shows ${inside.exec(body)?.[0]}`);
  if (ms > longestMs[isDear(operation) ? 'dear' : 'usual']) found.push(`took ${Math.round(ms)} ms`);
  return found;
}

// ---- runs

const total = { valid: 0, succeeded: 0, mutated: 0, breaches: 0, slowest: 0 };
type Exchange = (operation: Operation, request: Request, n: number) => Promise<Answered>;

/** Runs them side by side, and says what was wrong, with all that is needed to see it again. */
export async function run(
  kind: 'valid' | 'mutated',
  requests: { operation: Operation; request: Request }[],
  exchange: Exchange,
): Promise<number[]> {
  const breaches = new Map<string, string>();
  const statuses: number[] = [];
  const queue = requests.entries();
  const worker = async () => {
    for (const [n, { operation, request }] of queue) {
      let answered = await exchange(operation, request, n);
      // A machine that builds stands still now and then, and a part of ours that does not answer in time is a 503 by right:
      // a fault of the route is one the second time too.
      if (answered.answer.statusCode === 503 || answered.ms > longestMs.usual)
        answered = await exchange(operation, request, n);
      statuses.push(answered.answer.statusCode);
      total.slowest = Math.max(total.slowest, answered.ms);
      for (const complaint of complaints(operation, request, answered)) {
        total.breaches++;
        // One of a kind is enough to read.
        const kind = `${complaint.slice(0, 60)} ${request.what}`;
        const { method, url, headers, payload = '' } = request;
        const asked = `${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${payload.slice(0, 300)}`;
        breaches.set(
          kind,
          `FUZZ_SEED=${seed} ${operation.id} #${n}: ${complaint}\n  what is wrong with it: ${request.what}\n  ${asked}\n  ${answered.answer.body.slice(0, 300)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  total[kind] += statuses.length;
  if (kind === 'valid') total.succeeded += statuses.filter((status) => status < 400).length;
  expect([...breaches.values()].slice(0, 8).join('\n\n'), `${breaches.size} kinds of breach`).toBe('');
  return statuses;
}

export const seedOf = (name: string) =>
  Array.from(name).reduce((sum, character) => Math.imul(sum, 31) + character.charCodeAt(0), seed) | 0;

/** A hash of a password is dear, and a few of them say as much as many. */
const isDear = ({ body }: Operation) => Object.keys(body?.properties ?? {}).some((name) => /password/i.test(name));

/** So many requests of each kind, one address after the other. */
export function requestsFor(
  addresses: Operation[],
  count: number,
  make: (operation: Operation, numRuns: number) => Request[],
) {
  const each = addresses.map((operation) => {
    const numRuns = Math.ceil(count / addresses.length / (isDear(operation) ? 4 : 1));
    return make(operation, numRuns).map((request) => ({ operation, request }));
  });
  return each.flat();
}

export function report(name: string, routes: number) {
  const { valid, succeeded, mutated, breaches, slowest } = total;
  console.log(
    `${name}: FUZZ_SEED=${seed}, ${routes} routes, ${valid} valid requests (${succeeded} of them went well), ` +
      `${mutated} mutated, ${breaches} breaches, slowest ${Math.round(slowest)} ms`,
  );
}

/** Bodies that prove who somebody is, by what only an email, an app, a browser or they themselves know. */
const proofs = [
  'token',
  'mfaToken',
  'code',
  'credential',
  'passkey',
  'refreshToken',
  'password',
  'currentPassword',
  'publicKey',
  'key',
  'sessionToken',
];
export const wantsProof = ({ body, query }: Operation) =>
  [body, query].some((schema) => Object.keys(schema?.properties ?? {}).some((name) => proofs.includes(name)));

export type Generate = fc.GeneratorValue;
