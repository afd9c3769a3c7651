import { describe, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { api, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues, Position } from '../openapi-walk.ts';
import { findViolation } from './responses.ts';
import { leastUsedPicker } from './least-used.ts';
import { attackers, groupAt, credentials, refusalFor, type Credential } from './isolation-credentials.ts';
import { namesTenant } from './expected-refusals.ts';
import {
  sendTo,
  attacker,
  attackerChat,
  attackerHeaders,
  attackerPeople,
  canary,
  cursorTo,
  resetLimits,
  idsOfAttacker,
  idsOfVictim,
  keyFor,
  createdByVictim,
  missing,
  operations,
  replenish,
  restoreAttacker,
  rowsOf,
  sample,
  deletableIds,
  victim,
  victimKeys,
  victimSide,
  type Ids,
} from './isolation-parties.ts';
import { addOwnThings } from './people.ts';

// Every route of the document, with every credential that it must refuse. New routes are covered without a new line, and
// so are new kinds of objects, if a POST that returns 201 creates them.
//
// `.ci/full` sends every credential to every path, and up to eight of the victim's ids at every id position. A sample
// sends one credential of each group to one path of each route, in turn, and one of the victim's ids at each position:
// guard.test.ts tests how the guard decides on each credential, and this file that it protects each route.

// ---- cases

const victimIds = await idsOfVictim();
const known = new Set([...(await idsOfAttacker()).values()].flat());
known.delete(victim.tenantId); // it occurs in the sessions of the victim's colleague
const secrets = [
  canary,
  ...[...victimIds.values()].flat().filter((id) => !known.has(id)),
  ...Object.values(victimKeys).map(({ secret }) => secret),
];
let rowsBefore = await rowsOf(victimSide);
const tally = { routes: 0, cases: 0, breaches: 0 };

/** Resets a limit before it is reached: from then on, the API remembers it in memory until the window ends. */
async function sendWithinLimits(operation: Operation, parts: RequestValues, headers: Headers) {
  const response = await sendTo(operation, parts, headers);
  if (/;r=0;/.test(String(response.headers['ratelimit']))) await resetLimits();
  return response;
}

/** The cases of one operation: each is sent, checked and counted. */
function casesOf(operation: Operation) {
  const breaches: string[] = [];
  const fail = (name: string, what: string) =>
    breaches.push(`${operation.method} ${operation.pathTemplate}, ${name}: ${what}`);
  return {
    breaches,
    fail,
    async try(name: string, parts: RequestValues, headers: Headers): Promise<Response> {
      const response = await sendWithinLimits(operation, parts, headers);
      tally.cases++;
      const received = JSON.stringify(response.headers) + response.body;
      const leaked = secrets.find((secret) => received.includes(secret));
      if (leaked !== undefined)
        fail(name, `the response contains '${leaked}' of the victim: ${response.statusCode} ${response.body}`);
      const violation = findViolation(operation, response);
      if (violation !== undefined) fail(name, violation);
      if (response.statusCode >= 500) fail(name, `returned ${response.statusCode} ${response.body}`);
      return response;
    },
    end() {
      tally.breaches += breaches.length;
      expect(breaches, `${breaches.length} breaches`).toEqual([]);
    },
  };
}
type Cases = ReturnType<typeof casesOf>;

/** A response without what differs between any two. */
function comparable({ statusCode, headers, body }: Response) {
  const { 'x-request-id': requestId, date: _date, ratelimit: _ratelimit, ...rest } = headers;
  return { statusCode, headers: rest, body: body.replaceAll(String(requestId), '') };
}

/** A few are enough where credentials are ignored. */
const onPublicRoutes = [
  'no credential',
  'a string that is no token',
  "another tenant's owner",
  'an operator: platform_admin',
];

const [credentialPicker, idPicker, kindPicker] = [
  leastUsedPicker<Credential>(),
  leastUsedPicker<string>(),
  leastUsedPicker<string>(),
];

/** The credentials that this route must refuse, or one of each group. */
function wrongCredentials(operation: Operation): Credential[] {
  const { audience } = operation;
  if (audience === 'public') return credentials.filter(({ name }) => onPublicRoutes.includes(name));
  const wrong = credentials.filter(({ caller }) => refusalFor(operation, caller));
  if (isFull) return wrong;
  const groups = Map.groupBy(wrong, (credential) => groupAt(operation, credential));
  return [...groups.values()].flatMap((alike) => credentialPicker.pick(alike));
}

async function refusesCredentials(operation: Operation, cases: Cases) {
  const wrong = wrongCredentials(operation);
  const requests = sample(operation, victimIds, wrong.length);
  for (const [n, { name, headers, caller }] of wrong.entries()) {
    const expected = refusalFor(operation, caller);
    const response = await cases.try(name, requests[n] ?? { path: {}, query: {} }, headers);
    if (!expected) continue;
    const { statuses, reasons = [reasonOf(response)] } = expected;
    if (!statuses.includes(response.statusCode) || !reasons.includes(reasonOf(response)))
      cases.fail(
        name,
        `expected ${statuses.join(' or ')} ${reasons.join(' or ')}, but it returned ${response.statusCode} ${response.body}`,
      );
  }
}

const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason ?? '';

/** Without filters, which could hide what must not be found. */
const unfiltered = ({ query: { required = [] } }: Operation, parts: RequestValues): RequestValues => ({
  ...parts,
  query: Object.fromEntries(Object.entries(parts.query).filter(([name]) => required.includes(name))),
});

/** Optional fields may be invalid together. */
function withoutOptional({ body: { properties, required = [] } = {} }: Operation, parts: RequestValues): RequestValues {
  if (!properties) return parts;
  const requiredFields = Object.entries(parts.body as object).filter(([name]) => required.includes(name));
  return { ...parts, body: Object.fromEntries(requiredFields) };
}

/** A credential of the attacker, with the ids that they own. */
interface ArmedAttacker {
  headers: Headers;
  own: Ids;
}

/** A valid request of the attacker: later changes to it are what is refused. */
async function validRequest(operation: Operation, position: Position, own: Ids, headers: Headers) {
  const { prefix = 'key' } = position;
  const ids = own.get(prefix) ?? [];
  for (const [n, parts] of sample(operation, own, 40).entries()) {
    const id = ids[n % ids.length] ?? missing(prefix);
    const request = unfiltered(operation, n % 2 === 0 ? parts : withoutOptional(operation, parts));
    const valid = walk.withValueAt(request, position, id);
    const { statusCode } = await sendWithinLimits(operation, valid, headers);
    await restoreAttacker(operation);
    if (statusCode < 300 || [409, 422].includes(statusCode)) return valid;
  }
  return undefined;
}

const idsOfVictimOnly = (kind: string) => (victimIds.get(kind) ?? []).filter((id) => !known.has(id));
/** All of them, or in a sample one in turn. */
const some = (all: string[], picker = idPicker) => (isFull ? all : picker.pick(all));

async function hidesIds(operation: Operation, position: Position, { headers, own }: ArmedAttacker, cases: Cases) {
  const { part, steps, prefix } = position;
  const isTenant = part !== 'query' && steps[0] === 'tenantId';
  const valid = await validRequest(operation, position, own, headers);
  const where = `${part} ${steps.join('.')}`;
  if (!valid) return void cases.fail(where, 'no request of the attacker for their own objects succeeded');

  const prefixes = prefix === undefined ? some([...victimIds.keys()], kindPicker) : [prefix];
  for (const kind of prefixes) {
    const none = await cases.try(
      `${where}, a missing ${kind}`,
      walk.withValueAt(valid, position, missing(kind)),
      headers,
    );
    for (const id of some(idsOfVictimOnly(kind).slice(0, 8))) {
      const name = `${where}, the victim's ${id}`;
      const response = await cases.try(name, walk.withValueAt(valid, position, id), headers);
      const expected = isTenant ? 403 : 404;
      // A filter may also find nothing.
      if (response.statusCode !== expected && !(part === 'query' && response.statusCode === 200))
        cases.fail(name, `expected ${expected}, but it returned ${response.statusCode} ${response.body}`);
      const [theirs, missingOne] = [comparable(response), comparable(none)];
      if (JSON.stringify(theirs) !== JSON.stringify(missingOne))
        cases.fail(name, `differs from a missing one: ${JSON.stringify(theirs)} and ${JSON.stringify(missingOne)}`);
    }
  }
}

const idPositions = (operation: Operation) =>
  walk
    .positionsOf(operation)
    .filter(({ part, prefix, steps }) => (part !== 'body' || prefix !== undefined) && !isOfStep(steps));
/** A step of an action needs more than an id: it has its own test below. */
const isOfStep = ([first, second]: Position['steps']) => first === 'steps' && second === 0;

/** Credentials of the attacker that requests without a session carry, by field name. */
const credentialFields = {
  refreshToken: attackerPeople.stranger.refreshToken,
  sessionToken: attackerChat.visitor.sessionToken,
  publicKey: attackerChat.bot.publicKey,
  key: attackerChat.bot.publicKey,
};

/** Requests without a session authenticate by a field, and may name ids too. */
async function hidesFromUnauthenticated(operation: Operation, cases: Cases) {
  const positions = idPositions(operation);
  if (positions.length === 0) return;
  const [parts = { path: {}, query: {} }] = sample(operation, await replenish(operation, true), 1);
  const { origin = '' } = attackerChat.visitor.headers;
  let authenticated = parts;
  for (const part of ['query', 'body'] as const)
    for (const [name, value] of Object.entries(credentialFields))
      if (name in (operation[part]?.properties ?? {}))
        authenticated = walk.withValueAt(authenticated, { part, steps: [name] }, value);

  for (const { prefix = '', ...position } of positions) {
    const own = prefix === 'bot' ? attackerChat.bot.botId : attacker.tenantId;
    const ownResponse = await cases.try(`their own ${prefix}`, walk.withValueAt(authenticated, position, own), {
      origin,
    });
    if (ownResponse.statusCode !== 200)
      cases.fail(own, `expected 200, but it returned ${ownResponse.statusCode} ${ownResponse.body}`);
    const none = await cases.try(`a missing ${prefix}`, walk.withValueAt(authenticated, position, missing(prefix)), {
      origin,
    });
    for (const id of some(idsOfVictimOnly(prefix))) {
      const response = await cases.try(`the victim's ${id}`, walk.withValueAt(authenticated, position, id), { origin });
      if (![401, 403].includes(response.statusCode) || comparable(response).body !== comparable(none).body)
        cases.fail(
          id,
          `expected 401 or 403, as for a missing one, but it returned ${response.statusCode} ${response.body}`,
        );
    }
  }
}

/** Only the credential decides which tenant a request is for. */
async function ignoresOtherTenantHints(operation: Operation, { headers, own }: ArmedAttacker, cases: Cases) {
  const [parts = { path: {}, query: {} }] = sample(operation, own, 1);
  const bare = unfiltered(operation, parts);
  const { tenantId } = victim;
  const more = { 'x-service-tenant-id': tenantId, 'x-tenant-id': tenantId, cookie: `tenantId=${tenantId}` };
  await cases.try('the victim in a header', bare, { ...headers, ...more });
  await restoreAttacker(operation);
  const mayNameTenant = operation.acceptsFile || 'tenantId' in (operation.body?.properties ?? {});
  for (const part of operation.body && !mayNameTenant ? (['query', 'body'] as const) : (['query'] as const)) {
    const name = `the victim in the ${part}`;
    const response = await cases.try(name, walk.withValueAt(bare, { part, steps: ['tenantId'] }, tenantId), headers);
    if (response.statusCode !== 400) cases.fail(name, `expected 400, but it returned ${response.statusCode}`);
  }
}

/** Lists whose cursor is a position, not an id: a cursor with an id is invalid. */
const byPosition = ['listContacts', 'listKnowledgeChunks', 'listRatingComments', 'listUnansweredQuestions'];

/** Page after page, from the start and from the victim's ids. */
async function listsOnlyOwn(operation: Operation, { headers, own }: ArmedAttacker, cases: Cases) {
  const [parts = { path: {}, query: {} }] = sample(operation, own, 1);
  const listed = new Set<string>();
  const from = async (name: string, query: Record<string, unknown>, expected = 200) => {
    const response = await cases.try(name, { ...unfiltered(operation, parts), query }, headers);
    if (response.statusCode !== expected)
      cases.fail(name, `expected ${expected}, but it returned ${response.statusCode} ${response.body}`);
    const { data = [], nextCursor } = response.json<{ data?: { id?: string }[]; nextCursor?: string | null }>();
    for (const { id = '' } of data) listed.add(id.slice(0, id.indexOf('_')));
    return nextCursor;
  };
  for (let [page, cursor] = [1, await from('page 1', {})]; cursor && page < 20; page++)
    cursor = await from(`page ${page + 1}`, { cursor });
  const expected = byPosition.includes(operation.route) ? 400 : 200;
  // In a sample, after an id of the listed kind and after one of another.
  const kinds = [...victimIds.keys()];
  const chosen = isFull ? kinds : [...kinds.filter((kind) => listed.has(kind)), ...some(kinds, kindPicker)];
  for (const [id = ''] of chosen.map((kind) => victimIds.get(kind) ?? []))
    await from(`the page after ${id}`, { cursor: cursorTo(id) }, expected);
}

/** With the victim's Idempotency-Key and body, the attacker gets their own response, and the same one again. */
async function separatesIdempotencyKeys(operation: Operation, request: RequestValues, headers: Headers, cases: Cases) {
  const own = await deletableIds();
  await restoreAttacker(operation);
  const text = JSON.stringify(request).replaceAll(
    /\b([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g,
    (_id, prefix: string) => own.get(prefix)?.[0] ?? missing(prefix),
  );
  const parts = JSON.parse(text) as RequestValues;
  const name = "the victim's Idempotency-Key";
  const first = await cases.try(name, parts, { ...headers, ...keyFor(operation) });
  const again = await cases.try(name, parts, { ...headers, ...keyFor(operation) });
  if (first.statusCode !== 201 || first.headers['idempotency-replayed'])
    cases.fail(name, `expected a new response, but it returned ${first.statusCode} ${first.body}`);
  if (again.statusCode !== 409 && again.body !== first.body)
    cases.fail(name, `expected the first response again, but it returned ${again.statusCode} ${again.body}`);
}

// ---- tests

test('the victim has an object of every kind that a path can name', () => {
  for (const operation of operations) {
    for (const { part, prefix } of walk.positionsOf(operation)) {
      if (part !== 'path' || prefix === undefined) continue;
      const hint = `${operation.pathTemplate} takes a '${prefix}_' id, and the victim has none: create one in isolation-parties.ts`;
      expect(victimIds.get(prefix)?.length ?? 0, hint).toBeGreaterThan(0);
    }
  }
});

test('returns 200 to the valid credentials that the invalid ones are made from', async () => {
  for (const { name, headers, caller } of credentials) {
    const open = operations.find(
      (operation) =>
        operation.method === 'GET' &&
        operation.audience === caller.kind &&
        !refusalFor(operation, caller) &&
        (caller.kind !== 'visitor' || walk.positionsOf(operation).length === 0), // not every conversation is theirs
    );
    if (!open) continue;
    const [parts = { path: {}, query: {} }] = sample(open, victimIds, 1);
    const response = await sendTo(open, unfiltered(open, parts), headers);
    expect(response.statusCode, `${name} at ${open.pathTemplate}: ${response.body}`).toBe(200);
  }
});

// Both paths of a route are one declaration: a sample tests about every second route by its long path and the others by
// the short one, among them all that the victim has used.
const pathsByRoute = [...Map.groupBy(operations, ({ route }) => route).values()];
const oneOf = (both: Operation[], isLong: boolean) =>
  both.filter((path) => both.length < 2 || namesTenant(path) === isLong);
const tested = isFull
  ? operations
  : pathsByRoute.flatMap((both, n) => oneOf(both, n % 2 === 0 && !both.some((path) => createdByVictim.has(path))));

/** Reading all rows costs more than the requests to a route. */
const routesPerCheck = 10;
const whatChanged = isFull ? 'afterwards' : `after it or one of the ${routesPerCheck - 1} routes before it`;
async function changedTables() {
  const before = rowsBefore;
  rowsBefore = await rowsOf(victimSide); // report each change once, where it happened
  return Object.keys(before).filter((table) => rowsBefore[table] !== before[table]);
}

const attackerPicker = leastUsedPicker<(typeof attackers)[number]>();

/** The attackers that this route accepts. Where it is not about their own account, one of them in a sample. */
function attackersAt(operation: Operation) {
  if (operation.audience === 'public') return [];
  const able = attackers.filter(
    ({ caller, isForOwnOnly }) =>
      !refusalFor(operation, caller, attacker.tenantId) && (operation.isAccountRoute || !isForOwnOnly),
  );
  return isFull || operation.isAccountRoute ? able : attackerPicker.pick(able);
}

describe.each(tested)('$method $pathTemplate', (operation) => {
  test('returns 401, 403 or 404 to everyone else, and neither shows nor changes anything of the victim', async () => {
    const cases = casesOf(operation);
    await resetLimits();
    await refusesCredentials(operation, cases);
    for (const { headers, caller, person } of attackersAt(operation)) {
      if (operation.isAccountRoute && person) await addOwnThings(person);
      const armed = { headers, own: await replenish(operation, caller.kind === 'visitor') };
      for (const position of idPositions(operation)) await hidesIds(operation, position, armed, cases);
      await ignoresOtherTenantHints(operation, armed, cases);
      if ('cursor' in (operation.query.properties ?? {})) await listsOnlyOwn(operation, armed, cases);
    }
    // Signed webhooks have no caller: test/webhooks/inbound.isolated.test.ts.
    if (operation.audience === 'public' && operation.id !== 'receiveWebhook')
      await hidesFromUnauthenticated(operation, cases);
    const request = createdByVictim.get(operation);
    if (request) await separatesIdempotencyKeys(operation, request, attackerHeaders, cases);
    tally.routes++;
    if (isFull || tally.routes % routesPerCheck === 0 || tally.routes === tested.length)
      for (const table of await changedTables()) cases.fail(whatChanged, `rows of the victim changed in ${table}`);
    cases.end();
  });
});

test('covered every route of the document with every credential that is wrong somewhere, without a breach', () => {
  const { routes, cases, breaches } = tally;
  console.log(`isolation: ${routes} addresses, ${cases} cases, ${breaches} breaches`);
  expect({ routes, breaches }).toEqual({ routes: tested.length, breaches: 0 });
  expect(new Set(tested.map(({ route }) => route)).size).toBe(pathsByRoute.length);
  const guarded = tested.filter(({ audience }) => audience !== 'public');
  expect(cases).toBeGreaterThan((isFull ? 30 : 4) * guarded.length);
  expect(cases).toBeGreaterThanOrEqual(probes.isolation.min);
  if (isFull) return; // each of them, everywhere
  const neverUsed = credentials.filter(
    (credential) =>
      credentialPicker.usesOf(credential) === 0 &&
      guarded.some((operation) => refusalFor(operation, credential.caller)),
  );
  expect(neverUsed.map(({ name }) => name)).toEqual([]);
});

test('returns 400, as for a missing one, for a step or compensation that is an action of the victim', async () => {
  const operation = operations.find(({ id }) => id === 'updateAction');
  if (!operation) throw new Error('no operation updates actions');
  const cases = casesOf(operation);
  const [id = '', other = ''] = (await replenish(operation, false)).get('act') ?? [];
  const name = async (step: object) =>
    cases.try(
      'a step',
      { path: { id }, query: {}, body: { webhookId: null, steps: [{ name: 'one', ...step }] } },
      attackerHeaders,
    );
  expect((await name({ actionId: other, compensation: { actionId: other } })).statusCode).toBe(200);
  const none = await name({ actionId: missing('act'), compensation: { actionId: missing('act') } });
  expect([none.statusCode, reasonOf(none)]).toEqual([400, 'invalid_action']);
  for (const theirs of victimIds.get('act') ?? [])
    expect(comparable(await name({ actionId: theirs, compensation: { actionId: theirs } }))).toEqual(comparable(none));
  cases.end();
});

describe('the document', () => {
  test('has the routes that the router has, and no other', () => {
    // The router has one name for a parameter, where the document may have two.
    const nameless = (address: string) => address.replaceAll(/\{\w+\}|:\w+(\|:\w+)*/g, ':');
    const declared = operations.map(({ method, pathTemplate }) => `${method} ${nameless(pathTemplate)}`);
    const served = routesIn(api.app.printRoutes()).filter(
      (route) => !/^\w+ \/(openapi\.json$|docs)|^OPTIONS /.test(route), // preflights: cors.int.test.ts
    );
    expect(served.map(nameless).sort()).toEqual(declared.sort());
  });

  test('declares the permission, summary and id of every operation', () => {
    for (const { id, method, pathTemplate, permission, summary } of operations)
      expect({ id, permission, summary }, `${method} ${pathTemplate}`).toEqual({
        id: expect.stringMatching(/^[a-z]\w+$/),
        permission: expect.stringMatching(/^(public|any|session|[a-z_]+(\.[a-z_]+)+)$/),
        summary: expect.stringMatching(/\w+/),
      });
    const ids = operations.map(({ id }) => id);
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
  });
});

/** The router prints a tree, each line a part of a path: `│   └── /:id (GET, PATCH)`. */
function routesIn(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', piece = '', methods] = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.+)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    above.splice(depth, Number.POSITIVE_INFINITY, piece);
    return methods?.split(', ').map((method) => `${method} ${above.join('')}`) ?? [];
  });
}
