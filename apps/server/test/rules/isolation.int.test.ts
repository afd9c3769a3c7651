import { describe, expect, test } from 'vitest';
import { probes } from '../../../../tools/testing/probes.ts';
import { isFull } from '../../../../tools/testing/size.ts';
import { api, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, RequestValues, Position } from '../openapi-walk.ts';
import { broken } from './answers.ts';
import { dealer } from './deal.ts';
import { attackers, classAt, credentials, demanded, type Credential } from './isolation-credentials.ts';
import { namesTenant } from './isolation-due.ts';
import {
  ask,
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
  madeByVictim,
  missing,
  operations,
  restock,
  restoreAttacker,
  rowsOf,
  sample,
  spendableIds,
  victim,
  victimKeys,
  victimSide,
  type Ids,
} from './isolation-parties.ts';
import { addOwnThings } from './people.ts';

// Every route of the document, against everybody it is not for. A new route is met here without a line being added, and
// so is a new kind of object, if a POST that answers 201 makes it.
//
// `.ci/full` tries every credential at every address, and up to eight of the victim's ids at every place of an id. A sample
// tries one credential of each class at one address of each route, by turns, and one of the victim's ids at each place:
// what the guard makes of each credential is decided in guard.test.ts, and here it is seen to stand before each route.

// ---- cases

const victimIds = await idsOfVictim();
const known = new Set([...(await idsOfAttacker()).values()].flat());
known.delete(victim.tenantId); // which stands in the sessions of the victim's colleague
const secrets = [
  canary,
  ...[...victimIds.values()].flat().filter((id) => !known.has(id)),
  ...Object.values(victimKeys).map(({ secret }) => secret),
];
let rowsBefore = await rowsOf(victimSide);
const tally = { routes: 0, cases: 0, breaches: 0 };

/** One operation's cases: each is sent, looked at, and counted. */
function casesOf(operation: Operation) {
  const breaches: string[] = [];
  const fail = (name: string, what: string) =>
    breaches.push(`${operation.method} ${operation.pathTemplate}, ${name}: ${what}`);
  return {
    breaches,
    fail,
    async try(name: string, parts: RequestValues, headers: Headers): Promise<Response> {
      let response = await ask(operation, parts, headers);
      if (response.statusCode === 429) {
        await resetLimits();
        response = await ask(operation, parts, headers);
      }
      tally.cases++;
      const said = JSON.stringify(response.headers) + response.body;
      const leaked = secrets.find((secret) => said.includes(secret));
      if (leaked !== undefined)
        fail(name, `the answer holds '${leaked}' of the victim: ${response.statusCode} ${response.body}`);
      const wrong = broken(operation, response);
      if (wrong !== undefined) fail(name, wrong);
      if (response.statusCode >= 500) fail(name, `answered ${response.statusCode} ${response.body}`);
      return response;
    },
    end() {
      tally.breaches += breaches.length;
      expect(breaches, `${breaches.length} breaches`).toEqual([]);
    },
  };
}
type Cases = ReturnType<typeof casesOf>;

/** An answer without what differs between any two. */
function comparable({ statusCode, headers, body }: Response) {
  const { 'x-request-id': requestId, date: _date, ratelimit: _ratelimit, ...rest } = headers;
  return { statusCode, headers: rest, body: body.replaceAll(String(requestId), '') };
}

/** A few are enough where a credential is not even looked at. */
const onPublicRoutes = [
  'no credential',
  'a word that is no token',
  "another tenant's owner",
  'an operator: platform_admin',
];

const [byTurns, idsByTurns, kindsByTurns] = [dealer<Credential>(), dealer<string>(), dealer<string>()];

/** Those that are not for this route, or one of each class. */
function wrongCredentials(operation: Operation): Credential[] {
  const { audience } = operation;
  if (audience === 'public') return credentials.filter(({ name }) => onPublicRoutes.includes(name));
  const wrong = credentials.filter(({ who }) => demanded(operation, who));
  if (isFull) return wrong;
  const classes = Map.groupBy(wrong, (credential) => classAt(operation, credential));
  return [...classes.values()].flatMap((alike) => byTurns.take(alike));
}

async function refusesCredentials(operation: Operation, cases: Cases) {
  const wrong = wrongCredentials(operation);
  const requests = sample(operation, victimIds, wrong.length);
  for (const [n, { name, headers, who }] of wrong.entries()) {
    const due = demanded(operation, who);
    const response = await cases.try(name, requests[n] ?? { path: {}, query: {} }, headers);
    if (!due) continue;
    const { statuses, reasons = [reasonOf(response)] } = due;
    if (!statuses.includes(response.statusCode) || !reasons.includes(reasonOf(response)))
      cases.fail(
        name,
        `${statuses.join(' or ')} ${reasons.join(' or ')} was due, but it answered ${response.statusCode} ${response.body}`,
      );
  }
}

const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason ?? '';

/** Without filters, which could hide what should not have been found at all. */
const unfiltered = ({ query: { required = [] } }: Operation, parts: RequestValues): RequestValues => ({
  ...parts,
  query: Object.fromEntries(Object.entries(parts.query).filter(([name]) => required.includes(name))),
});

/** Fields that may be left out may also not go together. */
function withoutOptional({ body: { properties, required = [] } = {} }: Operation, parts: RequestValues): RequestValues {
  if (!properties) return parts;
  const kept = Object.entries(parts.body as object).filter(([name]) => required.includes(name));
  return { ...parts, body: Object.fromEntries(kept) };
}

/** A credential of the attacker's, with what is theirs to ask for. */
interface Armed {
  headers: Headers;
  own: Ids;
}

/** The attacker's own request, good as it is: what is changed in it next is what is refused. */
async function goodRequest(operation: Operation, position: Position, own: Ids, headers: Headers) {
  const { prefix = 'key' } = position;
  const ids = own.get(prefix) ?? [];
  for (const [n, parts] of sample(operation, own, 40).entries()) {
    const id = ids[n % ids.length] ?? missing(prefix);
    const asked = unfiltered(operation, n % 2 === 0 ? parts : withoutOptional(operation, parts));
    const good = walk.withValueAt(asked, position, id);
    const { statusCode } = await ask(operation, good, headers);
    await restoreAttacker(operation);
    if (statusCode < 300 || [409, 422].includes(statusCode)) return good;
  }
  return undefined;
}

const idsOfVictimOnly = (kind: string) => (victimIds.get(kind) ?? []).filter((id) => !known.has(id));
/** All of them, or in a sample one, by turns. */
const some = (all: string[], turns = idsByTurns) => (isFull ? all : turns.take(all));

async function hidesIds(operation: Operation, position: Position, { headers, own }: Armed, cases: Cases) {
  const { part, steps, prefix } = position;
  const isTenant = part !== 'query' && steps[0] === 'tenantId';
  const good = await goodRequest(operation, position, own, headers);
  const where = `${part} ${steps.join('.')}`;
  if (!good) return void cases.fail(where, 'no request of the attacker for things of their own went well');

  const prefixes = prefix === undefined ? some([...victimIds.keys()], kindsByTurns) : [prefix];
  for (const kind of prefixes) {
    const none = await cases.try(
      `${where}, nobody's ${kind}`,
      walk.withValueAt(good, position, missing(kind)),
      headers,
    );
    for (const id of some(idsOfVictimOnly(kind).slice(0, 8))) {
      const name = `${where}, the victim's ${id}`;
      const response = await cases.try(name, walk.withValueAt(good, position, id), headers);
      const due = isTenant ? 403 : 404;
      // A filter may also find nothing.
      if (response.statusCode !== due && !(part === 'query' && response.statusCode === 200))
        cases.fail(name, `${due} was due, but it answered ${response.statusCode} ${response.body}`);
      const [theirs, nobodys] = [comparable(response), comparable(none)];
      if (JSON.stringify(theirs) !== JSON.stringify(nobodys))
        cases.fail(name, `differs from the answer for none: ${JSON.stringify(theirs)} and ${JSON.stringify(nobodys)}`);
    }
  }
}

const idPositions = (operation: Operation) =>
  walk
    .positionsOf(operation)
    .filter(({ part, prefix, steps }) => (part !== 'body' || prefix !== undefined) && !isOfStep(steps));
/** A step of an action says more than the id of another: it has a test of its own, below. */
const isOfStep = ([first, second]: Position['steps']) => first === 'steps' && second === 0;

/** What the attacker proves who they are with, where nobody is signed in, by the name of the field that wants it. */
const proofs = {
  refreshToken: attackerPeople.stranger.refreshToken,
  sessionToken: attackerChat.visitor.sessionToken,
  publicKey: attackerChat.bot.publicKey,
  key: attackerChat.bot.publicKey,
};

/** Whoever is not signed in proves who they are with the request itself, and may name things in it. */
async function hidesFromStrangers(operation: Operation, cases: Cases) {
  const positions = idPositions(operation);
  if (positions.length === 0) return;
  const [parts = { path: {}, query: {} }] = sample(operation, await restock(operation, true), 1);
  const { origin = '' } = attackerChat.visitor.headers;
  let proved = parts;
  for (const part of ['query', 'body'] as const)
    for (const [name, proof] of Object.entries(proofs))
      if (name in (operation[part]?.properties ?? {}))
        proved = walk.withValueAt(proved, { part, steps: [name] }, proof);

  for (const { prefix = '', ...position } of positions) {
    const own = prefix === 'bot' ? attackerChat.bot.botId : attacker.tenantId;
    const good = await cases.try(`their own ${prefix}`, walk.withValueAt(proved, position, own), { origin });
    if (good.statusCode !== 200) cases.fail(own, `200 was due, but it answered ${good.statusCode} ${good.body}`);
    const none = await cases.try(`nobody's ${prefix}`, walk.withValueAt(proved, position, missing(prefix)), { origin });
    for (const id of some(idsOfVictimOnly(prefix))) {
      const response = await cases.try(`the victim's ${id}`, walk.withValueAt(proved, position, id), { origin });
      if (![401, 403].includes(response.statusCode) || comparable(response).body !== comparable(none).body)
        cases.fail(id, `401 or 403 was due, as for none, but it answered ${response.statusCode} ${response.body}`);
    }
  }
}

/** Nothing that a caller sends besides its credential says which tenant it is for. */
async function ignoresOtherWords(operation: Operation, { headers, own }: Armed, cases: Cases) {
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
    if (response.statusCode !== 400) cases.fail(name, `400 was due, but it answered ${response.statusCode}`);
  }
}

/** Lists whose cursor is a place and no id: one that names an id is refused as none. */
const byPlace = ['listKnowledgeChunks', 'listUnansweredQuestions'];

/** Page after page, from the start and from where the victim's things would be. */
async function listsOnlyOwn(operation: Operation, { headers, own }: Armed, cases: Cases) {
  const [parts = { path: {}, query: {} }] = sample(operation, own, 1);
  const listed = new Set<string>();
  const from = async (name: string, query: Record<string, unknown>, due = 200) => {
    const response = await cases.try(name, { ...unfiltered(operation, parts), query }, headers);
    if (response.statusCode !== due)
      cases.fail(name, `${due} was due, but it answered ${response.statusCode} ${response.body}`);
    const { data = [], nextCursor } = response.json<{ data?: { id?: string }[]; nextCursor?: string | null }>();
    for (const { id = '' } of data) listed.add(id.slice(0, id.indexOf('_')));
    return nextCursor;
  };
  for (let [page, cursor] = [1, await from('page 1', {})]; cursor && page < 20; page++)
    cursor = await from(`page ${page + 1}`, { cursor });
  const due = byPlace.includes(operation.route) ? 400 : 200;
  // In a sample after one of the kind that is listed here, and after one of another.
  const kinds = [...victimIds.keys()];
  const chosen = isFull ? kinds : [...kinds.filter((kind) => listed.has(kind)), ...some(kinds, kindsByTurns)];
  for (const [id = ''] of chosen.map((kind) => victimIds.get(kind) ?? []))
    await from(`the page after ${id}`, { cursor: cursorTo(id) }, due);
}

/** The same key and the same words as the victim's: the attacker gets an answer of their own, and that one again. */
async function keepsAnswersApart(operation: Operation, asked: RequestValues, headers: Headers, cases: Cases) {
  const own = await spendableIds();
  await restoreAttacker(operation);
  const text = JSON.stringify(asked).replaceAll(
    /\b([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g,
    (_id, prefix: string) => own.get(prefix)?.[0] ?? missing(prefix),
  );
  const parts = JSON.parse(text) as RequestValues;
  const name = "the victim's Idempotency-Key";
  const first = await cases.try(name, parts, { ...headers, ...keyFor(operation) });
  const again = await cases.try(name, parts, { ...headers, ...keyFor(operation) });
  if (first.statusCode !== 201 || first.headers['idempotency-replayed'])
    cases.fail(name, `a first answer was due, but it answered ${first.statusCode} ${first.body}`);
  if (again.statusCode !== 409 && again.body !== first.body)
    cases.fail(name, `the first answer was due again, but it answered ${again.statusCode} ${again.body}`);
}

// ---- tests

test('the victim has an object of every kind that an address can name', () => {
  for (const operation of operations) {
    for (const { part, prefix } of walk.positionsOf(operation)) {
      if (part !== 'path' || prefix === undefined) continue;
      const hint = `${operation.pathTemplate} takes a '${prefix}_' id, and the victim of this test has none: make one for it above`;
      expect(victimIds.get(prefix)?.length ?? 0, hint).toBeGreaterThan(0);
    }
  }
});

test('200 to the good credentials that the bad ones are made from', async () => {
  for (const { name, headers, who } of credentials) {
    const open = operations.find(
      (operation) =>
        operation.method === 'GET' &&
        operation.audience === who.kind &&
        !demanded(operation, who) &&
        (who.kind !== 'visitor' || walk.positionsOf(operation).length === 0), // not every conversation is theirs
    );
    if (!open) continue;
    const [parts = { path: {}, query: {} }] = sample(open, victimIds, 1);
    const response = await ask(open, unfiltered(open, parts), headers);
    expect(response.statusCode, `${name} at ${open.pathTemplate}: ${response.body}`).toBe(200);
  }
});

// Both forms of an address are one declaration: a sample walks about every second route in its long form, and the others
// in their short one, among them all that the victim has used.
const forms = [...Map.groupBy(operations, ({ route }) => route).values()];
const oneOf = (both: Operation[], isLong: boolean) =>
  both.filter((form) => both.length < 2 || namesTenant(form) === isLong);
const walked = isFull
  ? operations
  : forms.flatMap((both, n) => oneOf(both, n % 2 === 0 && !both.some((form) => madeByVictim.has(form))));

const attackersByTurns = dealer<(typeof attackers)[number]>();

/** Everybody who is let in with things of their own to ask for. Where it is not about themselves, one of them in a sample. */
function attackersAt(operation: Operation) {
  if (operation.audience === 'public') return [];
  const able = attackers.filter(
    ({ who, isForOwnOnly }) =>
      !demanded(operation, who, attacker.tenantId) && (operation.isAccountRoute || !isForOwnOnly),
  );
  return isFull || operation.isAccountRoute ? able : attackersByTurns.take(able);
}

describe.each(walked)('$method $address', (operation) => {
  test('401, 403 or 404 to everybody it is not for, and nothing of the victim is seen or changed', async () => {
    const cases = casesOf(operation);
    await resetLimits();
    await refusesCredentials(operation, cases);
    for (const { headers, who, person } of attackersAt(operation)) {
      if (operation.isAccountRoute && person) await addOwnThings(person);
      const armed = { headers, own: await restock(operation, who.kind === 'visitor') };
      for (const position of idPositions(operation)) await hidesIds(operation, position, armed, cases);
      await ignoresOtherWords(operation, armed, cases);
      if ('cursor' in (operation.query.properties ?? {})) await listsOnlyOwn(operation, armed, cases);
    }
    // To a signed call everybody is a stranger: test/webhooks/inbound.isolated.test.ts.
    if (operation.audience === 'public' && operation.id !== 'receiveWebhook')
      await hidesFromStrangers(operation, cases);
    const asked = madeByVictim.get(operation);
    if (asked) await keepsAnswersApart(operation, asked, attackerHeaders, cases);
    const rowsAfter = await rowsOf(victimSide);
    for (const table of Object.keys(rowsBefore))
      if (rowsAfter[table] !== rowsBefore[table]) cases.fail('afterwards', `rows of the victim changed in ${table}`);
    rowsBefore = rowsAfter; // each change is told of once, where it was made
    tally.routes++;
    cases.end();
  });
});

test('all of it was walked: every route of the document, with every credential that is wrong somewhere, and no breach', () => {
  const { routes, cases, breaches } = tally;
  console.log(`isolation: ${routes} addresses, ${cases} cases, ${breaches} breaches`);
  expect({ routes, breaches }).toEqual({ routes: walked.length, breaches: 0 });
  expect(new Set(walked.map(({ route }) => route)).size).toBe(forms.length);
  const guarded = walked.filter(({ audience }) => audience !== 'public');
  expect(cases).toBeGreaterThan((isFull ? 30 : 10) * guarded.length);
  expect(cases).toBeGreaterThanOrEqual(probes.isolation.min);
  if (isFull) return; // each of them, everywhere
  const neverUsed = credentials.filter(
    (credential) =>
      byTurns.usesOf(credential) === 0 && guarded.some((operation) => demanded(operation, credential.who)),
  );
  expect(neverUsed.map(({ name }) => name)).toEqual([]);
});

test('400 as for none: a step, or what undoes one, that is an action of the victim', async () => {
  const operation = operations.find(({ id }) => id === 'updateAction');
  if (!operation) throw new Error('no action can be changed');
  const cases = casesOf(operation);
  const [id = '', other = ''] = (await restock(operation, false)).get('act') ?? [];
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
    // The router has one name for a place, where the document may have two.
    const nameless = (address: string) => address.replaceAll(/\{\w+\}|:\w+(\|:\w+)*/g, ':');
    const declared = operations.map(({ method, pathTemplate }) => `${method} ${nameless(pathTemplate)}`);
    const served = routesIn(api.app.printRoutes()).filter(
      (route) => !/^\w+ \/(openapi\.json$|docs)|^OPTIONS /.test(route), // what a browser asks first: cors.int.test.ts
    );
    expect(served.map(nameless).sort()).toEqual(declared.sort());
  });

  test('says of every operation what it needs, does and is called', () => {
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

/** The router prints a tree, each line a piece of an address: `│   └── /:id (GET, PATCH)`. */
function routesIn(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', piece = '', methods] = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.+)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    above.splice(depth, Number.POSITIVE_INFINITY, piece);
    return methods?.split(', ').map((method) => `${method} ${above.join('')}`) ?? [];
  });
}
