import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { aKey, anOperator, api, aTenant, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, Parts, Schema } from '../openapi-walk.ts';

// Every route of the document, with requests that fit its schema, and with requests that are wrong in every way we know.
// FUZZ_VALID and FUZZ_MUTATED say how many of each a route gets; FUZZ_SEED repeats a run.

const setting = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const seed = setting('FUZZ_SEED', Math.floor(Math.random() * 2 ** 31));
const [validRuns, mutatedRuns] = [setting('FUZZ_VALID', 200), setting('FUZZ_MUTATED', 400)];
const lanes = 8;
const longestMs = 5_000;
const timeout = 20_000 + (validRuns + mutatedRuns) * 50;

const operations = walk.operationsOf(api.app.swagger());
/** The two addresses of a route share its number. Routes that make things come first, as later ones need them. */
const routes = [...Map.groupBy(operations, ({ route }) => route).entries()]
  .map(([name, addresses]) => ({ name, addresses, makes: addresses.some(({ answers }) => answers['201']) }))
  .sort((a, b) => Number(b.makes) - Number(a.makes));

// ---- who sends

interface Actor {
  headers: Headers;
  /** A server key, for the routes that one may use. */
  key?: Headers;
  ids: Map<string, string[]>;
}

async function newMember(): Promise<Actor> {
  const tenant = await aTenant({ plan: 'enterprise' });
  const { tenantId, botId, workspaceId, environmentId, headers } = tenant;
  const key = await aKey(tenant, { permissions: KeyPermission.options });
  const others = [await aKey(tenant), await aKey(tenant, { keyType: 'public_widget', boundBotId: botId })];
  const things = [tenantId, botId, workspaceId, environmentId, ...others.map(({ id }) => id)];
  return { headers, key: key.headers, ids: walk.idsIn(things.join(' ')) };
}

/** For tenants apart from the members', as it may suspend them, and for new ones again and again. */
async function newOperator(): Promise<Actor> {
  const { headers, post } = await anOperator();
  const made = [await post('/admin/tenants', { name: 'One' }), await post('/admin/tenants', { name: 'Two' })];
  return { headers, ids: walk.idsIn(made.map(({ body }) => body).join()) };
}

/** Several, in turn: some routes are limited per tenant, and one tenant alone would soon meet nothing but 429. */
function crew(recruit: () => Promise<Actor>, { size, shift }: { size: number; shift: number }) {
  const members = Array.from({ length: size }, () => ({ actor: undefined as Promise<Actor> | undefined, served: 0 }));
  let turn = 0;
  return {
    async next() {
      const member = members[turn++ % size] ?? { actor: undefined, served: 0 };
      if (member.served++ % shift === 0) member.actor = recruit();
      return (await member.actor) ?? nobody;
    },
    async relieve(tired: Actor) {
      for (const member of members) if ((await member.actor) === tired) member.served = 0;
    },
  };
}
const nobody: Actor = { headers: {}, ids: new Map() };
const crews = {
  public: crew(async () => nobody, { size: 1, shift: Number.POSITIVE_INFINITY }),
  member: crew(newMember, { size: 12, shift: Number.POSITIVE_INFINITY }),
  operator: crew(newOperator, { size: 2, shift: 20 }),
};

/** What was made can be named in later requests. */
function remember(actor: Actor, body: string) {
  const made = body.match(/"id":"\w+"/g)?.join() ?? '';
  for (const [prefix, found] of walk.idsIn(made)) {
    const known = actor.ids.get(prefix) ?? [];
    actor.ids.set(prefix, [...new Set([...known, ...found])].slice(-100));
  }
}

// ---- requests

interface Request {
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

// An id is a mark until the request is sent, for only then is it known by whom: `key_*3` is the fourth of their keys.
const marks: walk.Supply = {
  id: (prefix) => fc.nat(99).map((n) => `${prefix}_*${n}`),
  named: { cursor: fc.constant(Buffer.from(`key_${'0'.repeat(26)}`).toString('base64url')) },
};
const fill = (text: string, { ids }: Actor) =>
  text.replaceAll(/\b([a-z]{2,5})_\*(\d+)/g, (_mark, prefix: string, n: string) => {
    const known = ids.get(prefix) ?? [];
    return known[Number(n) % known.length] ?? `${prefix}_${'0'.repeat(26)}`;
  });

const json = { 'content-type': 'application/json' };
const plain = (operation: Operation, parts: Parts): Request => ({
  what: 'nothing',
  method: operation.method,
  url: walk.urlOf(operation, parts),
  headers: parts.body === undefined ? {} : json,
  ...(parts.body !== undefined && { payload: JSON.stringify(parts.body) }),
});

/** Sent again by others as long as it only meets a limit. */
async function exchange(operation: Operation, request: Request, n: number) {
  for (let attempt = 1; ; attempt++) {
    const actor = await crews[operation.audience].next();
    const mayUseKey = (KeyPermission.options as string[]).includes(operation.permission ?? '');
    const credential = (mayUseKey && n % 4 === 0 && actor.key) || actor.headers;
    const payload = request.payload === undefined ? undefined : fill(request.payload, actor);
    const began = performance.now();
    const answer = await api.app.inject({
      method: request.method as 'GET',
      url: fill(request.url, actor),
      headers: { ...credential, ...request.headers },
      ...(payload !== undefined && { payload: request.encoding ? Buffer.from(payload, request.encoding) : payload }),
    });
    const ms = performance.now() - began;
    if (answer.statusCode === 201) remember(actor, answer.body);
    if (answer.statusCode !== 429 || attempt === 10) return { answer, ms };
    await crews[operation.audience].relieve(actor);
  }
}

// ---- mutations: each takes a good request and spoils it

type Choose = <T>(from: readonly T[]) => T;
interface Mutation {
  weight: number;
  fits: (operation: Operation) => boolean;
  spoil: (operation: Operation, parts: Parts, choose: Choose) => Spoiled;
}
type Spoiled = Partial<Request> & { what: string };

const always = () => true;
const takesBody = ({ method }: Operation) => method !== 'GET';
const hasBody = ({ body }: Operation) => body !== undefined;
const keepsAnswers = ({ audience, method }: Operation) => audience !== 'public' && method === 'POST';

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const words = (text: TemplateStringsArray) => String.raw(text).trim().split(/\s+/);

/** As they stand in JSON: some of them no JavaScript value can say. */
const hostileValues = [
  ...words`null true false 0 -1 1 1.5 -0 1e999 -1e999 1e-400 2147483648 9007199254740993 123456789012345678901234567890
    "" [] {} [null] [[]] {"":""} "1" "true" "null" "NaN" "undefined" "constructor" "__proto__" "toString" "1e10"
    "\u0000" "a\u0000b" "\ud800" "a\udfffb" "ab\ud800" "\udc00\ud800" "\ufffe\uffff" "\u202e\u200b" "\t\n" "İ" "🏳️‍🌈👨‍👩‍👧‍👦"
    "0000-01-01T00:00:00Z" "0001-01-01T00:00:00.000Z" "9999-12-31T23:59:59.999Z" "-271821-04-20T00:00:00Z"
    "+275760-09-13T00:00:00Z" "2026-02-30T00:00:00Z" "2024-02-29T24:00:00Z" "2099-01-01T00:00:00+14:00" "2099-01-01"
    "2099-01-01T00:00:60Z" "<script>alert(1)</script>" "../../etc/passwd" "%s%n{{7*7}}" "bot_" ["bot_*0"] {"id":"bot_*0"}
    "ten_01h45ytscbebyvny4gc8cr8ma2" "key_01h45ytscbebyvny4gc8cr8ma2" "bot_01h45ytscbebyvny4gc8cr8ma2"
    "wsp_01h45ytscbebyvny4gc8cr8ma2" "key_81h45ytscbebyvny4gc8cr8ma2" "KEY_01H45YTSCBEBYVNY4GC8CR8MA2"`,
  `"' or 1=1; --"`,
  `" "`,
  `"2099-01-01T00:00:00.${'9'.repeat(400)}Z"`,
  `"${'x'.repeat(100_000)}"`,
  `"${'é'.repeat(81)}"`,
  `"${'😀'.repeat(20_000)}"`,
  deep(2_000, '[', ']'),
  `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  `[${'0,'.repeat(9_999)}0]`,
  `[${'"tenant.view",'.repeat(9_999)}"tenant.view"]`,
  `[${'{},'.repeat(9_999)}{}]`,
];
const privileged = [
  ...words`tenantId tenant_id role roles permissions secret id status createdBy createdAt plan apiKey revokedAt isAdmin
    platformRoles actor entitlement __proto__ constructor prototype toString hasOwnProperty $where NAME`,
  '',
  ' name',
  'name\u0000',
  'x'.repeat(5_000),
];
const brokenJson: readonly ((good: string) => string)[] = [
  (good) => good.slice(0, -1),
  (good) => good.slice(0, Math.ceil(good.length / 2)),
  (good) => `${good}}`,
  (good) => `${good}${good}`,
  (good) => good.replace(/\}$/, ',}'),
  (good) => good.replaceAll('"', "'").replace('{}', '{,}'),
  (good) => `/* */${good}`,
  (good) => `\0${good}`,
  (good) => `)]}',\n${good}`,
  () => '{"name": "\n"}',
  () => deep(5_000, '[', ''),
  ...words`{name:1} {"name":NaN} {"name":undefined} {"name":0x10} {"name":"\x41"} {"name":"\ud8"} <name/> a=1 [ " -`.map(
    (text) => () => text,
  ),
];
const roots = [
  ...words`null [] "text" 1 true [{}] {}`,
  deep(20_000, '[', ']'),
  `[${'{},'.repeat(9_999)}{}]`,
  `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
];
const otherTypes = [
  ...words`text/plain text/html application/xml application/x-www-form-urlencoded application/octet-stream text/json
    application/vnd.api+json image/png application/json5`,
  'multipart/form-data; boundary=x',
];
const badSegments = [
  ...words`%00 %ff %c0%af % %zz %u0041 %e0%a4 %2f %2e%2e%2fadmin %2e%2e%5c ..%2f..%2f * ~ '%20or%201=1-- __proto__
    constructor null undefined 0 -1 [object%20Object] %f0%9f%98%80 %7Bid%7D :id key_01h45ytscbebyvny4gc8cr8ma2%00
    KEY_01H45YTSCBEBYVNY4GC8CR8MA2 usr_01h45ytscbebyvny4gc8cr8ma2 key_01h45ytscbebyvny4gc8cr8ma2/ ten_*0%20`,
  ...[200, 201, 20_000].map((length) => 'x'.repeat(length)),
  '%00'.repeat(300),
];
const unknownQueries = [
  ...words`tenantId=ten_*0 tenant_id=1 debug=1 __proto__=1 constructor=1 a[b]=c limit[]=1 %00=1 %ff=1 toString=1
    hasOwnProperty=x`,
  'x'.repeat(8_000),
  Array.from({ length: 1_500 }, (_, n) => `p${n}=1`).join('&'),
];
const hostileTexts = [
  ...words`%00 a%00b %ff % %ed%a0%80 -1 0 1e3 1.5 101 NaN null true 0x10 %20 + [] {} %2e%2e%2f %f0%9f%98%80 '%20or%20''='
    0000-01-01T00:00:00Z 0001-01-01T00:00:00Z 9999-12-31T23:59:59.999Z 2024-02-29T23:59:59.999999999Z key_*0
    ten_01h45ytscbebyvny4gc8cr8ma2 a2V5Xw`,
  '',
  '9'.repeat(400),
  'x'.repeat(10_000),
  `2024-01-01T00:00:00.${'9'.repeat(5_000)}Z`,
  ...['key_\0', 'zzz_01h45ytscbebyvny4gc8cr8ma2'].map((text) => Buffer.from(text).toString('base64url')),
];
const oddTypes: readonly [type: string, encoding: BufferEncoding, due?: number[]][] = [
  ['application/json; charset=utf-16le', 'utf16le', [400]],
  ['application/json; charset=bogus', 'utf8'],
  ['application/json; charset=iso-8859-1', 'latin1'],
  ['Application/JSON;;; a=b', 'utf8'],
  ['application/json, application/xml', 'utf8'],
  ['application/json\t', 'utf8'],
  ['', 'utf8'],
];
const falseLengths: readonly [length: string, due?: number[]][] = [
  ['1', [400]],
  ['99999', [400]],
  ['99999999999', [413]],
  ['1e3'],
  ['-5'],
  ['x'],
];
const oddHeaders: readonly [name: string, value: string | string[], due?: number[]][] = [
  ...['garbage', '', '0000-00-00', '__proto__', '2026-11-14, 2026-11-14', '1'.repeat(10_000)].map(
    (version): [string, string, number[]] => ['x-service-version', version, [400]],
  ),
  ['x-service-version', ['2026-11-14', '2026-11-14'], [400]],
  ...['garbage', deep(1, '00-', 'f'.repeat(10_000)), '00-00000000000000000000000000000000-0000000000000000-00'].map(
    (trace): [string, string] => ['traceparent', trace],
  ),
  ['traceparent', ['00-1', '00-2']],
  ['tracestate', '='.repeat(5_000)],
  ['x-service-api-key-id', ['key_a', 'key_b']],
  ['x-service-api-key-id', ''],
  ['x-service-api-key-id', '\u0000'],
  ['x-request-id', 'chosen-by-the-caller'],
  ['accept', 'application/xml'],
  ['accept-encoding', 'gzip;q=banana'],
  ['content-encoding', 'gzip'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '::1, \u0000'],
  ['host', 'evil.example'],
  ['cookie', 'a'.repeat(10_000)],
  ['origin', 'null'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['expect', '100-continue'],
  ['upgrade', 'websocket'],
  ['user-agent', '\u0000\uffff'],
];
const badIdempotencyKeys = ['', ' ', 'a b', 'k'.repeat(256), 'k'.repeat(20_000), 'clé', '😀', 'a\u0000b', '\u007f'];

const mutations: readonly Mutation[] = [
  {
    weight: 12,
    fits: hasBody,
    spoil: ({ body = {} }, parts, choose) => {
      const { steps, schema } = choose(fieldsOf(body));
      const value = choose(choose([hostileValues, fittingValues(schema)]));
      return spoiledBody(body, `${steps.join('.')} is ${value}`, rawBody(parts, steps, value));
    },
  },
  {
    weight: 3,
    fits: ({ body }) => (body?.required?.length ?? 0) > 0,
    spoil: ({ body = {} }, parts, choose) => {
      const name = choose(body.required ?? []);
      const { [name]: _gone, ...rest } = parts.body as Record<string, unknown>;
      return spoiledBody(body, `${name} is missing`, JSON.stringify(rest));
    },
  },
  {
    weight: 5,
    fits: ({ body }) => body?.properties !== undefined && typeof body.additionalProperties !== 'object',
    spoil: ({ body }, parts, choose) => {
      const name = choose(privileged.filter((field) => !Object.hasOwn(body?.properties ?? {}, field)));
      const value = choose(['"ten_*0"', 'null', '["owner"]', '{"prototype":{"isAdmin":true}}', '1']);
      return { what: `has a field ${name.slice(0, 20)}`, payload: before(parts.body, name, value), due: [400] };
    },
  },
  {
    weight: 1,
    fits: hasBody,
    spoil: (_operation, { body }, choose) => {
      const name = choose([...Object.keys(body as object), 'name']);
      return { what: `has ${name} twice`, payload: before(body, name, choose(['null', '1', '"first"'])) };
    },
  },
  {
    weight: 2,
    fits: hasBody,
    spoil: ({ body = {} }, _parts, choose) => {
      const root = choose(roots);
      return spoiledBody(body, `the body is ${root}`, root);
    },
  },
  {
    weight: 3,
    fits: takesBody,
    spoil: (_operation, { body = { name: 'a' } }, choose) => {
      const payload = choose(brokenJson)(JSON.stringify(body));
      return { what: 'is broken JSON', payload, headers: json, due: [400] };
    },
  },
  {
    weight: 2,
    fits: takesBody,
    spoil: (_operation, { body = {} }, choose) => {
      const type = choose(otherTypes);
      return { what: `says ${type}`, payload: JSON.stringify(body), headers: { 'content-type': type }, due: [415] };
    },
  },
  {
    weight: 2,
    fits: hasBody,
    spoil: (_operation, { body }, choose) => {
      const [type, encoding, due] = choose(oddTypes);
      const headers = { 'content-type': type };
      return { what: `says ${type}`, payload: JSON.stringify(body), encoding, headers, ...(due && { due }) };
    },
  },
  {
    weight: 1,
    fits: hasBody,
    spoil: (_operation, _parts, choose) => {
      const headers = choose([json, { ...json, 'content-length': '0' }, { ...json, 'transfer-encoding': 'chunked' }]);
      return { what: 'has no body', payload: '', headers, due: [400] };
    },
  },
  {
    weight: 1,
    fits: takesBody,
    spoil: ({ audience }) => {
      const payload = `{"name":"${'x'.repeat((audience === 'public' ? 64 : 1024) * 1024)}"}`;
      return { what: 'is larger than it may be', payload, headers: json, due: [413] };
    },
  },
  {
    weight: 1,
    fits: hasBody,
    spoil: (_operation, { body }, choose) => {
      const [length, due] = choose(falseLengths);
      const headers = { ...json, 'content-length': length };
      return { what: `says it is ${length} long`, payload: JSON.stringify(body), headers, ...(due && { due }) };
    },
  },
  {
    weight: 6,
    fits: ({ path }) => Object.keys(path.properties ?? {}).length > 0,
    spoil: (operation, parts, choose) => {
      const name = choose(Object.keys(operation.path.properties ?? {}));
      const segment = choose(badSegments);
      const url = walk.urlOf({ ...operation, address: operation.address.replace(`{${name}}`, segment) }, parts);
      return { what: `${name} is ${segment.slice(0, 40)}`, url, due: [400, 403, 404] };
    },
  },
  {
    weight: 4,
    fits: always,
    spoil: (operation, parts, choose) => {
      const url = walk.urlOf(operation, parts);
      const query = choose(unknownQueries);
      const what = `asks ${query.slice(0, 40)}`;
      return { what, url: `${url}${url.includes('?') ? '&' : '?'}${query}`, due: [400] };
    },
  },
  {
    weight: 8,
    fits: ({ query }) => Object.keys(query.properties ?? {}).length > 0,
    spoil: (operation, parts, choose) => {
      const fields = Object.entries(operation.query.properties ?? {});
      const pairs = Array.from({ length: choose([1, 1, 1, 2, 3]) }, () => {
        const [name, schema] = choose(fields);
        return `${name}=${choose(choose([hostileTexts, fittingTexts(schema)]))}`;
      });
      const query = [...pairs, ...choose([[], [], pairs])].join('&');
      return { what: `asks ${query.slice(0, 80)}`, url: `${walk.urlOf(operation, { ...parts, query: {} })}?${query}` };
    },
  },
  {
    weight: 4,
    fits: always,
    spoil: (_operation, _parts, choose) => {
      const [name, value, due] = choose(oddHeaders);
      return { what: `has ${name}: ${String(value).slice(0, 40)}`, headers: { [name]: value }, ...(due && { due }) };
    },
  },
  {
    weight: 3,
    fits: keepsAnswers,
    spoil: (_operation, _parts, choose) => {
      const key = choose(badIdempotencyKeys);
      return { what: `has the Idempotency-Key ${key.slice(0, 20)}`, headers: { 'idempotency-key': key }, due: [400] };
    },
  },
  {
    weight: 2,
    fits: keepsAnswers,
    spoil: (_operation, _parts, choose) => {
      const key = choose(words`1 2 3 null __proto__ * '--`);
      return { what: 'has an Idempotency-Key that others have', headers: { 'idempotency-key': key } };
    },
  },
  {
    weight: 1,
    fits: always,
    spoil: (operation, parts, choose) => {
      const taken = operations.filter(({ address }) => address === operation.address).map(({ method }) => method);
      const method = choose(
        words`GET POST PATCH PUT DELETE OPTIONS PROPFIND TRACE`.filter((name) => !taken.some((one) => one === name)),
      );
      return { what: `is a ${method}`, method, url: walk.urlOf(operation, { ...parts, query: {} }), due: [404, 405] };
    },
  },
];

interface Field {
  steps: (string | number)[];
  schema: Schema;
}

/** Every place in a body that holds a value. */
function fieldsOf({ properties = {} }: Schema): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    { steps: [name], schema },
    ...(schema.items ? [{ steps: [name, 0], schema: schema.items }] : []),
    ...fieldsOf(schema).map(({ steps, schema }) => ({ steps: [name, ...steps], schema })),
  ]);
}

/** Those that the schema lets through, so that it is up to the rest of us to stop them. All, where it stops all. */
function fitting(values: readonly string[], read: (text: string) => unknown) {
  const known = new WeakMap<Schema, readonly string[]>();
  return (schema: Schema): readonly string[] => {
    const found = known.get(schema) ?? values.filter((text) => walk.misfit(schema, read(text)) === undefined);
    known.set(schema, found);
    return found.length > 0 ? found : values;
  };
}
const fittingValues = fitting(hostileValues, (text) => JSON.parse(text) as unknown);
const fittingTexts = fitting(hostileTexts, (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
});

const hole = 'hole-for-raw-json';
const rawBody = (parts: Parts, steps: (string | number)[], value: string) =>
  JSON.stringify(walk.put(parts, { place: 'body', steps }, hole).body).replace(`"${hole}"`, () => value);

/** A body with one more field at its start. */
const before = (body: unknown, name: string, value: string) =>
  JSON.stringify(body)
    .replace('{', () => `{${JSON.stringify(name)}:${value},`)
    .replace(/,\}$/, '}');

/** What does not fit the published schema must be refused; what does may be answered either way. */
function spoiledBody(schema: Schema, what: string, payload: string): Spoiled {
  const isMisfit = walk.misfit(schema, JSON.parse(fill(payload, nobody))) !== undefined;
  return { what: what.slice(0, 60), payload, ...(isMisfit && { due: [400] }) };
}

function spoil(operation: Operation, parts: Parts, generate: fc.GeneratorValue): Request {
  const choose: Choose = (from) => generate(() => fc.constantFrom(...from));
  const fitting = mutations
    .filter(({ fits }) => fits(operation))
    .flatMap((one) => Array<Mutation>(one.weight).fill(one));
  const good = plain(operation, parts);
  const bad = choose(fitting).spoil(operation, parts, choose);
  return { ...good, ...bad, headers: { ...good.headers, ...bad.headers } };
}

// ---- bars

const secretWords = /postgres|kysely|\bpg_\w|node_modules|node:internal/i;
const insides = [
  /\n\s+at .+:\d+/, // a stack trace
  /\b(?:select\s.+\sfrom|insert into|delete from|update\s\S+\sset)\s/i,
  /\bviolates \w|relation "|column "|syntax error at|invalid byte sequence|invalid input syntax/i,
  /(?:\/[\w.-]+){2,}\.[cm]?[jt]s\b/,
];

function complaints(operation: Operation, request: Request, answer: Response, ms: number): string[] {
  const { statusCode: status, body } = answer;
  const found: string[] = [];
  if (status >= 500) found.push(`answered ${status}`);
  const wrong = walk.broken(operation, answer);
  if (wrong !== undefined) found.push(wrong);
  if (request.due && !request.due.includes(status)) found.push(`${request.due.join(' or ')} was due, not ${status}`);
  const word = secretWords.exec(body)?.[0];
  // A word that the document itself uses for this answer is no secret.
  if (word !== undefined && !JSON.stringify(operation.answers).includes(word)) found.push(`says '${word}'`);
  for (const inside of insides) if (inside.test(body)) found.push(`shows ${inside.exec(body)?.[0]}`);
  if (ms > longestMs) found.push(`took ${Math.round(ms)} ms`);
  return found;
}

const total = { valid: 0, succeeded: 0, mutated: 0, breaches: 0, slowest: 0 };

/** Runs them side by side, and says what was wrong, with all that is needed to see it again. */
async function run(requests: { operation: Operation; request: Request }[]) {
  const breaches = new Map<string, string>();
  const statuses: number[] = [];
  const queue = requests.entries();
  const lane = async () => {
    for (const [n, { operation, request }] of queue) {
      const { answer, ms } = await exchange(operation, request, n);
      statuses.push(answer.statusCode);
      total.slowest = Math.max(total.slowest, ms);
      for (const complaint of complaints(operation, request, answer, ms)) {
        total.breaches++;
        // One of a kind is enough to read.
        const kind = `${complaint.slice(0, 60)} ${request.what}`;
        const { method, url, headers, payload = '' } = request;
        const asked = `${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${payload.slice(0, 300)}`;
        breaches.set(
          kind,
          `FUZZ_SEED=${seed} ${operation.id} #${n}: ${complaint}\n  what is wrong with it: ${request.what}\n  ${asked}\n  ${answer.body.slice(0, 300)}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { breaches: [...breaches.values()], statuses };
}

const seedOf = (name: string) =>
  Array.from(name).reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed) | 0;

/** So many requests of each kind, one address after the other. */
function requestsFor(
  addresses: Operation[],
  count: number,
  make: (operation: Operation, numRuns: number) => Request[],
) {
  const each = addresses.map((operation) => {
    const made = make(operation, Math.ceil(count / addresses.length));
    return made.map((request) => ({ operation, request }));
  });
  return each.flat();
}

describe.each(routes)('$name', ({ addresses }) => {
  test(`${validRuns} valid requests: no 5xx, and every answer as the document says`, { timeout }, async () => {
    const requests = requestsFor(addresses, validRuns, (operation, numRuns) =>
      fc
        .sample(walk.partsOf(operation, marks), { numRuns, seed: seedOf(`${operation.id} valid`) })
        .map((parts) => plain(operation, parts)),
    );
    const { breaches, statuses } = await run(requests);
    const succeeded = statuses.filter((status) => status < 300).length;
    total.valid += statuses.length;
    total.succeeded += succeeded;
    expect(breaches.slice(0, 8).join('\n\n'), `${breaches.length} kinds of breach`).toBe('');
    const refused = statuses.filter((status) => [401, 403, 413, 415, 429].includes(status));
    expect(refused, 'a valid request by one who may was refused').toEqual([]);
    // Not more: a key that is rotated or revoked answers 409 from then on, as it should.
    const enough = Math.min(20, statuses.length / 10);
    expect(succeeded, `of ${statuses.length} valid requests too few went well`).toBeGreaterThanOrEqual(enough);
  });

  test(
    `${mutatedRuns} mutated requests: 4xx where it is due, no 5xx, nothing of our insides`,
    { timeout },
    async () => {
      const requests = requestsFor(addresses, mutatedRuns, (operation, numRuns) =>
        fc
          .sample(fc.tuple(walk.partsOf(operation, marks), fc.gen()), {
            numRuns,
            seed: seedOf(`${operation.id} mutated`),
          })
          .map(([parts, generate]) => spoil(operation, parts, generate)),
      );
      const { breaches, statuses } = await run(requests);
      total.mutated += statuses.length;
      expect(breaches.slice(0, 8).join('\n\n'), `${breaches.length} kinds of breach`).toBe('');
    },
  );
});

afterAll(() => {
  const { valid, succeeded, mutated, breaches, slowest } = total;
  console.log(
    `fuzz: FUZZ_SEED=${seed}, ${routes.length} routes, ${valid} valid requests (${succeeded} of them 2xx), ` +
      `${mutated} mutated, ${breaches} breaches, slowest ${Math.round(slowest)} ms`,
  );
});
