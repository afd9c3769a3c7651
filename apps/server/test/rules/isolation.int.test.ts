import { createPublicKey } from 'node:crypto';
import * as fc from 'fast-check';
import { generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { KeyPermission } from '../../src/features/api-keys/api-keys.contract.ts';
import { platformRolePermissions, rolePermissions } from '../../src/features/users/roles.ts';
import { Feature } from '../../src/platform/access.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import {
  admin,
  aKey,
  anOperator,
  api,
  aTenant,
  aUser,
  customers,
  operators,
  send,
  type Headers,
  type Response,
  type TestTenant,
} from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation, Parts, Position } from '../openapi-walk.ts';

// Every route of the document, against everybody it is not for. A new route is met here without a line being added, and
// so is a new kind of object, if a POST that answers 201 makes it.

const operations = walk.operationsOf(api.app.swagger());
const namesTenant = ({ path }: Operation) => 'tenantId' in (path.properties ?? {});

const ask = (operation: Operation, parts: Parts, headers: Headers): Promise<Response> =>
  send(operation.method, walk.urlOf(operation, parts), headers, parts.body);

const sample = (operation: Operation, ids: Ids, numRuns: number, text = 'Some text') =>
  fc.sample(
    walk.partsOf(operation, {
      id: (prefix) => fc.constantFrom(...(ids.get(prefix) ?? [missing(prefix)])),
      text: fc.nat().map((n) => `${text} ${n}`),
      named: { cursor: fc.constant(cursorTo(missing('key'))) },
    }),
    { numRuns, seed: 1 },
  );

type Ids = ReadonlyMap<string, readonly string[]>;
const missing = (prefix: string) => newId('request').replace('req', prefix);
const cursorTo = (id: string) => Buffer.from(id).toString('base64url');

// ---- rows

const { rows: tables } = await sql<{ name: string; hasTenant: boolean }>`
  select c.oid::regclass::text as name, bool_or(a.attname = 'tenant_id') as has_tenant
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p') and not c.relispartition and a.attname in ('tenant_id', 'user_id')
    and c.relnamespace in ('public'::regnamespace, 'directory'::regnamespace)
  group by c.oid`.execute(admin);

/** All that the database holds of a tenant and its people, by table. When a key was last used is not counted a change. */
async function rowsOf(tenantId: string): Promise<Record<string, string>> {
  const people = sql`user_id in (select user_id from directory.user_tenants where tenant_id = ${tenantId})`;
  const each = tables.map(
    ({ name, hasTenant }) => sql`select ${sql.lit(name)} as name, string_agg(line, E'\n' order by line) as lines
      from (select (to_jsonb(t) - 'last_used_at')::text as line from ${sql.raw(name)} as t
        where ${hasTenant ? sql`tenant_id = ${tenantId}` : people}) as found`,
  );
  const { rows } = await sql<{ name: string; lines: string | null }>`${sql.join(each, sql` union all `)}`.execute(
    admin,
  );
  return Object.fromEntries(rows.map(({ name, lines }) => [name, lines ?? '']));
}
const idsOf = async (tenantId: string) => walk.idsIn(Object.values(await rowsOf(tenantId)).join('\n'));

// ---- the victim: one of everything that can be made

const canary = `canary-${Date.now().toString(36)}`;
const keyFor = ({ id }: Operation): Headers => ({ 'idempotency-key': `${canary}-${id}` });
const makers = operations.filter(
  (operation) => operation.audience === 'member' && !namesTenant(operation) && operation.answers['201'],
);

/** Says with what requests it was done. */
async function furnish(tenant: TestTenant, text: string, headersFor: (operation: Operation) => Headers = () => ({})) {
  const made = new Map<Operation, Parts>();
  for (const operation of makers) {
    for (const parts of sample(operation, await idsOf(tenant.tenantId), 30, text)) {
      const answer = await ask(operation, parts, { ...tenant.headers, ...headersFor(operation) });
      if (answer.statusCode !== 201) continue;
      made.set(operation, parts);
      break;
    }
    expect(made.has(operation), `${operation.id}: of 30 requests that fit the schema none was answered 201`).toBe(true);
  }
  return made;
}

const victim = await aTenant({ plan: 'enterprise' });
const attacker = await aTenant({ plan: 'enterprise' });
const everyKeyPermission = { permissions: KeyPermission.options };

await victim.patch('/tenant', { name: canary });
await admin.updateTable('bots').set({ name: canary }).where('id', '=', victim.botId).execute();
await sql`update directory.users set name = ${canary} where user_id = ${victim.userId}`.execute(admin);
await furnish(victim, canary);
// Once more, in words of no meaning, so that another tenant can send the very same request.
const madeByVictim = await furnish(victim, 'Repeated', keyFor);
await furnish(attacker, 'Mine');

const makeKey = (tenant: TestTenant, more: Record<string, unknown> = {}) => aKey(tenant, { name: canary, ...more });
const victimKeys = {
  full: await makeKey(victim, everyKeyPermission),
  powerless: await makeKey(victim),
  widget: await makeKey(victim, { keyType: 'public_widget', boundBotId: victim.botId }),
  revoked: await makeKey(victim, everyKeyPermission),
  expired: await makeKey(victim, everyKeyPermission),
  rotated: await makeKey(victim, everyKeyPermission),
};
const attackerKeys = {
  full: await aKey(attacker, everyKeyPermission),
  widget: await aKey(attacker, { keyType: 'public_widget', boundBotId: attacker.botId }),
};
await victim.post(`/api-keys/${victimKeys.revoked.id}/revoke`);
await victim.post(`/api-keys/${victimKeys.rotated.id}/rotate`, { overlapSeconds: 0 });
await admin
  .updateTable('apiKeys')
  .set({ expiresAt: new Date(0) })
  .where('id', '=', victimKeys.expired.id)
  .execute();
const operator = await anOperator();
await operator.patch(`/admin/tenants/${victim.tenantId}/entitlements`, { overrides: { 'bots.max': 77 } });

// ---- credentials

/** What a credential truly is, whatever it says of itself. */
type Who =
  | { kind: 'nobody' }
  | { kind: 'operator'; permissions: ReadonlySet<string> }
  | { kind: 'member'; tenantId: string; permissions: ReadonlySet<string>; without?: 'features' | 'everything' };
interface Credential {
  name: string;
  headers: Headers;
  who: Who;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const pair = (secret: string, id: string): Headers => ({ ...bearer(secret), 'x-service-api-key-id': id });
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = Math.floor(Date.now() / 1_000);
const credentials: Credential[] = [];
const add = (name: string, headers: Headers, who: Who = { kind: 'nobody' }) => credentials.push({ name, headers, who });

async function addForgeries() {
  const { subject: sub } = victim;
  const claims = { iss: customers.issuer, aud: customers.config.audience[0] ?? '', sub, iat: now, exp: now + 600 };
  const header = { typ: 'at+jwt', kid: customers.jwk.kid };
  const unsigned = `${base64url({ ...header, alg: 'none' })}.${base64url(claims)}`;
  const { privateKey } = await generateKeyPair('RS256');
  const publicPem = createPublicKey({ key: customers.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const signWith = (alg: string, key: Parameters<SignJWT['sign']>[0], more = {}) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg, ...more }).sign(key);
  const [head, , signature] = victim.token.split('.');

  add('no credential', {});
  add('a word that is no token', bearer('garbage'));
  add('an empty bearer', { authorization: 'Bearer ' });
  add('a password', { authorization: `Basic ${Buffer.from('owner:secret').toString('base64')}` });
  add('a malformed JWT', bearer('not.a.token'));
  add('a JWT of 100 kB', bearer(`${'a'.repeat(100_000)}.b.c`));
  add('alg none, unsigned', bearer(`${unsigned}.`));
  add('alg none, with a signature', bearer(`${unsigned}.${signature}`));
  add('HS256 by the public key', bearer(await signWith('HS256', Buffer.from(publicPem))));
  add('RS256 by a key of their own', bearer(await signWith('RS256', privateKey)));
  add('a key in the header of the token', bearer(await signWith('RS256', privateKey, { jwk: customers.jwk })));
  add(
    'claims under the signature of others',
    bearer(`${head}.${base64url({ ...claims, exp: now + 9_999 })}.${signature}`),
  );
  add('an expired token', bearer(await customers.sign({ sub, iat: now - 7_200, exp: now - 3_600 })));
  add('a token of tomorrow', bearer(await customers.sign({ sub, nbf: now + 86_400 })));
  add('a token for another audience', bearer(await customers.sign({ sub, aud: 'somebody-else' })));
  add('an ID token', bearer(await customers.sign({ sub }, { typ: 'JWT' })));
  add('a token of another issuer', bearer(await customers.sign({ sub, iss: 'https://issuer.example' })));
  add('a customer in a token of the admin pool', bearer(await operators.sign({ sub })));
}

async function addPeople() {
  const disabled = await aUser([{ tenantId: victim.tenantId, roles: ['owner'] }]);
  await sql`update directory.users set disabled_at = now() where user_id = ${disabled.userId}`.execute(admin);
  const signedOut = await aUser([{ tenantId: victim.tenantId, roles: ['owner'] }]);
  await sql`update directory.users set tokens_valid_after = now() + interval '1 hour' where user_id = ${signedOut.userId}`.execute(
    admin,
  );
  const removed = await aUser([{ tenantId: victim.tenantId, roles: ['owner'] }]);
  await admin.deleteFrom('memberships').where('userId', '=', removed.userId).execute();
  const claiming = await customers.sign({ sub: attacker.subject, tenant_id: victim.tenantId });
  const operatorAsCustomer = `${canary}-operator`;
  await sql`insert into directory.identities values (${customers.issuer}, ${operatorAsCustomer}, ${operator.userId})`.execute(
    admin,
  );

  add('a disabled owner', disabled.headers);
  add('an owner whose sessions were ended', signedOut.headers);
  add('an owner who was removed', removed.headers);
  add('somebody of no tenant', (await aUser([])).headers);
  add("another tenant's owner, whose token claims the victim", bearer(claiming));
  add('an operator in a token of the customer pool', bearer(await customers.sign({ sub: operatorAsCustomer })));

  add("another tenant's owner", attacker.headers, memberOf(attacker.tenantId, rolePermissions.owner));
  for (const [role, permissions] of Object.entries(rolePermissions)) {
    const member = await aUser([{ tenantId: victim.tenantId, roles: [role] }]);
    add(`the victim's ${role}`, member.headers, memberOf(victim.tenantId, permissions));
  }
  const nobodyMuch = await aUser([{ tenantId: victim.tenantId, roles: ['no_such_role'] }]);
  add("the victim's member of an unknown role", nobodyMuch.headers, memberOf(victim.tenantId, new Set()));
  const both = [
    { tenantId: attacker.tenantId, roles: ['owner'] },
    { tenantId: victim.tenantId, roles: ['viewer'] },
  ];
  for (const memberships of [both, both.toReversed()]) {
    const viewer = await aUser(memberships, { tenant_id: victim.tenantId });
    add('an owner there who is a viewer here', viewer.headers, memberOf(victim.tenantId, rolePermissions.viewer));
  }
  for (const [role, permissions] of Object.entries(platformRolePermissions)) {
    add(`an operator: ${role}`, (await anOperator(role)).headers, { kind: 'operator', permissions });
  }
}

function addKeys() {
  const { full, powerless, widget, revoked, expired, rotated } = victimKeys;
  add('a revoked key', revoked.headers);
  add('an expired key', expired.headers);
  add('a secret that was rotated away', rotated.headers);
  add('a key without its id', bearer(full.secret));
  add("a key with another key's id", pair(full.secret, powerless.id));
  add("a key with another tenant's key id", pair(full.secret, attackerKeys.full.id));
  add("another tenant's secret with the victim's key id", pair(attackerKeys.full.secret, full.id));
  add('a secret with a typing error', pair(`${full.secret.slice(0, -1)}!`, full.id));
  add("the victim's widget key", widget.headers);
  add("another tenant's widget key", attackerKeys.widget.headers);

  add("the victim's key with no permission", powerless.headers, memberOf(victim.tenantId, new Set()));
  add(
    "the victim's key with all a key can have",
    full.headers,
    memberOf(victim.tenantId, new Set(KeyPermission.options)),
  );
  add("another tenant's key", attackerKeys.full.headers, memberOf(attacker.tenantId, new Set(KeyPermission.options)));
}

async function addClosedTenants() {
  const [suspended, bare] = [await aTenant({ plan: 'enterprise' }), await aTenant({ plan: 'enterprise' })];
  for (const [tenant, without] of [[suspended, 'everything'] as const, [bare, 'features'] as const]) {
    const key = await aKey(tenant, everyKeyPermission);
    const owner = memberOf(tenant.tenantId, rolePermissions.owner);
    add(`an owner of a tenant without ${without}`, tenant.headers, { ...owner, without });
    add(`a key of a tenant without ${without}`, key.headers, { ...owner, without: 'everything' });
  }
  const overrides = Object.fromEntries(Feature.options.map((feature) => [feature, 0]));
  await operator.patch(`/admin/tenants/${bare.tenantId}/entitlements`, { overrides });
  await operator.post(`/admin/tenants/${suspended.tenantId}/suspend`, { reason: 'For the test' });
}

const memberOf = (tenantId: string, permissions: ReadonlySet<string>) => ({
  kind: 'member' as const,
  tenantId,
  permissions,
});

await addForgeries();
await addPeople();
addKeys();
await addClosedTenants();

/** The status that the route's own declaration demands for this credential; none where it lets it in. */
function demanded(operation: Operation, who: Who): 401 | 403 | undefined {
  const { audience, permission = '', entitlement } = operation;
  if (audience === 'public') return undefined;
  if (who.kind !== audience) return 401;
  if (who.kind === 'member') {
    if (namesTenant(operation) && who.tenantId !== victim.tenantId) return 403;
    if (who.without === 'everything' || (who.without === 'features' && entitlement !== undefined)) return 403;
  }
  return permission === 'any' || who.permissions.has(permission) ? undefined : 403;
}

// ---- cases

const victimIds = await idsOf(victim.tenantId);
/** Without the attacker's own credentials: an attacker who ends those has only stopped. */
async function attackerIds(): Promise<Ids> {
  const own = new Set([attacker.userId, attackerKeys.full.id]);
  const ids = await idsOf(attacker.tenantId);
  const others = [...ids].map(([prefix, found]) => [prefix, found.filter((id) => !own.has(id))] as const);
  return new Map([...others, ['ten', [attacker.tenantId]]]);
}
const known = new Set([...(await idsOf(attacker.tenantId)).values()].flat());
const secrets = [
  canary,
  ...[...victimIds.values()].flat().filter((id) => !known.has(id)),
  ...Object.values(victimKeys).map(({ secret }) => secret),
];
const rowsBefore = await rowsOf(victim.tenantId);
const tally = { routes: 0, cases: 0, breaches: 0 };

/** One operation's cases: each is sent, looked at, and counted. */
function casesOf(operation: Operation) {
  const breaches: string[] = [];
  const fail = (name: string, what: string) =>
    breaches.push(`${operation.method} ${operation.address}, ${name}: ${what}`);
  return {
    breaches,
    fail,
    async try(name: string, parts: Parts, headers: Headers): Promise<Response> {
      const answer = await ask(operation, parts, headers);
      tally.cases++;
      const said = JSON.stringify(answer.headers) + answer.body;
      const leaked = secrets.find((secret) => said.includes(secret));
      if (leaked !== undefined)
        fail(name, `the answer holds '${leaked}' of the victim: ${answer.statusCode} ${answer.body}`);
      const wrong = walk.broken(operation, answer);
      if (wrong !== undefined) fail(name, wrong);
      if (answer.statusCode >= 500) fail(name, `answered ${answer.statusCode} ${answer.body}`);
      return answer;
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

async function refusesCredentials(operation: Operation, cases: Cases) {
  const requests = sample(operation, victimIds, credentials.length);
  for (const [n, { name, headers, who }] of credentials.entries()) {
    const status = demanded(operation, who);
    if (operation.audience !== 'public' && status === undefined) continue; // it is theirs to use
    const answer = await cases.try(name, requests[n] ?? { path: {}, query: {} }, headers);
    if (status !== undefined && answer.statusCode !== status)
      cases.fail(name, `${status} was due, but it answered ${answer.statusCode} ${answer.body}`);
  }
}

/** Without filters, which could hide what should not have been found at all. */
const unfiltered = ({ query: { required = [] } }: Operation, parts: Parts): Parts => ({
  ...parts,
  query: Object.fromEntries(Object.entries(parts.query).filter(([name]) => required.includes(name))),
});

/** The attacker's own request, good as it is: what is changed in it next is what is refused. */
async function goodRequest(operation: Operation, position: Position, own: Ids, headers: Headers) {
  const { prefix = 'key' } = position;
  const ids = own.get(prefix) ?? [];
  for (const [n, parts] of sample(operation, own, 40).entries()) {
    const id = ids[n % ids.length] ?? missing(prefix);
    const good = walk.put(unfiltered(operation, parts), position, id);
    const { statusCode } = await ask(operation, good, headers);
    if (statusCode < 300 || statusCode === 409) return good;
  }
  return undefined;
}

async function hidesIds(operation: Operation, position: Position, headers: Headers, cases: Cases) {
  const { place, steps, prefix } = position;
  const isTenant = place === 'path' && steps[0] === 'tenantId';
  const own = await attackerIds();
  const good = await goodRequest(operation, position, own, headers);
  const where = `${place} ${steps.join('.')}`;
  if (!good) return void cases.fail(where, 'no request of the attacker for things of their own went well');

  const prefixes = prefix === undefined ? [...victimIds.keys()] : [prefix];
  for (const kind of prefixes) {
    const none = await cases.try(`${where}, nobody's ${kind}`, walk.put(good, position, missing(kind)), headers);
    for (const id of (victimIds.get(kind) ?? []).filter((id) => !known.has(id)).slice(0, 8)) {
      const name = `${where}, the victim's ${id}`;
      const answer = await cases.try(name, walk.put(good, position, id), headers);
      const due = isTenant ? 403 : 404;
      // A filter may also find nothing.
      if (answer.statusCode !== due && !(place === 'query' && answer.statusCode === 200))
        cases.fail(name, `${due} was due, but it answered ${answer.statusCode} ${answer.body}`);
      const [theirs, nobodys] = [comparable(answer), comparable(none)];
      if (JSON.stringify(theirs) !== JSON.stringify(nobodys))
        cases.fail(name, `differs from the answer for none: ${JSON.stringify(theirs)} and ${JSON.stringify(nobodys)}`);
    }
  }
}

/** Nothing that a caller sends besides its credential says which tenant it is for. */
async function ignoresOtherWords(operation: Operation, headers: Headers, cases: Cases) {
  const [parts = { path: {}, query: {} }] = sample(operation, await attackerIds(), 1);
  const bare = unfiltered(operation, parts);
  const { tenantId } = victim;
  const more = { 'x-service-tenant-id': tenantId, 'x-tenant-id': tenantId, cookie: `tenantId=${tenantId}` };
  await cases.try('the victim in a header', bare, { ...headers, ...more });
  for (const place of operation.body ? (['query', 'body'] as const) : (['query'] as const)) {
    const name = `the victim in the ${place}`;
    const answer = await cases.try(name, walk.put(bare, { place, steps: ['tenantId'] }, tenantId), headers);
    if (answer.statusCode !== 400) cases.fail(name, `400 was due, but it answered ${answer.statusCode}`);
  }
}

/** Page after page, from the start and from where the victim's things would be. */
async function listsOnlyOwn(operation: Operation, headers: Headers, cases: Cases) {
  const [parts = { path: {}, query: {} }] = sample(operation, await attackerIds(), 1);
  const from = async (name: string, query: Record<string, unknown>) => {
    const answer = await cases.try(name, { ...unfiltered(operation, parts), query }, headers);
    if (answer.statusCode !== 200) cases.fail(name, `200 was due, but it answered ${answer.statusCode} ${answer.body}`);
    return answer.json<{ nextCursor?: string | null }>().nextCursor;
  };
  for (let [page, cursor] = [1, await from('page 1', {})]; cursor && page < 50; page++)
    cursor = await from(`page ${page + 1}`, { cursor });
  for (const [id = ''] of victimIds.values()) await from(`the page after ${id}`, { cursor: cursorTo(id) });
}

/** The same key and the same words as the victim's: the attacker gets an answer of their own, and that one again. */
async function keepsAnswersApart(operation: Operation, asked: Parts, headers: Headers, cases: Cases) {
  const own = await attackerIds();
  const text = JSON.stringify(asked).replaceAll(
    /\b([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g,
    (_id, prefix: string) => own.get(prefix)?.[0] ?? missing(prefix),
  );
  const parts = JSON.parse(text) as Parts;
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
    for (const { place, prefix } of walk.positionsOf(operation)) {
      if (place !== 'path' || prefix === undefined) continue;
      const hint = `${operation.address} takes a '${prefix}_' id, and the victim of this test has none: make one for it above`;
      expect(victimIds.get(prefix)?.length ?? 0, hint).toBeGreaterThan(0);
    }
  }
});

test('200 to the good credentials that the bad ones are made from', async () => {
  for (const { name, headers, who } of credentials) {
    const open = operations.find(
      (operation) => operation.method === 'GET' && operation.audience === who.kind && !demanded(operation, who),
    );
    if (!open) continue;
    const [parts = { path: {}, query: {} }] = sample(open, victimIds, 1);
    const answer = await ask(open, unfiltered(open, parts), headers);
    expect(answer.statusCode, `${name} at ${open.address}: ${answer.body}`).toBe(200);
  }
});

describe.each(operations)('$method $address', (operation) => {
  test('401, 403 or 404 to everybody it is not for, and nothing of the victim is seen or changed', async () => {
    const cases = casesOf(operation);
    await refusesCredentials(operation, cases);
    if (operation.audience === 'member') {
      const positions = walk
        .positionsOf(operation)
        .filter(({ place, prefix }) => place !== 'body' || prefix !== undefined);
      for (const { headers, permissions } of [
        { headers: attacker.headers, permissions: rolePermissions.owner as ReadonlySet<string> },
        { headers: attackerKeys.full.headers, permissions: new Set<string>(KeyPermission.options) },
      ]) {
        if (operation.permission !== 'any' && !permissions.has(operation.permission ?? '')) continue;
        for (const position of positions) await hidesIds(operation, position, headers, cases);
        await ignoresOtherWords(operation, headers, cases);
        if ('cursor' in (operation.query.properties ?? {})) await listsOnlyOwn(operation, headers, cases);
      }
      const asked = madeByVictim.get(operation);
      if (asked) await keepsAnswersApart(operation, asked, attacker.headers, cases);
    }
    const rowsAfter = await rowsOf(victim.tenantId);
    for (const table of Object.keys(rowsBefore))
      if (rowsAfter[table] !== rowsBefore[table]) cases.fail('afterwards', `rows of the victim changed in ${table}`);
    tally.routes++;
    cases.end();
  });
});

test('all of it was walked: as many routes as the document has, and no breach', () => {
  const { routes, cases, breaches } = tally;
  console.log(`isolation: ${routes} routes, ${cases} cases, ${breaches} breaches`);
  expect({ routes, breaches }).toEqual({ routes: operations.length, breaches: 0 });
  expect(cases).toBeGreaterThan(30 * operations.length);
});

describe('the document', () => {
  test('has the routes that the router has, and no other', () => {
    const declared = operations.map(({ method, address }) => `${method} ${address.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    const served = routesIn(api.app.printRoutes()).filter((route) => !/^\w+ \/(openapi\.json$|docs)/.test(route));
    expect(served.sort()).toEqual(declared.sort());
  });

  test('says of every operation what it needs, does and is called', () => {
    for (const { id, method, address, permission, summary } of operations)
      expect({ id, permission, summary }, `${method} ${address}`).toEqual({
        id: expect.stringMatching(/^[a-z]\w+$/),
        permission: expect.stringMatching(/^(public|any|[a-z_]+(\.[a-z_]+)+)$/),
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
