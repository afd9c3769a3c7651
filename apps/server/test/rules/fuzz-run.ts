import type * as fc from 'fast-check';
import { expect } from 'vitest';
import { countOf, seedFrom } from '../../../../tools/testing/size.ts';
import { openApi, type Headers, type Response, afterOwnFile } from '../harness.ts';
import { anIp } from '../identity/accounts-fixture.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { findViolation } from './responses.ts';

// Shared by the fuzz tests: how a request is sent, and what no response may contain.
// FUZZ_VALID and FUZZ_MUTATED set how many of each a route gets; FUZZ_SEED repeats a run.

const seed = seedFrom('FUZZ_SEED');
export const validRuns = countOf('FUZZ_VALID', { sample: 2, full: 20 });
export const mutatedRuns = countOf('FUZZ_MUTATED', { sample: 2, full: 40 });
const workers = 8;
const maxMs = { usual: 5_000, expensive: 20_000 };
export const timeout = 60_000 + (validRuns + mutatedRuns) * 100;

/** An OIDC client of our sign-in pages. */
export const client = { clientId: 'fuzz', redirectUris: ['http://127.0.0.1:1/back'] };
const clients = (['customer', 'admin'] as const).map((pool) => ({ pool, ...client }));
/** With every feature enabled: a route that always refuses would not be tested. */
export const fuzzed = await openApi({ SIGNUP: 'open', OIDC_CLIENTS: JSON.stringify(clients) });
afterOwnFile(() => fuzzed.close());
export const operations = walk.operationsOf(fuzzed.app.swagger());

// ---- senders

export interface Actor {
  headers: Headers;
  /** A server key, for the routes that one may use. */
  key?: Headers;
  ids: Map<string, string[]>;
  /** Values that only this actor knows, by the name of the field that takes them. */
  own: Record<string, string>;
}
export const nobody: Actor = {
  headers: {},
  ids: new Map(),
  own: {
    email: 'nobody@example.com',
    password: 'not a real password',
    ...Object.fromEntries(
      ['refreshToken', 'uid', 'sessionToken', 'visitorToken', 'publicKey', 'tenantId', 'workspaceId']
        .concat('environmentId', 'botId')
        .map((name) => [name, 'none']),
    ),
  },
};

/** Tokens expire, and an authentication soon is too old for step-up. */
const maxAgeMs = 200_000;

/** Several actors in turn: some routes are limited per tenant, and a single tenant would soon only get 429. */
export function actorGroup(create: () => Promise<Actor>, { size, maxUses = Number.POSITIVE_INFINITY }: GroupSize) {
  const members = Array.from({ length: size }, () => ({
    actor: undefined as Promise<Actor> | undefined,
    uses: 0,
    since: 0,
  }));
  let turn = 0;
  return {
    async next(): Promise<Actor> {
      const member = members[turn++ % size];
      if (!member) return nobody;
      if (member.uses++ % maxUses === 0 || Date.now() - member.since > maxAgeMs) {
        member.since = Date.now();
        member.actor = create();
      }
      return (await member.actor) ?? nobody;
    },
    async replace(used: Actor) {
      for (const member of members) if ((await member.actor) === used) member.uses = 0;
    },
    /** An actor that no other request uses: shared ones could lose their rights to another request first. */
    create,
    replaceAllActors() {
      for (const member of members) member.uses = 0;
    },
  };
}
interface GroupSize {
  size: number;
  maxUses?: number;
}
export type ActorGroup = ReturnType<typeof actorGroup>;

// ---- requests

export interface Request {
  /** What was changed. */
  what: string;
  method: string;
  url: string;
  headers: Record<string, string | string[]>;
  payload?: string;
  encoding?: BufferEncoding;
  /** The only correct statuses. */
  expected?: readonly number[];
}
export type MutatedRequest = Partial<Request> & { what: string };
export type Choose = <T>(from: readonly T[]) => T;

// A value that depends on the sender is a placeholder until the request is sent:
// `key_*3` is the fourth of their keys, `own_*email` their email.
export const fill = (text: string, { ids, own }: Actor) =>
  text.replaceAll(/\b([a-z]{2,5})_\*(\w+)/g, (_mark, prefix: string, which: string) => {
    if (prefix === 'own') return own[which] ?? nobody.own[which] ?? '';
    const known = ids.get(prefix) ?? [];
    return known[Number(which) % known.length] ?? `${prefix}_${'0'.repeat(26)}`;
  });

/** From a different IP each time, because public routes are limited by IP. */
export async function sendAs(
  actor: Actor,
  request: Request,
  credential: Headers = actor.headers,
): Promise<TimedResponse> {
  const payload = request.payload === undefined ? undefined : fill(request.payload, actor);
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, typeof value === 'string' ? fill(value, actor) : value] as const,
  );
  const startedAt = performance.now();
  const response = await fuzzed.app.inject({
    method: request.method as 'GET',
    url: fill(request.url, actor),
    headers: { ...credential, ...Object.fromEntries(headers) },
    remoteAddress: anIp(),
    ...(payload !== undefined && { payload: request.encoding ? Buffer.from(payload, request.encoding) : payload }),
  });
  return { response, ms: performance.now() - startedAt };
}
interface TimedResponse {
  response: Response;
  ms: number;
}

// ---- checks

const internalTerms = /postgres|kysely|\bpg_\w|node_modules|node:internal/i;
const internals = [
  /\n\s+at .+:\d+/, // a stack trace
  /\b(?:select\s.+\sfrom|insert into|delete from|update\s\S+\sset)\s/i,
  /\bviolates \w|relation "|column "|syntax error at|invalid byte sequence|invalid input syntax/i,
  /(?:\/[\w.-]+){2,}\.[cm]?[jt]s\b/,
  /<script.{0,5}alert\(1\)/, // input that was not escaped; in JSON no browser runs it
];

function violationsOf(operation: Operation, request: Request, { response, ms }: TimedResponse): string[] {
  const { statusCode: status } = response;
  const body = response.body.replaceAll(/\bsrc="[^"]*"/g, ''); // URLs that a page loads are no secret
  const found: string[] = [];
  if (status >= 500) found.push(`returned ${status}`);
  const violation = findViolation(operation, response);
  if (violation !== undefined) found.push(violation);
  if (request.expected && !request.expected.includes(status))
    found.push(`expected ${request.expected.join(' or ')}, not ${status}`);
  const term = internalTerms.exec(body)?.[0];
  // A term that the document uses for this response is no secret, nor is one that the request contained.
  const known = JSON.stringify(operation.responses) + request.url + (request.payload ?? '');
  if (term !== undefined && !known.includes(term)) found.push(`says '${term}'`);
  for (const internal of operation.format === 'json' ? internals.slice(0, -1) : internals)
    if (internal.test(body)) found.push(`shows ${internal.exec(body)?.[0]}`);
  if (ms > maxMs[isExpensive(operation) ? 'expensive' : 'usual']) found.push(`took ${Math.round(ms)} ms`);
  return found;
}

// ---- runs

const total = { valid: 0, succeeded: 0, mutated: 0, violations: 0, slowest: 0 };
type Exchange = (operation: Operation, request: Request, n: number) => Promise<TimedResponse>;

/** Runs them concurrently and reports each violation with what is needed to reproduce it. */
export async function run(
  kind: 'valid' | 'mutated',
  requests: { operation: Operation; request: Request }[],
  exchange: Exchange,
): Promise<number[]> {
  const violations = new Map<string, string>();
  const statuses: number[] = [];
  const queue = requests.entries();
  const worker = async () => {
    for (const [n, { operation, request }] of queue) {
      let result = await exchange(operation, request, n);
      // A busy machine can stall, and a dependency that times out is a legitimate 503:
      // a fault of the route happens the second time too.
      if (result.response.statusCode === 503 || result.ms > maxMs.usual) result = await exchange(operation, request, n);
      statuses.push(result.response.statusCode);
      total.slowest = Math.max(total.slowest, result.ms);
      for (const violation of violationsOf(operation, request, result)) {
        total.violations++;
        // One of each kind is enough.
        const kind = `${violation.slice(0, 60)} ${request.what}`;
        const { method, url, headers, payload = '' } = request;
        const sent = `${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${payload.slice(0, 300)}`;
        violations.set(
          kind,
          `FUZZ_SEED=${seed} ${operation.id} #${n}: ${violation}\n  mutation: ${request.what}\n  ${sent}\n  ${result.response.body.slice(0, 300)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  total[kind] += statuses.length;
  if (kind === 'valid') total.succeeded += statuses.filter((status) => status < 400).length;
  expect([...violations.values()].slice(0, 8).join('\n\n'), `${violations.size} kinds of violation`).toBe('');
  return statuses;
}

export const seedOf = (name: string) =>
  Array.from(name).reduce((sum, character) => Math.imul(sum, 31) + character.charCodeAt(0), seed) | 0;

/** Hashing a password is expensive, and a few requests test as much as many. */
const isExpensive = ({ body }: Operation) => Object.keys(body?.properties ?? {}).some((name) => /password/i.test(name));

/** This many requests of each kind, one path after the other. */
export function requestsFor(
  addresses: Operation[],
  count: number,
  make: (operation: Operation, numRuns: number) => Request[],
) {
  const each = addresses.map((operation) => {
    const numRuns = Math.ceil(count / addresses.length / (isExpensive(operation) ? 4 : 1));
    return make(operation, numRuns).map((request) => ({ operation, request }));
  });
  return each.flat();
}

export function report(name: string, routes: number) {
  const { valid, succeeded, mutated, violations, slowest } = total;
  console.log(
    `${name}: FUZZ_SEED=${seed}, ${routes} routes, ${valid} valid requests (${succeeded} succeeded), ` +
      `${mutated} mutated, ${violations} violations, slowest ${Math.round(slowest)} ms`,
  );
}

/** Body fields that authenticate someone by something that only they, their email, app or browser know. */
const credentials = [
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
export const authenticates = ({ body, query }: Operation) =>
  [body, query].some((schema) => Object.keys(schema?.properties ?? {}).some((name) => credentials.includes(name)));

export type Generate = fc.GeneratorValue;
