import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Permission, PlatformPermission } from '../../src/platform/access.contract.ts';
import { newId } from '../../src/platform/ids.ts';
import { aKey, anOperator, api, aTenant, aUser, type Headers, type Response } from '../harness.ts';
import * as walk from '../openapi-walk.ts';
import type { Operation } from '../openapi-walk.ts';
import { aSignedInPerson } from './people.ts';
import {
  machine,
  platformRoles,
  platformTable,
  routesByPermission,
  tenantRoles,
  tenantTable,
} from './permissions-table.ts';

/**
 * The only places where nobody has to say who they are: before signing in, for load balancers, where a page loads the
 * widget, and where it opens a session or sends a message, which bring a key or a token in their body. And the keys that
 * anybody may check our word with.
 */
const publicPlaces =
  /^\/(health|auth|admin\/auth|pools\/(customer|admin)|cdn)\/|^\/(webhooks\/inbound|\.well-known\/jwks\.json)$|^\/widget\/(sessions\/(anonymous|refresh)|chatbots\/\{botId\}\/message)$/;

const operations = walk.operationsOf(api.app.swagger());
const ofMembers = operations.filter(({ audience }) => audience === 'member');
/** Both forms of an address are one declaration. Each role alone is tried at both, the rest at the short one. */
const inShort = ofMembers.filter(({ id, route }) => id === route);
const ofOperators = operations.filter(({ audience }) => audience === 'operator');

// ---- who asks

const tenant = await aTenant({ plan: 'enterprise' });
const { tenantId } = tenant;

/** A member who holds these roles and no other. */
const memberAs = async (...roles: string[]) => (await aUser([{ tenantId, roles }])).headers;
const operatorAs = async (role: string) => (await anOperator(role)).headers;
const signedInHere = async (pool: 'customer' | 'admin') =>
  (await aSignedInPerson(pool, pool === 'customer' ? tenant : undefined)).headers;

const textMark = 'Textmark';
/** Fits the schema, and names nothing that exists but the tenant in its address: what is let through does no harm. */
const requests = new Map(
  operations.map((operation) => {
    const id = (prefix: string) => fc.constant(newId('request').replace('req', prefix));
    const anything = walk.partsOf(operation, { id, text: fc.constant(textMark) });
    const [parts = { path: {}, query: {} }] = fc.sample(anything, { numRuns: 1, seed: 1 });
    const named = 'tenantId' in (operation.path.properties ?? {}) ? { ...parts.path, tenantId } : parts.path;
    return [operation, walk.requestOf(operation, { ...parts, path: named })];
  }),
);

/** Each time with another text: a name may have to be the only one of its kind. */
function ask(operation: Operation, headers: Headers): Promise<Response> {
  const { method = 'GET', url = '', headers: own, payload } = requests.get(operation) ?? {};
  const anew = (text: string) => text.replaceAll(textMark, `Text${pairs}`);
  const body = payload === undefined ? {} : { payload: anew(payload) };
  return api.app.inject({ method, url: anew(url), headers: { ...own, ...headers }, ...body });
}

const reasonOf = ({ body }: Response) => (JSON.parse(body) as { error?: { reason?: string } }).error?.reason;

let pairs = 0;
/** Refused for want of the permission if and only if that is so. Every other answer means that it was let through. */
async function assertDecides(operation: Operation, name: string, headers: Headers, mayPass: boolean) {
  pairs++;
  const answer = await ask(operation, headers);
  const isRefused = answer.statusCode === 403 && reasonOf(answer) === 'permission_missing';
  const isForOthers = answer.statusCode === 401 && reasonOf(answer) === 'server_key_required';
  const what = `${operation.method} ${operation.address} (${operation.permission}) as ${name}: ${answer.statusCode} ${answer.body}`;
  expect({ isForOthers }, what).toEqual({ isForOthers: operation.isForKeys && !isKey(headers) });
  if (!isForOthers) expect([401, 500, 503], what).not.toContain(answer.statusCode);
  expect({ isRefused }, what).toEqual({ isRefused: !mayPass });
}

const isKey = (headers: Headers) => 'x-service-api-key-id' in headers;

const holds = (table: Record<string, readonly string[]>, { permission = '' }: Operation, roles: readonly string[]) =>
  permission === 'any' || (table[permission] ?? []).some((role) => roles.includes(role));

afterAll(() => console.log(`permissions: ${pairs} pairs of an address and a role`));

// ---- tests

describe('the table', () => {
  test('has every permission there is, and no other', () => {
    expect(Object.keys(tenantTable).toSorted()).toEqual(Permission.options.toSorted());
    expect(Object.keys(platformTable).toSorted()).toEqual(PlatformPermission.options.toSorted());
  });

  test('has what each route declares, for the pool it is for', () => {
    const sayings = {
      public: ['public'],
      member: ['any', ...Permission.options],
      operator: ['any', ...PlatformPermission.options],
      visitor: ['session'],
    };
    for (const { method, address, audience, permission } of operations)
      expect(sayings[audience], `${method} ${address} declares ${permission}`).toContain(permission);
  });

  test('has every route of members under what it needs', () => {
    const needed = Map.groupBy(
      inShort.filter(({ isOwn }) => !isOwn),
      ({ permission = '' }) => permission,
    );
    const found = [...needed].map(([permission, routes]) => [permission, routes.map(({ id }) => id).toSorted()]);
    const wanted = Object.entries(routesByPermission).map(([permission, ids]) => [permission, ids.toSorted()]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  });

  test('what a visitor may is at the widget, and nothing else of theirs is', () => {
    for (const { method, address, audience } of operations)
      if (audience === 'visitor' || address.startsWith('/widget/'))
        expect(
          { method, address, isThere: address.startsWith('/widget/'), audience },
          'a session opens the widget alone',
        ).toEqual({
          method,
          address,
          isThere: true,
          audience: publicPlaces.test(address) ? 'public' : address === sessionsOfKeys ? 'member' : 'visitor',
        });
  });

  test('a route is public in the few places where people are not signed in yet, and nowhere else', () => {
    for (const { method, address, permission } of operations)
      expect(publicPlaces.test(address), `${method} ${address} is ${permission}`).toBe(
        permission === 'public' || isSignedInThere(address),
      );
  });

  test('what changes something needs more than to view', () => {
    for (const { method, address, permission = '' } of operations)
      if (method !== 'GET') expect(permission, `${method} ${address}`).not.toMatch(/\.view$/);
  });
});

const sessionsOfKeys = '/widget/sessions/authenticated';

/** Of those who are signed in, about themselves. */
const isSignedInThere = (address: string) => /\/auth\/(password\/change|step-up|handover\/end)$/.test(address);

describe.each(tenantRoles)('a member who is only %s', (role) => {
  test('403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await memberAs(role);
    for (const operation of ofMembers)
      await assertDecides(operation, role, headers, holds(tenantTable, operation, [role]));
  });
});

describe.each(platformRoles)('an operator who is only %s', (role) => {
  test('403 permission_missing at the routes that the table withholds, and at no other', async () => {
    const headers = await operatorAs(role);
    for (const operation of ofOperators)
      await assertDecides(operation, role, headers, holds(platformTable, operation, [role]));
  });
});

test('two roles open what either of them opens', async () => {
  const both = tenantRoles.flatMap((one, n) => tenantRoles.slice(n + 1).map((other) => [one, other]));
  for (const roles of both) {
    const headers = await memberAs(...roles);
    for (const operation of inShort)
      await assertDecides(operation, roles.join(' and '), headers, holds(tenantTable, operation, roles));
  }
}, 60_000); // hundreds of routes for each pair

test('no role, and one that nobody knows, open what is for any member, and nothing else', async () => {
  for (const roles of [[], ['no_such_role'], ['platform_admin'], ['OWNER'], ['__proto__']]) {
    const headers = await memberAs(...roles);
    for (const operation of inShort) await assertDecides(operation, roles.join(), headers, holds({}, operation, []));
  }
});

describe('a server key', () => {
  test('400 when it is made with what no machine may hold', async () => {
    for (const permission of Permission.options) {
      const body = { name: 'Key', keyType: 'secret_server', permissions: [permission] };
      const answer = await tenant.post('/api-keys', body);
      expect(answer.statusCode, `${permission}: ${answer.body}`).toBe(machine.includes(permission) ? 201 : 400);
    }
  });

  test.each([
    ['all that a machine may', machine],
    ['nothing', []],
  ])('403 permission_missing where it holds %s, at every other route', async (name, permissions) => {
    const { headers } = await aKey(tenant, { permissions });
    for (const operation of inShort) {
      const mayPass = operation.permission === 'any' || permissions.includes(operation.permission ?? '');
      await assertDecides(operation, `a key with ${name}`, headers, mayPass);
    }
  });
});

describe('the two pools', () => {
  test.each([
    ['an owner', () => memberAs('owner')],
    ['an owner who signed in here', () => signedInHere('customer')],
    ['a member called platform_admin', () => memberAs('platform_admin')],
    ['a key', async () => (await aKey(tenant, { permissions: machine })).headers],
  ])('401 wrong_pool to %s at every route of operators', (_name, make) => assertShut(ofOperators, make));

  test.each([
    ['a platform admin', () => operatorAs('platform_admin')],
    ['a platform admin who signed in here', () => signedInHere('admin')],
    ['an operator called owner', () => operatorAs('owner')],
  ])('401 wrong_pool to %s at every route of tenants', (_name, make) => assertShut(ofMembers, make));
});

async function assertShut(shut: readonly Operation[], make: () => Promise<Headers>) {
  const headers = await make();
  for (const operation of shut) {
    pairs++;
    const answer = await ask(operation, headers);
    const what = `${operation.method} ${operation.address}: ${answer.body}`;
    expect([answer.statusCode, reasonOf(answer)], what).toEqual([401, 'wrong_pool']);
  }
}
